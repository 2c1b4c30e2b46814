package format_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// tape is a format of folders: tape.txt has the number of samples and how many are in
// one piece, and the files 0, 1, … beside it have a byte for each.
func tape() *format.Format {
	return &format.Format{Name: "tape", Title: "a tape of samples", Folder: &format.Folder{
		Endings:   []string{".tape"},
		Documents: translate.Names{Nodes: []string{"tape.txt"}},
		Mixed:     true, // tape.txt alone tells that a folder is one
		Nodes:     func(s store.Store, env format.Env) translate.Documents { return tapes{s, env} },
	}}
}

// tapes reads the documents; pieces are chunks as they are.
type tapes struct {
	store store.Store
	env   format.Env
}

func (tapes) Format() string { return "tape" }

func (t tapes) Node(ctx context.Context, at string, _ bool) (meta.Node, store.Info, error) {
	text, info, err := t.store.Get(ctx, path.Join(at, "tape.txt"), store.UpTo(100), nil)
	if err != nil {
		return nil, info, err
	}
	var samples, piece uint32
	if _, err := fmt.Sscan(string(text), &samples, &piece); err != nil {
		return nil, info, fmt.Errorf("tape.txt: %w", err)
	}
	n, err := meta.Parse(fmt.Appendf(nil, `{
		"zarr_format": 3, "node_type": "array", "shape": [%d], "data_type": "uint8", "fill_value": 0,
		"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [%d]}},
		"chunk_key_encoding": {"name": "v2"}, "codecs": ["bytes"]
	}`, samples, piece), t.env.Metadata)
	return n, info, err
}

func (tapes) PutNode(context.Context, string, meta.Node, store.PutOptions) error {
	return store.ErrReadOnly
}

func (tapes) Keys() json.RawMessage { return nil }

func (tapes) Adapt(*meta.Array) error { return store.ErrReadOnly }

// A format of folders says what the documents of its nodes mean; chunks are read from
// the store as they are.
func Example_folder() {
	ctx := context.Background()
	s := mem.New()
	for key, value := range map[string]string{"left/tape.txt": "5 3", "left/0": "abc", "left/1": "de\x00"} {
		if _, err := s.Put(ctx, key, []byte(value), store.PutOptions{}); err != nil {
			panic(err)
		}
	}
	formats := std.Registry()
	formats.Register(tape())
	n, err := zarr.OpenStore(ctx, s, "left", zarr.Formats(formats))
	if err != nil {
		panic(err)
	}
	a := n.(*zarr.Array)
	part, err := zarr.Read[uint8](ctx, a, zarr.Slice("1:"))
	if err != nil {
		panic(err)
	}
	fmt.Println(a.Format(), a.Shape(), string(part.Data))
	// Output: tape [5] bcde
}
