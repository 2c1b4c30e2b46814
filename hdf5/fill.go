package hdf5

// Fill is the value of elements that are not stored.
type Fill struct {
	Defined bool   // false if elements that are not stored have no value
	User    bool   // whether somebody chose it
	Value   []byte // as elements are stored, nil if all bytes are zero
	Never   bool   // elements of storage that was allocated are not filled
}

// parseFill reads a fill value message, or the older one.
func parseFill(c *cursor, kind int) Fill {
	x := Fill{Defined: true}
	has := true
	if kind == msgFill {
		if version := c.version(1, 3); version == 3 {
			flags := c.u8()
			x.Never = flags>>2&3 == 1
			x.Defined = flags&(1<<4) == 0
			has = flags&(1<<5) != 0
		} else {
			c.skip(1)
			x.Never = c.u8() == 1
			defined := c.u8() != 0
			x.Defined = defined || version == 1
			has = defined || version == 1
		}
	}
	if has && c.err == nil {
		n := int32(c.u32())
		if n > 0 {
			if int(n) > c.left() {
				c.fail("a fill value of %d bytes in a message with %d left", n, c.left())
			}
			x.Value = append([]byte(nil), c.take(int(n))...)
			x.User = true
		}
		if n < 0 {
			x.Defined = false
		}
	}
	return x
}

// fill repeats the fill value.
func (x *Fill) fill(dst []byte, size int) {
	if len(x.Value) != size {
		clear(dst)
		return
	}
	for n := copy(dst, x.Value); n > 0 && n < len(dst); {
		n += copy(dst[n:], dst[:n])
	}
}
