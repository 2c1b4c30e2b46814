package imagej

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf16"

	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// Metadata is what ImageJ's private tags hold. Regions, overlays, plots and
// kinds that are not known are left out: only ImageJ can read them.
type Metadata struct {
	Info       string
	Labels     []string  // of pages
	Ranges     []float64 // what is shown as black and white, for every channel in turn
	LUTs       [][]byte  // of every channel: 256 values of red, then of green, then of blue
	Properties [][2]string
}

const (
	maxHeader = 804     // bytes, as in ImageJ: 100 kinds
	maxValues = 1 << 20 // of all kinds together
)

// ParseMetadata reads the tags IJMetadataByteCounts and IJMetadata.
func ParseMetadata(counts, data tag.Field) (*Metadata, error) {
	m, err := parseMetadata(counts, data)
	if err != nil {
		return nil, fmt.Errorf("ImageJ metadata: %w", err)
	}
	return m, nil
}

func parseMetadata(counts, data tag.Field) (*Metadata, error) {
	if counts.Len() == 0 || counts.Len() > maxValues+1 {
		return nil, fmt.Errorf("%d lengths, not between 1 and %d", counts.Len(), maxValues+1)
	}
	if data.Type.Size() != 1 {
		return nil, fmt.Errorf("tag %d (%v) has type %d, bytes are needed", data.ID, data.ID, data.Type)
	}
	b := data.Raw
	var order binary.ByteOrder
	switch {
	case len(b) >= 4 && string(b[:4]) == "IJIJ":
		order = binary.BigEndian
	case len(b) >= 4 && string(b[:4]) == "JIJI":
		order = binary.LittleEndian
	default:
		return nil, errors.New("it does not begin with IJIJ")
	}
	header, err := counts.Uint(0)
	if err != nil {
		return nil, err
	}
	if header < 12 || header > maxHeader || header%8 != 4 || header > uint64(len(b)) {
		return nil, fmt.Errorf("a header of %d bytes in %d", header, len(b))
	}
	r := reader{counts: counts, next: 1, rest: b[header:], order: order}
	m := &Metadata{}
	for at := 4; at < int(header); at += 8 {
		kind := [4]byte(b[at:])
		if order == binary.LittleEndian {
			kind[0], kind[1], kind[2], kind[3] = kind[3], kind[2], kind[1], kind[0]
		}
		if err := m.read(string(kind[:]), order.Uint32(b[at+4:]), &r); err != nil {
			return nil, fmt.Errorf("%q: %w", kind, err)
		}
	}
	return m, nil
}

// reader hands out the values one by one.
type reader struct {
	counts tag.Field
	next   int
	rest   []byte
	order  binary.ByteOrder
}

func (r *reader) value() ([]byte, error) {
	n, err := r.counts.Uint(r.next)
	if err != nil {
		return nil, err
	}
	if n > uint64(len(r.rest)) {
		return nil, fmt.Errorf("value %d has %d bytes, %d are left", r.next, n, len(r.rest))
	}
	r.next++
	v := r.rest[:n]
	r.rest = r.rest[n:]
	return v, nil
}

// text reads UTF-16.
func (r *reader) text() (string, error) {
	b, err := r.value()
	if err != nil {
		return "", err
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = r.order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units)), nil
}

// read takes n values of a kind.
func (m *Metadata) read(kind string, n uint32, r *reader) error {
	if left := r.counts.Len() - r.next; int64(n) > int64(left) {
		return fmt.Errorf("%d values, %d are left", n, left)
	}
	var first string
	for i := range n {
		var err error
		switch kind {
		case "info":
			m.Info, err = r.text()
		case "labl":
			first, err = r.text()
			m.Labels = append(m.Labels, first)
		case "prop":
			var s string
			if s, err = r.text(); i%2 == 0 {
				first = s
			} else {
				m.Properties = append(m.Properties, [2]string{first, s})
			}
		case "rang":
			var b []byte
			b, err = r.value()
			for ; len(b) >= 8; b = b[8:] {
				m.Ranges = append(m.Ranges, math.Float64frombits(r.order.Uint64(b)))
			}
		case "luts":
			var b []byte
			b, err = r.value()
			m.LUTs = append(m.LUTs, b)
		default:
			_, err = r.value()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Attributes gives what people may want to read as attributes: info, labels,
// ranges and properties, as far as they are there.
func (m *Metadata) Attributes() ([]meta.Member, error) {
	var out []meta.Member
	add := func(name string, v any) error {
		raw, err := strictjson.Marshal(v, true)
		out = append(out, meta.Member{Name: name, Raw: raw})
		return err
	}
	if m.Info != "" {
		if err := add("info", m.Info); err != nil {
			return nil, err
		}
	}
	if len(m.Labels) > 0 {
		if err := add("labels", m.Labels); err != nil {
			return nil, err
		}
	}
	if len(m.Ranges) > 0 {
		if err := add("ranges", m.Ranges); err != nil {
			return nil, err
		}
	}
	if len(m.Properties) > 0 {
		p := make(map[string]string, len(m.Properties))
		for _, pair := range m.Properties {
			p[pair[0]] = pair[1]
		}
		if err := add("properties", p); err != nil {
			return nil, err
		}
	}
	return out, nil
}
