package hdf5

const signature = "\x89HDF\r\n\x1a\n"

// readSuperblock finds the superblock, which is at 0, 512 and so on by powers of
// two, and what it says.
func (f *File) readSuperblock(size int64) error {
	f.base = -1
	for at := int64(0); at+8 <= size; at = max(512, 2*at) {
		b, err := f.pages.get(at, 8)
		if err != nil {
			return err
		}
		if string(b) == signature {
			f.base = at
			break
		}
	}
	if f.base < 0 {
		return ErrSignature
	}
	f.size = size - f.base
	f.offsets, f.lengths, f.leafK, f.groupK, f.chunkK = 8, 8, 4, 16, 32
	n := uint64(min(f.size, 160))
	c := f.cursor("superblock", 0, n)
	c.skip(8)
	f.Superblock = c.version(0, 3)
	if c.err != nil {
		return c.err
	}
	var extension, driver uint64 = Undefined, Undefined
	if f.Superblock < 2 {
		c.skip(4)
		f.sizes(&c)
		c.skip(1)
		f.leafK, f.groupK = c.u16(), c.u16()
		c.skip(4)
		if f.Superblock == 1 {
			f.chunkK = c.u16()
			c.skip(2)
		}
		c.skip(3 * c.o) // base, free space, end
		driver = c.addr()
		c.skip(c.l)
		f.root = c.addr()
		c.skip(24)
	} else {
		f.sizes(&c)
		c.skip(1 + c.o)
		extension = c.addr()
		c.skip(c.o)
		f.root = c.addr()
		c.checksum()
	}
	if c.err != nil {
		return c.err
	}
	if f.root == Undefined {
		return wrong("superblock", 0, "the address of the root group is undefined")
	}
	if driver != Undefined {
		if err := f.readDriver(driver); err != nil {
			return err
		}
	}
	if extension != Undefined {
		return f.readExtension(extension)
	}
	return nil
}

// sizes reads how many bytes addresses and lengths have.
func (f *File) sizes(c *cursor) {
	c.o, c.l = c.u8(), c.u8()
	if c.o != 2 && c.o != 4 && c.o != 8 {
		c.fail("the size of offsets is %d", c.o)
	}
	if c.l != 2 && c.l != 4 && c.l != 8 {
		c.fail("the size of lengths is %d", c.l)
	}
	if c.err != nil {
		c.o, c.l = 8, 8
	}
	f.offsets, f.lengths = c.o, c.l
}

// readDriver refuses files that are parts of a whole.
func (f *File) readDriver(at uint64) error {
	c := f.cursor("driver information", at, 16)
	c.skip(8)
	return f.refuseDriver(&c)
}

func (f *File) refuseDriver(c *cursor) error {
	switch id := string(c.take(8)); id {
	case "NCSAfami", "NCSAmult":
		c.fail("the file is one part of a family of files (driver %s), which are not put together", id)
	}
	return c.err
}

// readExtension reads what newer superblocks say in an object header.
func (f *File) readExtension(at uint64) error {
	h, err := f.header(at)
	if err != nil {
		return err
	}
	for _, m := range h.messages {
		c := f.body(m, "superblock extension")
		switch m.kind {
		case msgBTreeK:
			c.version(0, 0)
			f.chunkK, f.groupK, f.leafK = c.u16(), c.u16(), c.u16()
		case msgSharedTable:
			c.version(0, 0)
			table, n := c.addr(), c.u8()
			if c.err == nil {
				c.err = f.readSharedTable(table, n)
			}
		case msgDriver:
			c.version(0, 0)
			if err := f.refuseDriver(&c); err != nil {
				return err
			}
		}
		if c.err != nil {
			return c.err
		}
	}
	return nil
}
