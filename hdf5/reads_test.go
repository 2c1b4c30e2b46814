package hdf5_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/internal/thorough"
)

// counted counts reads and their bytes, and fails after some of them.
type counted struct {
	io.ReaderAt
	reads, bytes atomic.Int64
	most         int64
}

var errFar = errors.New("the server is gone")

func (c *counted) ReadAt(b []byte, off int64) (int, error) {
	if n := c.reads.Add(1); c.most > 0 && n > c.most {
		return 0, errFar
	}
	c.bytes.Add(int64(len(b)))
	return c.ReaderAt.ReadAt(b, off)
}

// walkAll opens every object of a file and its attributes.
func walkAll(f *hdf5.File) (int, error) {
	n := 0
	err := f.Root().Walk(func(_ string, _ hdf5.Link, x *hdf5.Object, err error) error {
		if err != nil || x == nil {
			return err
		}
		n++
		if _, err := x.Attributes(); err != nil {
			return err
		}
		if x.Kind == hdf5.KindDataset {
			_, err = x.Dataset()
		}
		return err
	})
	return n, err
}

func TestFewReads(t *testing.T) {
	data := fixtures(t)["index-large-v110.h5"]
	c := &counted{ReaderAt: bytes.NewReader(data)}
	f, err := hdf5.Open(c, int64(len(data)), hdf5.Options{Block: 64 << 10})
	check(t, err)
	n, err := walkAll(f)
	check(t, err)
	if reads := c.reads.Load(); n < 5 || reads > 6 || int(reads) != f.Reads() {
		t.Errorf("%d objects in %d reads of %d bytes", n, reads, c.bytes.Load())
	}
	if read := c.bytes.Load(); read >= int64(len(data)) {
		t.Errorf("%d of %d bytes were read to tell what there is", read, len(data))
	}
	// What is kept is bounded.
	f, err = hdf5.Open(c, int64(len(data)), hdf5.Options{Block: 1 << 10, Cache: 8 << 10})
	check(t, err)
	_, err = walkAll(f)
	check(t, err)
}

// A read that fails is an error of what was read, and the next may succeed.
func TestReadsThatFail(t *testing.T) {
	data := fixtures(t)["base-v110.h5"]
	for most := int64(1); ; most++ {
		c := &counted{ReaderAt: bytes.NewReader(data), most: most}
		f, err := hdf5.Open(c, int64(len(data)), hdf5.Options{Block: 1 << 10})
		if err == nil {
			_, err = walkAll(f)
		}
		if err == nil {
			if most < 5 {
				t.Errorf("all was read in %d reads", most)
			}
			break
		}
		if !errors.Is(err, errFar) {
			t.Fatal(err)
		}
		c.most = 0
		if f != nil {
			o, err := f.Lookup("/chunked")
			check(t, err)
			d, err := o.Dataset()
			check(t, err)
			_, err = d.ReadAll()
			check(t, err)
		}
	}
}

// A dataset is not read at once that has more than is allowed, stored or not.
func TestWhatIsReadAtOnceIsBounded(t *testing.T) {
	b := fixtures(t)["index-v110.h5"]
	f, err := hdf5.Open(bytes.NewReader(b), int64(len(b)), hdf5.Options{MaxRead: 100})
	check(t, err)
	read := 0
	for _, l := range must(f.Root().Links()) {
		o, err := f.Root().Follow(l)
		check(t, err)
		d, err := o.Dataset()
		check(t, err)
		n, _ := d.Space.Len()
		if _, err := d.ReadAll(); (err == nil) != (n*uint64(d.Type.Size) <= 100) || err != nil && !strings.Contains(err.Error(), "Options.MaxRead lifts it") {
			t.Errorf("%s of %d elements: %v", l.Name, n, err)
		}
		read++
	}
	if read == 0 {
		t.Error("nothing was read")
	}
}

// Several goroutines may use a file, a dataset and its index of chunks.
func TestManyAtOnce(t *testing.T) {
	files := fixtures(t)
	for _, name := range []string{"index-earliest.h5", "index-v110.h5"} {
		f, err := open(files, name)
		check(t, err)
		for i, l := range must(f.Root().Links()) {
			o, err := f.Root().Follow(l)
			check(t, err)
			d, err := o.Dataset()
			check(t, err)
			want, err := d.ReadAll()
			check(t, err)
			var g sync.WaitGroup
			for range 4 {
				g.Go(func() {
					got, err := d.ReadAll()
					if err != nil || !bytes.Equal(got, want) {
						t.Errorf("%s %s: %v", name, l.Name, err)
					}
					if i%thorough.Step(5) != 0 { // it is the same file
						return
					}
					if _, err := walkAll(f); err != nil {
						t.Error(err)
					}
				})
			}
			g.Wait()
		}
	}
}

func must(l []hdf5.Link, err error) []hdf5.Link {
	if err != nil {
		panic(err)
	}
	return l
}

// Every box of a dataset is that part of the whole.
func TestBoxes(t *testing.T) {
	files := fixtures(t)
	for _, name := range []string{"index-earliest.h5", "index-v110.h5", "vds-v110.h5", "external-v108.h5"} {
		f, err := open(files, name)
		check(t, err)
		for _, l := range must(f.Root().Links()) {
			o, err := f.Root().Follow(l)
			if err != nil || o.Kind != hdf5.KindDataset || l.Name == "absent" {
				continue
			}
			d, err := o.Dataset()
			check(t, err)
			whole, err := d.ReadAll()
			check(t, err)
			shape, size := d.Space.Shape, uint64(d.Type.Size)
			for step := uint64(1); step < 4; step++ {
				start, count := make([]uint64, len(shape)), make([]uint64, len(shape))
				n := size
				for i, s := range shape {
					start[i] = min(step, s)
					count[i] = (s - start[i]) / step
					n *= count[i]
				}
				got := make([]byte, n)
				check(t, d.Read(got, start, count))
				index := make([]uint64, len(shape))
				for at := uint64(0); at < n; at += size {
					rest := at / size
					for i := len(index) - 1; i >= 0; i-- {
						index[i] = rest % count[i]
						rest /= count[i]
					}
					off := uint64(0)
					for i := range index {
						off = off*shape[i] + start[i] + index[i]
					}
					if !bytes.Equal(got[at:at+size], whole[off*size:(off+1)*size]) {
						t.Fatalf("%s %s: element %d of box %d+%d", name, l.Name, index, start, count)
					}
				}
			}
		}
		check(t, f.Close())
	}
}
