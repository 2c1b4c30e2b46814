package jpeg

import "fmt"

// CutError says that a stream ends before its image does. All of the image has
// been written, with what libjpeg makes of such a stream: zeros stand for the bits
// that are missing of a unit of blocks, the units behind it are gray, and what
// scans are missing of a progressive image is estimated.
type CutError struct {
	Row   int // the first row that is not as it was written
	where string
}

// Error says where the data ends.
func (e *CutError) Error() string { return "JPEG: data ends " + e.where }

// endsEarly notes that the data ends in row y of the scan's units.
func (d *Decoder) endsEarly(y int) {
	f, c := &d.frame, &d.scan
	if d.cut != nil {
		return
	}
	row := y * c.unitRows
	d.cut = &CutError{row, fmt.Sprintf("in row %d of %d, scan %d, before byte %d", row, f.height, c.number, c.in.pos)}
	if f.vmax > 1 {
		d.cut.Row = max(row-1, 0) // it is interpolated with the next
	}
	if !f.arithmetic { // there libjpeg does not count
		c.good = row / (8 * f.vmax)
	}
}

// gray fills what remains of a scan that is the whole image, from unit x of row m on.
func (d *Decoder) gray(m, x int) {
	c := &d.scan
	c.block = [blockSize]int16{}
	for ; m < c.unitsY; m++ {
		for ; x < c.unitsX; x++ {
			for i := range c.n {
				p := &c.comp[i]
				for v := range p.v {
					for h := range p.h {
						p.transform(m, v, x*p.h+h, &c.block, 0)
					}
				}
			}
		}
		d.emit(m)
		x = 0
	}
}

// missing notes scans that an image in several scans lacks.
func (d *Decoder) missing() {
	f := &d.frame
	for i := range f.n {
		c := &f.comp[i]
		for k, b := range c.bits {
			if b == 0 {
				continue
			}
			if d.cut == nil {
				d.cut = &CutError{where: fmt.Sprintf("before all scans of component %d: coefficient %d is not complete", i, k)}
			}
			d.cut.Row = 0
			return
		}
	}
}
