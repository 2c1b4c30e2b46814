package file

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/omnizarr/zarr/store"
)

// told notes what files hear of the room that they will need.
type told struct {
	backend
	sizes []string
}

func (b *told) folder(dir string) (folder, error) {
	d, err := b.backend.folder(dir)
	return toldFolder{d, b}, err
}

type toldFolder struct {
	folder
	b *told
}

func (d toldFolder) create(name string) (sink, error) {
	f, err := d.folder.create(name)
	return &toldSink{sink: f, b: d.b}, err
}

type toldSink struct {
	sink
	b       *told
	written bool
}

func (f *toldSink) reserve(size int64) {
	if f.written {
		f.b.sizes = append(f.b.sizes, "late")
	}
	f.b.sizes = append(f.b.sizes, fmt.Sprint(size))
	f.sink.reserve(size)
}

func (f *toldSink) Write(p []byte) (int, error) {
	f.written = true
	return f.sink.Write(p)
}

// Room is asked for once, before a large file is written, and not for one that takes the place
// of another: ext4 would not hurry to have that on the disk.
func TestRoomIsReservedForNewFiles(t *testing.T) {
	for _, portable := range []bool{false, true} {
		s, err := Open(t.TempDir(), Options{portable: portable})
		if err != nil {
			t.Fatal(err)
		}
		b := &told{backend: s.b}
		s.b = b
		ctx := context.Background()
		large, half := bytes.Repeat([]byte("12345678"), reserveFrom/8), reserveFrom/2
		put := func(key string, data []byte) error {
			_, err := s.Put(ctx, key, data, store.PutOptions{})
			return err
		}
		filled := func(key string, data []byte) error {
			_, err := s.PutFilled(ctx, key, int64(len(data)), func(w io.Writer) error {
				for piece := range slices.Chunk(data, 64<<10) {
					if _, err := w.Write(piece); err != nil {
						return err
					}
				}
				return nil
			}, store.PutOptions{})
			return err
		}
		from := func(key string, data []byte) error {
			_, err := s.PutFrom(ctx, key, bytes.NewReader(data), int64(len(data)))
			return err
		}
		unknown := func(key string, data []byte) error {
			_, err := s.PutFrom(ctx, key, bytes.NewReader(data), -1)
			return err
		}
		for _, c := range []struct {
			key  string
			put  func(string, []byte) error
			data []byte
			want []string
		}{
			{"a/put", put, large, []string{"262144"}},
			{"a/filled", filled, large, []string{"262144"}},
			{"a/from", from, large, []string{"262144"}},
			{"a/put", put, large[:len(large)-1], nil},
			{"a/put", put, large, nil},
			{"a/filled", filled, large, nil},
			{"a/from", from, large, nil},
			{"a/small", put, large[:half], nil},
			{"a/unknown", unknown, large, nil},
		} {
			b.sizes = nil
			if err := c.put(c.key, c.data); err != nil {
				t.Fatal(err)
			}
			got, info, err := s.Get(ctx, c.key, store.All(), nil)
			if err != nil || !bytes.Equal(got, c.data) || info.Size != int64(len(c.data)) {
				t.Errorf("%s: %d bytes of %d, %v", c.key, info.Size, len(c.data), err)
			}
			if !slices.Equal(b.sizes, c.want) {
				t.Errorf("%s: reserved %v instead of %v", c.key, b.sizes, c.want)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Who announces more than any disk has takes no more of it than is bounded before bytes come.
func TestLittleRoomIsReservedForWhatIsAnnounced(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b := &told{backend: s.b}
	s.b = b
	if _, err := s.PutFrom(context.Background(), "a", bytes.NewReader(make([]byte, 10)), 1<<50); err == nil {
		t.Error("10 bytes are 2^50")
	}
	if !slices.Equal(b.sizes, []string{"67108864"}) {
		t.Errorf("reserved %v", b.sizes)
	}
}
