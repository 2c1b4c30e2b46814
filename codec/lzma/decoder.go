package lzma

import (
	"slices"
	"sync"

	"github.com/omnizarr/zarr/codec"
)

// decoder reads LZMA into out, which serves as the dictionary too.
type decoder struct {
	ck    *codec.Chunk
	src   []byte // what is left to read
	out   []byte // what was decoded, and what was there before
	start int    // where in out the decoded bytes begin
	max   int    // how long out may become
	base  int    // where in out the dictionary begins

	rc      rangeDecoder
	model   model
	records []record // blocks of an .xz stream
}

var decoders = sync.Pool{New: func() any { return &decoder{} }}

func (d *decoder) free() {
	d.ck, d.src, d.out, d.rc = nil, nil, nil, rangeDecoder{}
	decoders.Put(d)
}

// grow makes room for n more bytes, and returns out as long as it may be used.
func (d *decoder) grow(n, end int) ([]byte, error) {
	if n > end-len(d.out) {
		if end < d.max {
			return nil, codec.Bad("data goes on behind the %d bytes that it should have", end-d.start)
		}
		return nil, d.tooMuch()
	}
	if n > cap(d.out)-len(d.out) {
		have := len(d.out) - d.start
		d.out = slices.Grow(d.out, min(max(n, have, 512), end-len(d.out)))
	}
	return d.out[:min(cap(d.out), end)], nil
}

func (d *decoder) tooMuch() error {
	return d.ck.Over(-1, d.max-d.start)
}

// ending says how a stream of LZMA ends.
type ending int

const (
	atSize   ending = iota // when there is so much as there should be
	atMarker               // at a marker
	atEither               // when there is so much; a marker may follow
)

// decode reads from d.rc until out has the length end. A stream that ends at its
// marker has only to stay below that.
func (d *decoder) decode(end int, how ending) error {
	m, rc := &d.model, &d.rc
	buf, err := d.grow(0, end)
	if err != nil {
		return err
	}
	pos := len(d.out)
	pbMask := 1<<m.props.pb - 1
	for {
		if pos == end && how != atMarker && (how == atSize || rc.code == 0) {
			break
		}
		if rc.at > len(rc.src) {
			return codec.Bad("ends within the data, after %d bytes", pos-d.start)
		}
		where := (pos - d.base) & pbMask
		if rc.bit(&m.match[m.state][where]) == 0 {
			if pos == len(buf) {
				d.out = buf
				if buf, err = d.grow(1, end); err != nil {
					return err
				}
			}
			var before byte
			if pos > d.base {
				before = buf[pos-1]
			}
			probs := m.literal(pos-d.base, before)
			if m.afterMatch() {
				// A match always has a distance within the dictionary.
				buf[pos] = rc.matched(probs, buf[pos-int(m.reps[0])-1])
			} else {
				buf[pos] = rc.literal(probs)
			}
			pos++
			m.wasLiteral()
			continue
		}
		n := rc.match(m, where)
		if m.reps[0] == marker {
			if how == atSize {
				return codec.Bad("a marker ends the data after %d bytes", pos-d.start)
			}
			if how == atEither && pos != end {
				return codec.Bad("a marker ends the data after %d bytes, not %d", pos-d.start, end-d.start)
			}
			break
		}
		dist := int(m.reps[0]) + 1
		if dist > pos-d.base {
			return codec.Bad("a match is %d bytes back, behind %d bytes", dist, pos-d.base)
		}
		if n > len(buf)-pos {
			d.out = buf[:pos]
			if buf, err = d.grow(n, end); err != nil {
				return err
			}
		}
		repeat(buf, pos, dist, n)
		pos += n
	}
	d.out = buf[:pos]
	if rc.at > len(rc.src) || rc.code != 0 {
		return codec.Bad("data does not end where it should, after %d bytes", pos-d.start)
	}
	return nil
}

// repeat copies n bytes to pos from dist before it. They may overlap.
func repeat(buf []byte, pos, dist, n int) {
	if dist >= n {
		copy(buf[pos:pos+n], buf[pos-dist:])
		return
	}
	from, to := buf[pos-dist:pos-dist+n], buf[pos:pos+n]
	for i := range to {
		to[i] = from[i]
	}
}

// marker is the distance, less one, that ends a stream.
const marker = 0xffffffff

// match reads the rest of what is no literal: a length, which it returns, and a
// distance, which is then the last of the model.
func (r *rangeDecoder) match(m *model, where int) int {
	s := m.state
	if r.bit(&m.rep[s]) == 0 {
		n := r.length(&m.matchLengths, where)
		m.push(r.distance(m, n))
		m.wasMatch()
		return n + minMatch
	}
	switch {
	case r.bit(&m.rep0[s]) == 0:
		if r.bit(&m.rep0Long[s][where]) == 0 {
			m.wasShortRep()
			return 1
		}
	case r.bit(&m.rep1[s]) == 0:
		m.use(1)
	case r.bit(&m.rep2[s]) == 0:
		m.use(2)
	default:
		m.use(3)
	}
	m.wasRepeat()
	return r.length(&m.repeatLength, where) + minMatch
}
