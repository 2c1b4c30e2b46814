package format_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// grid is a format of its own: text that begins with "grid", the number of rows and
// that of columns, and goes on with the numbers. This file is all that it needs.
func grid() *format.Format {
	return &format.Format{Name: "grid", Title: "a grid of numbers", File: &format.File{
		Endings: []string{".grid"},
		Starts:  func(head []byte) bool { return bytes.HasPrefix(head, []byte("grid ")) },
		Open:    openGrid,
	}}
}

// openGrid shows a grid as an array of one chunk.
func openGrid(ctx context.Context, s store.Store, key string, _ format.Env) (store.Store, error) {
	text, _, err := s.Get(ctx, key, store.UpTo(1<<20), nil)
	if err != nil {
		return nil, err
	}
	from := strings.NewReader(string(text))
	var rows, columns uint16
	if _, err := fmt.Fscanf(from, "grid %d %d", &rows, &columns); err != nil {
		return nil, fmt.Errorf("no grid: %w", err)
	}
	var chunk []byte
	for n := 0; n < int(rows)*int(columns); n++ {
		var v int32
		if _, err := fmt.Fscan(from, &v); err != nil {
			return nil, fmt.Errorf("number %d of %d rows and %d columns: %w", n, rows, columns, err)
		}
		chunk = binary.LittleEndian.AppendUint32(chunk, uint32(v))
	}
	values := mem.New()
	for name, value := range map[string][]byte{"c/0/0": chunk, "zarr.json": fmt.Appendf(nil, `{
		"zarr_format": 3, "node_type": "array", "shape": [%d, %d], "data_type": "int32", "fill_value": 0,
		"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [%[1]d, %[2]d]}},
		"chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]
	}`, rows, columns)} {
		if _, err := values.Put(ctx, name, value, store.PutOptions{}); err != nil {
			return nil, err
		}
	}
	return gridStore{store.ReadOnly(values), store.JoinURL(s.URL(), key)}, nil
}

// gridStore says of its documents what they were made of.
type gridStore struct {
	store.Store
	url string
}

func (s gridStore) URL() string { return s.url }

func (s gridStore) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := s.Store.Get(ctx, key, r, dst)
	info.Format = "grid"
	return out, info, err
}

// A program adds a format of its own to those that come along.
func Example() {
	dir, err := os.MkdirTemp("", "grid")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	formats := std.Registry()
	formats.Register(grid())
	// It is found by its name, and where that says nothing, by its first bytes.
	for _, name := range []string{"heights.grid", "heights.txt"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("grid 2 3\n10 11 12\n20 21 22\n"), 0o666); err != nil {
			panic(err)
		}
		a, err := zarr.OpenArray(ctx, path, zarr.Formats(formats))
		if err != nil {
			panic(err)
		}
		row, err := zarr.Read[int32](ctx, a, zarr.Slice("1, :"))
		if err != nil {
			panic(err)
		}
		fmt.Println(a.Format(), a.Shape(), row.Data)
		if err := a.Close(); err != nil {
			panic(err)
		}
	}
	// Output:
	// grid [2 3] [20 21 22]
	// grid [2 3] [20 21 22]
}
