// Package heights is a small format that shows what a new one takes: this folder, and
// a line in the list of kinds. It reads, is a target of copies with a flag of its own,
// has words for info and a rule for validate. Tests add it to the command.
//
// A file of heights is text: the word "heights", the number of rows and that of
// columns, and the heights in metres.
package heights

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

const name = "heights"

// Describe tells the engine how files are found and opened.
func Describe() *format.Format {
	return &format.Format{Name: name, Title: "a file of heights", File: &format.File{
		Endings: []string{".heights"},
		Starts:  func(head []byte) bool { return bytes.HasPrefix(head, []byte(name)) },
		Open:    open,
	}}
}

// open shows a file as an array of one chunk.
func open(ctx context.Context, s store.Store, key string, _ format.Env) (store.Store, error) {
	text, _, err := s.Get(ctx, key, store.UpTo(1<<20), nil)
	if err != nil {
		return nil, err
	}
	from := strings.NewReader(string(text))
	var rows, columns uint16
	if _, err := fmt.Fscanf(from, name+" %d %d", &rows, &columns); err != nil {
		return nil, fmt.Errorf("no heights: %w", err)
	}
	var chunk []byte
	for n := range int(rows) * int(columns) {
		var v int32
		if _, err := fmt.Fscan(from, &v); err != nil {
			return nil, fmt.Errorf("height %d of %d rows and %d columns: %w", n, rows, columns, err)
		}
		chunk = binary.LittleEndian.AppendUint32(chunk, uint32(v))
	}
	doc := fmt.Appendf(nil, `{"zarr_format": 3, "node_type": "array", "shape": [%d, %d], "data_type": "int32", "fill_value": 0,
		"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [%[1]d, %[2]d]}},
		"chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
		"attributes": {"unit": "m"}}`, rows, columns)
	values := mem.New()
	for key, value := range map[string][]byte{"c/0/0": chunk, "zarr.json": doc} {
		if _, err := values.Put(ctx, key, value, store.PutOptions{}); err != nil {
			return nil, err
		}
	}
	return file{store.ReadOnly(values), store.JoinURL(s.URL(), key)}, nil
}

// file says of its documents what they were made of.
type file struct {
	store.Store
	url string
}

func (f file) URL() string { return f.url }

func (f file) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := f.Store.Get(ctx, key, r, dst)
	info.Format = name
	return out, info, err
}

// Kind is what the command can do with heights.
type Kind struct{ above int }

// Name is that of the format.
func (*Kind) Name() string { return name }

// OpenFlags are none.
func (*Kind) OpenFlags(*flag.FlagSet) {}

// OpenOptions make the engine know the format.
func (*Kind) OpenOptions() []zarr.Option {
	known := std.Registry()
	known.Register(Describe())
	return []zarr.Option{zarr.Formats(known)}
}

// Formats is what copy --to takes.
func (*Kind) Formats() []string { return []string{name} }

// Endings are how names of files end.
func (*Kind) Endings() []string { return Describe().File.Endings }

// FormatFlags adds --above.
func (k *Kind) FormatFlags(flags *flag.FlagSet) {
	flags.IntVar(&k.above, "above", 0, "metres above the sea that heights are counted from")
}

// Format is heights as the flag said.
func (k *Kind) Format(string) (copying.Format, error) { return target{int32(k.above)}, nil }

// target writes heights.
type target struct{ above int32 }

// Name is that of the format.
func (target) Name() string { return name }

// Copy writes an array of two axes as a file, which appears whole.
func (t target) Copy(ctx context.Context, src zarr.Node, to copying.Place, opts copying.Options) (sum copying.Summary, err error) {
	a, ok := src.(*zarr.Array)
	if !ok || to.Store != nil {
		return sum, fmt.Errorf("copy to %s: heights are one array in one file", to.URL)
	}
	if _, err := os.Lstat(to.URL); err == nil && !opts.Overwrite {
		return sum, fmt.Errorf("copy to %s: %w", to.URL, copying.ErrNotEmpty)
	}
	all, err := zarr.Read[int32](ctx, a, zarr.All())
	if err != nil {
		return sum, err
	}
	if len(all.Shape) != 2 {
		return sum, fmt.Errorf("copy to %s: heights have rows and columns, the shape is %v", to.URL, all.Shape)
	}
	text := fmt.Appendf(nil, "%s %d %d\n", name, all.Shape[0], all.Shape[1])
	for i, v := range all.Data {
		end := byte(' ')
		if (i+1)%all.Shape[1] == 0 {
			end = '\n'
		}
		text = append(fmt.Append(text, v-t.above), end)
	}
	half := to.URL + ".part"
	if err := os.WriteFile(half, text, 0o666); err != nil {
		return sum, err
	}
	return sum, os.Rename(half, to.URL)
}

// CodecWords has words for the only list that files have.
func (*Kind) CodecWords(codecs []meta.Extension, word func(meta.Extension) string) (string, bool) {
	if len(codecs) != 1 || codecs[0].Name != "bytes" {
		return "", false
	}
	return "heights, " + word(codecs[0]), true
}

// Rules are one: nothing lies lower than the sea is deep.
func (*Kind) Rules() check.Rules {
	return check.Rules{Format: name, Node: func(ctx context.Context, s store.Store, path string, tell func(rule, problem string)) {
		chunk, _, err := s.Get(ctx, strings.TrimPrefix(path+"/c/0/0", "/"), store.All(), nil)
		for ; err == nil && len(chunk) >= 4; chunk = chunk[4:] {
			if v := int32(binary.LittleEndian.Uint32(chunk)); v < -11_000 {
				tell("height", fmt.Sprintf("%d m lies below the sea", v))
			}
		}
	}}
}
