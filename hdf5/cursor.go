package hdf5

import (
	"bytes"
	"encoding/binary"
)

// Undefined is the address of what is not there, and [Unlimited] the extent of
// an axis without one.
const (
	Undefined = ^uint64(0)
	Unlimited = ^uint64(0)
)

// cursor reads the fields of a structure one after the other. The first that
// lies behind the end is an error, and all that follow are zero.
type cursor struct {
	what string
	at   uint64 // the address of the first byte
	b    []byte
	pos  int
	o, l int // bytes of addresses and of lengths
	err  error
}

// left is how many bytes follow.
func (c *cursor) left() int { return len(c.b) - c.pos }

// take gives the next n bytes.
func (c *cursor) take(n int) []byte {
	if c.err != nil {
		return nil
	}
	if n < 0 || n > c.left() {
		c.fail("it is too short: %d bytes are due at byte %d of %d", n, c.pos, len(c.b))
		return nil
	}
	b := c.b[c.pos : c.pos+n : c.pos+n]
	c.pos += n
	return b
}

// skip goes over n bytes.
func (c *cursor) skip(n int) { c.take(n) }

// fail keeps the first error.
func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = wrong(c.what, c.at, format, args...)
	}
}

// uint reads a little-endian number of n bytes, at most 8.
func (c *cursor) uint(n int) uint64 {
	b := c.take(n)
	switch len(b) {
	case 8:
		return binary.LittleEndian.Uint64(b)
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	var v uint64
	for i, x := range b {
		v |= uint64(x) << (8 * i)
	}
	return v
}

func (c *cursor) u8() int     { return int(c.uint(1)) }
func (c *cursor) u16() int    { return int(c.uint(2)) }
func (c *cursor) u32() uint32 { return uint32(c.uint(4)) }

// length reads a length of the size that the file has.
func (c *cursor) length() uint64 { return c.uint(c.l) }

// addr reads an address.
func (c *cursor) addr() uint64 { return c.wide(c.o) }

// wide reads a number of n bytes, whose largest means that there is none.
func (c *cursor) wide(n int) uint64 {
	v := c.uint(n)
	if n > 0 && n < 8 && v == 1<<(8*n)-1 {
		return Undefined
	}
	return v
}

// text reads up to a NUL, which it goes over.
func (c *cursor) text() string {
	if c.err != nil {
		return ""
	}
	n := bytes.IndexByte(c.b[c.pos:], 0)
	if n < 0 {
		c.fail("a name has no end")
		return ""
	}
	s := string(c.b[c.pos : c.pos+n])
	c.pos += n + 1
	return s
}

// align goes to the next multiple of n, counted from byte start.
func (c *cursor) align(start, n int) {
	if r := (c.pos - start) % n; r != 0 {
		c.skip(n - r)
	}
}

// signature reads four letters.
func (c *cursor) signature(want string) {
	if got := c.take(4); c.err == nil && string(got) != want {
		c.fail("the signature is %q, not %s", got, want)
	}
}

// version reads the version, which must be one of lo to hi.
func (c *cursor) version(lo, hi int) int {
	v := c.u8()
	if c.err == nil && (v < lo || v > hi) {
		c.fail("version %d is not known", v)
	}
	return v
}

// verify is turned off where tests change bytes at random, which would otherwise
// get no further than a checksum.
var verify = true

// checksum reads the checksum of all that was before.
func (c *cursor) checksum() {
	end := c.pos
	stored := c.u32()
	if c.err == nil {
		if sum := lookup3(c.b[:end]); sum != stored && verify {
			c.fail("the checksum is %08x, and %08x by the bytes", stored, sum)
		}
	}
}

// part is a cursor over n bytes of this one.
func (c *cursor) part(what string, n int) cursor {
	at := c.at + uint64(c.pos)
	b := c.take(n)
	return cursor{what: what, at: at, b: b, o: c.o, l: c.l, err: c.err}
}
