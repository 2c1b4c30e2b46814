package jpeg

import (
	"errors"
	"fmt"
)

// What tables have to do with an error; it is wrapped in one that says more.
var (
	// ErrNoTable says that neither the stream nor DecodeOptions.Tables have a
	// table that is needed.
	ErrNoTable = errors.New("is missing")
	// ErrTables says that DecodeOptions.Tables are damaged.
	ErrTables = errors.New("in the tables")
)

// DecodeOptions says what a stream leaves to its file.
type DecodeOptions struct {
	Tables []byte // abbreviated stream with tables (TIFF tag 347), may be nil
	RGB    bool   // components are YCbCr and go out as RGB; otherwise none is converted, whatever markers say
}

// Decoder decodes streams. It keeps memory and tables from one to the next, so
// that decoding a tile like the one before allocates nothing. It is not for use
// by several goroutines at once. The zero value is ready.
type Decoder struct {
	quant    [4]quantDef
	huff     [2][4]huffSlot
	cond     conditioning
	interval int // units between restart markers, 0 for none
	frame    frame
	scan     scan
	in       input
	dst      Planes
	rgb      bool
	up       [3][]byte // rows of components in full width
	cut      *CutError // the data ends early
}

// maxScans is how many scans an image may have. A scan may cost as much as the
// whole image while it takes a few bytes; libtiff has the same limit.
const maxScans = 100

// Decode decodes src into dst and returns what it is. The image may be smaller
// than the room: only its part is written then. If there is an error, part of
// dst may have been written; after a *CutError all of it has.
func (d *Decoder) Decode(dst Planes, src []byte, opt DecodeOptions) (Config, error) {
	d.forget()
	if len(opt.Tables) > 0 {
		if err := d.readTables(opt.Tables); err != nil {
			return Config{}, fmt.Errorf("%w (%w)", err, ErrTables)
		}
	}
	in, err := begin(src)
	if err != nil {
		return Config{}, err
	}
	d.cond, d.interval = defaultConditioning(), 0
	d.dst, d.rgb, d.in = dst, opt.RGB, in
	defer func() { d.dst, d.in, d.cut = Planes{}, input{}, nil }()
	for scans := 0; ; {
		s, err := d.in.next()
		if err != nil {
			return Config{}, err
		}
		if ok, err := d.tables(s); err != nil {
			return Config{}, err
		} else if ok {
			continue
		}
		switch {
		case isFrame(s.marker):
			if d.frame.n > 0 {
				return Config{}, fmt.Errorf("JPEG: second frame header at byte %d", s.offset)
			}
			if err := d.beginFrame(s); err != nil {
				return Config{}, err
			}
		case s.marker == markerSOS:
			if d.frame.n == 0 {
				return Config{}, fmt.Errorf("JPEG: scan at byte %d before the frame header", s.offset)
			}
			if scans++; scans > maxScans {
				return d.frame.config(), fmt.Errorf("JPEG: more than %d scans", maxScans)
			}
			whole, err := d.readScan(s, scans)
			if err == nil && whole && d.cut != nil {
				err = d.cut
			}
			if whole || err != nil {
				return d.frame.config(), err
			}
		case s.marker == markerEOI:
			return d.end(len(src))
		}
	}
}

// forget drops the definitions of the stream before, but not what was built
// from them.
func (d *Decoder) forget() {
	for i := range d.quant {
		d.quant[i].set = false
		d.huff[0][i].set = false
		d.huff[1][i].set = false
	}
	d.frame.n = 0
}

// readTables reads an abbreviated stream of tables.
func (d *Decoder) readTables(src []byte) error {
	in, err := begin(src)
	if err != nil {
		return err
	}
	for {
		s, err := in.next()
		if err != nil {
			return err
		}
		if _, err := d.tables(s); err != nil {
			return err
		}
		switch {
		case s.marker == markerEOI:
			return nil
		case s.marker == markerSOS || isFrame(s.marker):
			return fmt.Errorf("JPEG: an image begins at byte %d", s.offset)
		}
	}
}

// beginFrame takes the frame header.
func (d *Decoder) beginFrame(s segment) error {
	f := &d.frame
	err := f.parse(s)
	if err == nil {
		err = f.supported()
	}
	if err == nil {
		err = f.fit(d.dst, d.rgb)
	}
	if err == nil {
		err = f.layout()
	}
	if err != nil {
		f.n = 0
		return err
	}
	d.allocate()
	return nil
}

// end is called when there are no more scans: those of an image in several
// scans are put together.
func (d *Decoder) end(size int) (Config, error) {
	f := &d.frame
	if f.n == 0 {
		return Config{}, fmt.Errorf("JPEG: no frame header in %d bytes", size)
	}
	if !d.in.scans {
		return f.config(), fmt.Errorf("JPEG: data ends before the first scan")
	}
	d.missing()
	smooth := d.cut != nil && f.smooths()
	for m := range f.mcusY {
		for i := range f.n {
			if smooth {
				d.smoothRow(&f.comp[i], m)
			} else {
				f.comp[i].transformRow(m)
			}
		}
		d.emit(m)
	}
	if d.cut != nil {
		return f.config(), d.cut
	}
	return f.config(), nil
}
