package picture

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"strings"
)

// Colours is how many colours characters can have.
type Colours uint8

// What terminals can show.
const (
	NoColours   Colours = iota // characters alone
	Colours256                 // those of xterm
	TrueColours                // of 24 bits
)

// Blocks writes an image in characters, of which each is two pixels, one above the
// other: the upper half block in one colour on the other. Without colours, it is one
// of a scale of characters by how bright they are. Indent stands before every line.
func Blocks(w io.Writer, img *image.NRGBA, c Colours, indent string) error {
	out := bufio.NewWriter(w)
	size := img.Rect.Size()
	at := func(x, y int) color.NRGBA {
		if y >= size.Y {
			return color.NRGBA{}
		}
		return img.NRGBAAt(img.Rect.Min.X+x, img.Rect.Min.Y+y)
	}
	for y := 0; y < size.Y; y += 2 {
		out.WriteString(indent)
		if c == NoColours {
			line := make([]byte, size.X)
			for x := range line {
				lower := at(x, y+1)
				if y+1 >= size.Y {
					lower = at(x, y)
				}
				line[x] = shade((bright(at(x, y)) + bright(lower)) / 2)
			}
			out.WriteString(strings.TrimRight(string(line), " ") + "\n")
			continue
		}
		last := "\x1b[0m"
		for x := range size.X {
			style, char := c.cell(at(x, y), at(x, y+1))
			if style != last {
				out.WriteString(style)
				last = style
			}
			out.WriteString(char)
		}
		out.WriteString("\x1b[0m\n")
	}
	return out.Flush()
}

// cell is how two pixels are written, of which what is not opaque is left as it is.
func (c Colours) cell(upper, lower color.NRGBA) (style, char string) {
	switch {
	case upper.A < 128 && lower.A < 128:
		return "\x1b[0m", " "
	case upper.A < 128:
		return "\x1b[0;38;" + c.code(lower) + "m", "▄"
	case lower.A < 128:
		return "\x1b[0;38;" + c.code(upper) + "m", "▀"
	}
	return "\x1b[0;38;" + c.code(upper) + ";48;" + c.code(lower) + "m", "▀"
}

func (c Colours) code(p color.NRGBA) string {
	if c == TrueColours {
		return fmt.Sprintf("2;%d;%d;%d", p.R, p.G, p.B)
	}
	return fmt.Sprintf("5;%d", xterm(p))
}

// xterm is the nearest of the 256 colours: a cube of six levels each, and grays.
func xterm(p color.NRGBA) int {
	if p.R == p.G && p.G == p.B {
		switch {
		case p.R < 4:
			return 16
		case p.R > 246:
			return 231
		}
		return 232 + min((int(p.R)-3)/10, 23)
	}
	level := func(v uint8) int {
		if v < 48 {
			return 0
		}
		return max((int(v)-35)/40, 1)
	}
	return 16 + 36*level(p.R) + 6*level(p.G) + level(p.B)
}

const shades = " .:-=+*#%@"

func shade(v float64) byte {
	return shades[min(max(int(v*float64(len(shades))), 0), len(shades)-1)]
}

// bright is how bright a pixel is, from 0 to 1.
func bright(p color.NRGBA) float64 {
	return (0.2126*float64(p.R) + 0.7152*float64(p.G) + 0.0722*float64(p.B)) / 255 * float64(p.A) / 255
}

// Kitty writes an image as the terminal kitty and others take it: as PNG in base64,
// in pieces.
func Kitty(w io.Writer, img image.Image) error {
	text, err := base64PNG(img)
	if err != nil {
		return err
	}
	const most = 4096
	out := bufio.NewWriter(w)
	for from := 0; from < len(text); from += most {
		piece := text[from:min(from+most, len(text))]
		more := 1
		if from+most >= len(text) {
			more = 0
		}
		control := fmt.Sprintf("m=%d", more)
		if from == 0 {
			control = "a=T,f=100,q=2," + control
		}
		fmt.Fprintf(out, "\x1b_G%s;%s\x1b\\", control, piece)
	}
	out.WriteByte('\n')
	return out.Flush()
}

// ITerm writes an image as iTerm2 and others take it: as a file in base64.
func ITerm(w io.Writer, img image.Image) error {
	text, err := base64PNG(img)
	if err != nil {
		return err
	}
	size := img.Bounds().Size()
	_, err = fmt.Fprintf(w, "\x1b]1337;File=inline=1;width=%dpx;height=%dpx;preserveAspectRatio=1:%s\a\n", size.X, size.Y, text)
	return err
}

func base64PNG(img image.Image) (string, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// Sixel writes an image as terminals of DEC take it: bands of six rows, each colour
// of a band by itself. Colours are those of xterm; what is not opaque is left as it is.
func Sixel(w io.Writer, img *image.NRGBA) error {
	out := bufio.NewWriter(w)
	size := img.Rect.Size()
	fmt.Fprintf(out, "\x1bP0;1q\"1;1;%d;%d", size.X, size.Y)
	defined := map[int]bool{}
	for top := 0; top < size.Y; top += 6 {
		bands := map[int][]byte{} // of every colour, which rows of a column have it
		var order []int
		for y := top; y < min(top+6, size.Y); y++ {
			for x := range size.X {
				p := img.NRGBAAt(img.Rect.Min.X+x, img.Rect.Min.Y+y)
				if p.A < 128 {
					continue
				}
				c := xterm(p)
				if bands[c] == nil {
					bands[c] = make([]byte, size.X)
					order = append(order, c)
				}
				bands[c][x] |= 1 << (y - top)
			}
		}
		for i, c := range order {
			if i > 0 {
				out.WriteByte('$')
			}
			fmt.Fprintf(out, "#%d", c)
			if !defined[c] {
				r, g, b := xtermLevels(c)
				fmt.Fprintf(out, ";2;%d;%d;%d#%d", r*100/255, g*100/255, b*100/255, c)
				defined[c] = true
			}
			writeRuns(out, bands[c])
		}
		out.WriteByte('-')
	}
	out.WriteString("\x1b\\\n")
	return out.Flush()
}

// writeRuns writes a row of sixels, those that are repeated by how often.
func writeRuns(out *bufio.Writer, row []byte) {
	for from := 0; from < len(row); {
		to := from + 1
		for to < len(row) && row[to] == row[from] {
			to++
		}
		char := '?' + row[from]
		if n := to - from; n > 3 {
			fmt.Fprintf(out, "!%d%c", n, char)
		} else {
			out.WriteString(strings.Repeat(string(rune(char)), n))
		}
		from = to
	}
}

// xtermLevels is one of the colours that xterm gives.
func xtermLevels(c int) (r, g, b int) {
	if c >= 232 {
		v := 8 + 10*(c-232)
		return v, v, v
	}
	level := func(k int) int {
		if k == 0 {
			return 0
		}
		return 55 + 40*k
	}
	c -= 16
	return level(c / 36), level(c / 6 % 6), level(c % 6)
}
