package hdf5

// chunkIndex finds chunks.
type chunkIndex interface {
	// find gives the chunk of an index, at Undefined if there is none.
	find(index []uint64) (stored, error)
	// each calls do for every chunk.
	each(do func(index []uint64, s stored) (bool, error)) error
}

// stored is what an index says of a chunk.
type stored struct {
	at, size uint64
	mask     uint32
}

var absent = stored{at: Undefined}

// chunkSize is how many bytes a chunk without filters has.
func (d *Dataset) chunkSize() (uint64, error) {
	n, ok := d.Layout.chunkBytes(d.Type.Size)
	if !ok {
		return 0, wrong("layout", d.Address(), "chunks of shape %d have a size that is too large", d.Layout.Chunk)
	}
	return n, nil
}

// counts are how many chunks there are along each axis. Arrays of chunks count
// by how far the dataset may grow; an axis without end has Unlimited.
func (d *Dataset) counts(most bool) []uint64 {
	out := make([]uint64, len(d.Layout.Chunk))
	for i, c := range d.Layout.Chunk {
		n := d.Space.Shape[i]
		if most && d.Space.Max != nil {
			n = d.Space.Max[i]
		}
		if out[i] = Unlimited; n != Unlimited {
			out[i] = n / c
			if n%c != 0 {
				out[i]++
			}
		}
	}
	return out
}

// eachOf calls do for the chunks of a grid, which find tells.
func eachOf(counts []uint64, find func([]uint64) (stored, error), do func([]uint64, stored) (bool, error)) error {
	if n, ok := product(counts); n == 0 && ok {
		return nil
	}
	index := make([]uint64, len(counts))
	for {
		s, err := find(index)
		if err != nil {
			return err
		}
		if s.at != Undefined {
			if on, err := do(index, s); err != nil || !on {
				return err
			}
		}
		if !next(index, counts) {
			return nil
		}
	}
}

// next goes to the next index in C order, false behind the last.
func next(index, counts []uint64) bool {
	for i := len(index) - 1; i >= 0; i-- {
		if index[i]++; index[i] < counts[i] {
			return true
		}
		index[i] = 0
	}
	return false
}

// linear is the place of an index in C order, false if it is outside.
func linear(index, counts []uint64) (uint64, bool) {
	var n uint64
	for i, x := range index {
		if x >= counts[i] {
			return 0, false
		}
		n = n*counts[i] + x
	}
	return n, true
}

// single is a dataset of one chunk.
type single struct {
	d *Dataset
	s stored
}

func (d *Dataset) singleIndex() (chunkIndex, error) {
	s := stored{at: d.Layout.Address, size: d.Layout.single.size, mask: d.Layout.single.mask}
	if !d.Layout.single.filtered {
		var err error
		if s.size, err = d.chunkSize(); err != nil {
			return nil, err
		}
	}
	return &single{d, s}, nil
}

func (x *single) find(index []uint64) (stored, error) {
	for _, i := range index {
		if i != 0 {
			return absent, nil
		}
	}
	return x.s, nil
}

func (x *single) each(do func([]uint64, stored) (bool, error)) error {
	_, err := do(make([]uint64, len(x.d.Layout.Chunk)), x.s)
	return err
}

// implicit is a dataset whose chunks lie one behind the other.
type implicit struct {
	d      *Dataset
	counts []uint64
	size   uint64
}

func (d *Dataset) implicitIndex() (chunkIndex, error) {
	size, err := d.chunkSize()
	if err != nil {
		return nil, err
	}
	x := &implicit{d, d.counts(true), size}
	n, ok := product(x.counts)
	if !ok || n > uint64(d.file.size)/size {
		return nil, wrong("layout", d.Address(), "%d chunks of %d bytes lie beyond the end of the file", x.counts, size)
	}
	return x, nil
}

func (x *implicit) find(index []uint64) (stored, error) {
	n, ok := linear(index, x.counts)
	if !ok {
		return absent, nil
	}
	return stored{at: x.d.Layout.Address + n*x.size, size: x.size}, nil
}

func (x *implicit) each(do func([]uint64, stored) (bool, error)) error {
	return eachOf(x.d.counts(false), x.find, do)
}
