//go:build !arrays

package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
)

// plot draws points on logarithmic axes as SVG, with a line of which every point would be if time grew as numbers do.
func plot(title, x string, points []point) []byte {
	const width, height, left, right, bottom, top = 660, 400, 70, 40, 50, 40
	loX, hiX := math.Log10(points[0].n), math.Log10(points[len(points)-1].n)
	loY, hiY := math.Inf(1), math.Inf(-1)
	for _, p := range points {
		loY, hiY = min(loY, math.Log10(p.seconds)), max(hiY, math.Log10(p.seconds))
	}
	loY, hiY = math.Floor(loY), math.Ceil(hiY+1e-9)
	hiX = max(hiX, loX+1e-9)
	at := func(lx, ly float64) (float64, float64) {
		return left + (lx-loX)/(hiX-loX)*(width-left-right), height - bottom - (ly-loY)/(hiY-loY)*(height-bottom-top)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/><text x="%d" y="20" font-size="13">%s</text>`+"\n", width, height, 10, html.EscapeString(title))
	for ly := loY; ly <= hiY; ly++ {
		_, y := at(loX, ly)
		fmt.Fprintf(&b, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n",
			left, y, width-right, y, left-6, y+4, duration(math.Pow(10, ly)))
	}
	for lx := math.Ceil(loX); lx <= hiX; lx++ {
		px, _ := at(lx, loY)
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%.0f</text>`+"\n",
			px, top, px, height-bottom, px, height-bottom+16, math.Pow(10, lx))
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%s</text><text x="14" y="%d" transform="rotate(-90 14 %d)" text-anchor="middle">CPU time</text>`+"\n",
		(width+left)/2, height-12, html.EscapeString(x), height/2, height/2)
	// From the last point backwards, as far as it is on the picture.
	last := points[len(points)-1]
	lx, ly := math.Log10(last.n), math.Log10(last.seconds)
	back := min(lx-loX, ly-loY)
	x1, y1 := at(lx-back, ly-back)
	x2, y2 := at(lx, ly)
	fmt.Fprintf(&b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#999" stroke-dasharray="4 4"/>`+"\n", x1, y1, x2, y2)
	fmt.Fprint(&b, `<polyline fill="none" stroke="#0a6" stroke-width="2" points="`)
	for _, p := range points {
		px, py := at(math.Log10(p.n), math.Log10(p.seconds))
		fmt.Fprintf(&b, "%.1f,%.1f ", px, py)
	}
	fmt.Fprint(&b, "\"/>\n")
	for _, p := range points {
		px, py := at(math.Log10(p.n), math.Log10(p.seconds))
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3" fill="#0a6"/>`+"\n", px, py)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
