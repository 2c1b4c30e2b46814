package zarr_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// failure is a call that must fail, and of which kind its error is.
type failure struct {
	call func() error
	kind error
}

// of gives the error of a call that also returns something.
func of[T any](_ T, err error) error { return err }

// first is the first error of an iteration.
func first[T any](s iter.Seq2[T, error]) error {
	for _, err := range s {
		if err != nil {
			return err
		}
	}
	return nil
}

// failures calls everything that the package exports and that returns an error,
// by its name, so that it fails.
func failures(t *testing.T) map[string][]failure {
	dir := t.TempDir()
	s := mem.New()
	spec := zarr.ArraySpec{Shape: []int{4, 6}, DataType: "int16", Chunks: []int{2, 3}}
	g := must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, s, ""))
	a := must[*zarr.Array](t)(g.CreateArray(ctx, "a", spec))
	check(t, zarr.Write(ctx, a, zarr.All(), make([]int16, 24)))
	check(t, zarr.Write(ctx, a, zarr.Slice("0, 0"), []int16{1}))
	small := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "a", zarr.MaxRead(8))).(*zarr.Array)
	locked := store.ReadOnly(s)
	lockedGroup := must[zarr.Node](t)(zarr.OpenStore(ctx, locked, "")).(*zarr.Group)
	lockedArray := must[*zarr.Array](t)(lockedGroup.Array(ctx, "a"))
	full := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "a", zarr.FailMissing())).(*zarr.Array)
	_, err := s.Put(ctx, "odd/zarr.json", []byte(`{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"int8","fill_value":0,
		"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"chunk_key_encoding":{"name":"default"},"codecs":[{"name":"nobody.knows"}]}`), store.PutOptions{})
	check(t, err)
	odd := must[*zarr.Array](t)(g.Array(ctx, "odd"))
	_, err = s.Put(ctx, "half/"+zarr.Unfinished, []byte("x"), store.PutOptions{})
	check(t, err)
	text := filepath.Join(dir, "notes.txt")
	check(t, os.WriteFile(text, []byte("hello, this is text"), 0o666))
	gone, cancel := context.WithCancel(ctx)
	cancel()
	broken := brokenList{s}
	brokenGroup := must[zarr.Node](t)(zarr.OpenStore(ctx, broken, "")).(*zarr.Group)
	brokenArray := must[*zarr.Array](t)(brokenGroup.Array(ctx, "a"))
	unlinked := must[*zarr.Group](t)(zarr.CreateGroup(ctx, filepath.Join(dir, "x.zip")))
	check(t, os.Mkdir(filepath.Join(dir, "x.zip"), 0o777))
	check(t, os.WriteFile(filepath.Join(dir, "x.zip", "in the way"), nil, 0o666))
	nothing := filepath.Join(dir, "nothing")

	return map[string][]failure{
		"Open": {
			{func() error { return of(zarr.Open(ctx, nothing)) }, zarr.ErrNoNode},
			{func() error { return of(zarr.Open(ctx, nothing)) }, fs.ErrNotExist},
			{func() error { return of(zarr.Open(ctx, dir)) }, zarr.ErrNoNode},
			{func() error { return of(zarr.Open(ctx, dir)) }, fs.ErrNotExist},
			{func() error { return of(zarr.Open(ctx, "s3://bucket/x")) }, zarr.ErrScheme},
			{func() error { return of(zarr.Open(ctx, text)) }, zarr.ErrFormat},
			{func() error { return of(zarr.Open(ctx, dir+"|hdf9:")) }, zarr.ErrFormat},
			{func() error { return of(zarr.Open(ctx, "mem:x/../y")) }, zarr.ErrPath},
			{func() error { return of(zarr.Open(ctx, "")) }, nil},
		},
		"OpenArray":    {{func() error { return of(zarr.OpenArray(ctx, nothing)) }, zarr.ErrNoNode}},
		"OpenGroup":    {{func() error { return of(zarr.OpenGroup(ctx, nothing)) }, zarr.ErrNoNode}},
		"Find":         {{func() error { return of(zarr.Find(ctx, nothing)) }, fs.ErrNotExist}},
		"OpenReferred": {{func() error { _, _, err := zarr.OpenReferred(ctx, g, "other"); return err }, nil}},
		"CreateGroup": {
			{func() error { return of(zarr.CreateGroup(ctx, "gopher://x")) }, zarr.ErrScheme},
			{func() error { return of(zarr.CreateGroup(ctx, nothing, zarr.ReadOnly())) }, zarr.ErrReadOnly},
		},
		"CreateArray": {{func() error { return of(zarr.CreateArray(ctx, filepath.Join(text, "a"), spec)) }, zarr.ErrFormat}},
		"OpenStore": {
			{func() error { return of(zarr.OpenStore(ctx, s, "nothing")) }, zarr.ErrNoNode},
			{func() error { return of(zarr.OpenStore(ctx, s, "half")) }, zarr.ErrUnfinished},
			{func() error { return of(zarr.OpenStore(gone, s, "a")) }, context.Canceled},
			{func() error { return of(zarr.OpenStore(ctx, nil, "")) }, nil},
			{func() error { return of(zarr.OpenStore(ctx, s, "a", zarr.MaxDocument(-1))) }, nil},
		},
		"CreateGroupIn": {
			{func() error { return of(zarr.CreateGroupIn(ctx, locked, "new")) }, zarr.ErrReadOnly},
			{func() error { return of(zarr.CreateGroupIn(ctx, nil, "")) }, nil},
		},
		"CreateArrayIn": {
			{func() error { return of(zarr.CreateArrayIn(ctx, nil, "", spec)) }, nil},
			{func() error { return of(zarr.CreateArrayIn(ctx, locked, "new", spec)) }, zarr.ErrReadOnly},
			{func() error { return of(zarr.CreateArrayIn(ctx, s, "a", spec)) }, zarr.ErrExist},
			{func() error { return of(zarr.CreateArrayIn(ctx, s, "a", spec)) }, fs.ErrExist},
			{func() error { return of(zarr.CreateArrayIn(ctx, s, "a/b", spec)) }, zarr.ErrNotGroup},
			{func() error { return of(zarr.CreateArrayIn(ctx, s, "__zarr_b", spec)) }, zarr.ErrPath},
			{func() error {
				return of(zarr.CreateArrayIn(ctx, s, "b", zarr.ArraySpec{Shape: []int{1}, DataType: "int99"}))
			}, zarr.ErrDataType},
			{func() error {
				return of(zarr.CreateArrayIn(ctx, s, "b", zarr.ArraySpec{Shape: []int{1}, DataType: "int8", Codecs: []byte(`["nobody.knows"]`)}))
			}, zarr.ErrCodec},
		},
		"Read": {
			{func() error { return of(zarr.Read[int32](ctx, a, zarr.All())) }, zarr.ErrType},
			{func() error { return of(zarr.Read[int16](ctx, a, zarr.Slice("9"))) }, zarr.ErrRange},
			{func() error { return of(zarr.Read[int16](ctx, a, zarr.Slice("9"))) }, zarr.ErrSelection},
			{func() error { return of(zarr.Read[int16](ctx, a, zarr.Slice("1:x"))) }, zarr.ErrSelection},
			{func() error { return of(zarr.Read[int16](ctx, a, nil)) }, zarr.ErrSelection},
			{func() error { return of(zarr.Read[int16](ctx, small, zarr.All())) }, zarr.ErrTooLarge},
			{func() error { return of(zarr.Read[int8](ctx, odd, zarr.All())) }, zarr.ErrCodec},
			{func() error { return of(zarr.Read[int16](gone, a, zarr.All())) }, context.Canceled},
			{func() error { return of(zarr.Read[int16](ctx, full, zarr.All())) }, zarr.ErrMissing},
		},
		"Resolve": {
			{func() error { return of(zarr.Resolve(zarr.WholeChunks(), []int{4})) }, zarr.ErrSelection},
			{func() error { return of(zarr.Resolve(zarr.Named{"x": zarr.At(0)}, []int{4})) }, zarr.ErrSelection},
			{func() error { return of(zarr.Resolve(zarr.Slice("9"), []int{4})) }, zarr.ErrRange},
		},
		"ReadAs": {
			{func() error { return of(zarr.ReadAs[complex64](ctx, a, zarr.All())) }, zarr.ErrType},
			{func() error { return of(zarr.ReadAs[float32](ctx, small, zarr.All())) }, zarr.ErrTooLarge},
			{func() error { return of(zarr.ReadAs[float64](ctx, odd, zarr.All())) }, zarr.ErrCodec},
			{func() error { return of(zarr.ReadAs[float64](gone, a, zarr.All())) }, context.Canceled},
			{func() error { return of(zarr.ReadAs[float64](ctx, full, zarr.All())) }, zarr.ErrMissing},
		},
		"ParseSlice": {{func() error { return of(zarr.ParseSlice("1:2:3:4")) }, zarr.ErrSelection}},
		"ParseTerms": {{func() error { return of(zarr.ParseTerms("x=1, x=2")) }, zarr.ErrSelection}},
		"Term.Axis":  {{func() error { return of(zarr.Term{Value: "noon"}.Axis()) }, zarr.ErrSelection}},
		"Blocks": {
			{func() error {
				return zarr.Blocks(ctx, a, zarr.BlockOptions{}, func(context.Context, *zarr.Block[int32]) error { return nil })
			}, zarr.ErrType},
			{func() error {
				return zarr.Blocks(ctx, a, zarr.BlockOptions{}, func(context.Context, *zarr.Block[int16]) error { return errDisk })
			}, errDisk},
			{func() error {
				return zarr.Blocks(ctx, a, zarr.BlockOptions{Mode: zarr.UpdateBlocks, Shape: []int{3, 3}}, func(context.Context, *zarr.Block[int16]) error { return nil })
			}, zarr.ErrSelection},
			{func() error {
				return zarr.Blocks(gone, a, zarr.BlockOptions{}, func(context.Context, *zarr.Block[int16]) error { return nil })
			}, context.Canceled},
			{func() error {
				return zarr.Blocks(ctx, lockedArray, zarr.BlockOptions{Mode: zarr.WriteBlocks}, func(context.Context, *zarr.Block[int16]) error { return nil })
			}, zarr.ErrReadOnly},
			{func() error {
				return zarr.Blocks(ctx, small, zarr.BlockOptions{}, func(context.Context, *zarr.Block[int16]) error { return nil })
			}, zarr.ErrTooLarge},
		},
		"BlockViews": {{func() error {
			return zarr.BlockViews(ctx, a, zarr.BlockOptions{Shape: []int{0, 1}}, func(context.Context, []int, nd.View) error { return nil })
		}, zarr.ErrSelection}},
		"BlocksAs": {{func() error {
			return zarr.BlocksAs(ctx, a, zarr.BlockOptions{Mode: zarr.UpdateBlocks}, func(context.Context, *zarr.Block[float64]) error { return nil })
		}, zarr.ErrType}},
		"ReduceBlocks": {{func() error {
			return of(zarr.ReduceBlocks(ctx, odd, zarr.BlockOptions{}, func(context.Context, *zarr.Block[int8]) (int, error) { return 0, nil }, func(x, y int) int { return x }))
		}, zarr.ErrCodec}},
		"MapBlocks": {{func() error {
			return zarr.MapBlocks(ctx, a, odd, zarr.BlockOptions{}, func(context.Context, *zarr.Block[int16], []int8) error { return nil })
		}, zarr.ErrSelection}},
		"ReadSliceAs": {{func() error { return zarr.ReadSliceAs(ctx, a, zarr.All(), make([]float64, 3)) }, zarr.ErrSelection}},
		"ReadSlice": {
			{func() error { return zarr.ReadSlice(ctx, a, zarr.All(), make([]int16, 3)) }, zarr.ErrSelection},
			{func() error { return zarr.ReadSlice(gone, a, zarr.All(), make([]int16, 24)) }, context.Canceled},
		},
		"Write": {
			{func() error { return zarr.Write(ctx, a, zarr.All(), make([]string, 24)) }, zarr.ErrType},
			{func() error { return zarr.Write(ctx, lockedArray, zarr.All(), make([]int16, 24)) }, zarr.ErrReadOnly},
			{func() error { return zarr.Write(gone, a, zarr.Slice("0"), make([]int16, 6)) }, context.Canceled},
		},
		"Append": {
			{func() error { return zarr.Append(ctx, a, 5, make([]int16, 6)) }, zarr.ErrRange},
			{func() error { return zarr.Append(ctx, a, 0, make([]int16, 5)) }, zarr.ErrSelection},
			{func() error { return zarr.Append(ctx, a, 0, make([]int8, 6)) }, zarr.ErrType},
		},
		"Chunks": {
			{func() error { return first(zarr.Chunks[int8](ctx, a)) }, zarr.ErrType},
			{func() error { return first(zarr.Chunks[int16](gone, a)) }, context.Canceled},
		},
		"Array.SetAttributes": {{func() error { return lockedArray.SetAttributes(ctx, nil) }, zarr.ErrReadOnly}},
		"Array.Refresh":       {{func() error { return a.Refresh(gone) }, context.Canceled}},
		"Array.Stored":        {{func() error { return first(brokenArray.Stored(ctx)) }, errDisk}},
		"Array.CopyChunk": {
			{func() error { return of(a.CopyChunk(ctx, a, 7, 7)) }, zarr.ErrRange},
			{func() error { return of(lockedArray.CopyChunk(ctx, a, 0, 0)) }, zarr.ErrReadOnly},
		},
		"Array.DeleteChunk": {
			{func() error { return a.DeleteChunk(ctx, 7, 7) }, zarr.ErrRange},
			{func() error { return lockedArray.DeleteChunk(ctx, 0, 0) }, zarr.ErrReadOnly},
		},
		"Array.RawChunk": {
			{func() error { return of(a.RawChunk(ctx, 1)) }, zarr.ErrRange},
			{func() error { return of(a.RawChunk(ctx, 1, 1000)) }, zarr.ErrRange},
			{func() error { return of(a.RawChunk(ctx, -1, 0)) }, zarr.ErrRange},
			{func() error { return of(a.RawChunk(ctx, 1, 1)) }, fs.ErrNotExist},
		},
		"Array.Inner": {
			{func() error { return of(a.Inner(ctx, 7, 7)) }, zarr.ErrRange},
			{func() error { return of(a.Inner(ctx, 0, 0)) }, errors.ErrUnsupported},
		},
		"Array.CheckChunk": {{func() error {
			return a.CheckChunk(ctx, zarr.ChunkInfo{Key: "a/c/1/1", Box: nd.Box{Start: []int{2, 3}, Shape: []int{2, 3}}})
		}, zarr.ErrMissing}},
		"Array.Codec": {{func() error { return of(odd.Codec()) }, zarr.ErrCodec}},
		"Array.Make": {
			{func() error { return of(small.Make(100)) }, zarr.ErrTooLarge},
			{func() error { return of(a.Make(2, -1)) }, zarr.ErrRange},
		},
		"Array.ReadInto": {
			{func() error { return a.ReadInto(ctx, zarr.All(), nd.Make(2, 3)) }, zarr.ErrSelection},
			{func() error { return a.ReadInto(ctx, zarr.All(), nd.Make(4, 4, 6)) }, zarr.ErrType},
			{func() error { return a.ReadInto(gone, zarr.All(), nd.Make(2, 4, 6)) }, context.Canceled},
		},
		"Array.WriteChunk": {
			{func() error { return a.WriteChunk(ctx, []int{7, 7}, []int{1, 1}, nil) }, zarr.ErrRange},
			{func() error { return a.WriteChunk(ctx, []int{0, 0}, []int{1, 1}, nil) }, errors.ErrUnsupported},
		},
		"Array.WriteFrom":   {{func() error { return lockedArray.WriteFrom(ctx, zarr.All(), nd.Make(2, 4, 6)) }, zarr.ErrReadOnly}},
		"Array.ResultShape": {{func() error { return of(a.ResultShape(zarr.Points([]int{9}, []int{0}))) }, zarr.ErrRange}},
		"Array.Stream": {
			{func() error { return first(a.Stream(ctx, zarr.Select(zarr.Full(), zarr.Full(), zarr.Full()), 9)) }, zarr.ErrSelection},
			{func() error { return first(a.Stream(gone, zarr.All(), 9)) }, context.Canceled},
		},
		"Array.Grow": {
			{func() error { return a.Grow(ctx, -1, 2) }, zarr.ErrRange},
			{func() error { return a.Grow(ctx, 0, 0) }, zarr.ErrRange},
			{func() error { return lockedArray.Grow(ctx, 9, 9) }, zarr.ErrReadOnly},
		},
		"Array.UpdateAttributes": {
			{func() error { return lockedArray.UpdateAttributes(ctx, func(*meta.Attributes) error { return nil }) }, zarr.ErrReadOnly},
		},
		"Group.UpdateAttributes": {
			{func() error { return lockedGroup.UpdateAttributes(ctx, func(*meta.Attributes) error { return nil }) }, zarr.ErrReadOnly},
		},
		"Array.Resize": {
			{func() error { return a.Resize(ctx, -1, 2) }, zarr.ErrRange},
			{func() error { return lockedArray.Resize(ctx, 9, 9) }, zarr.ErrReadOnly},
		},
		"node.Close": {{func() error { return unlinked.Close() }, nil}},
		"Group.Open": {{func() error { return of(g.Open(ctx, "nothing")) }, zarr.ErrNoNode}},
		"Group.Array": {
			{func() error { return of(lockedGroup.Array(ctx, "nothing")) }, zarr.ErrNoNode},
			{func() error { return of(g.Array(ctx, "")) }, zarr.ErrNotArray},
		},
		"Group.Group":        {{func() error { return of(g.Group(ctx, "a")) }, zarr.ErrNotGroup}},
		"Group.CreateArray":  {{func() error { return of(g.CreateArray(ctx, "a", spec)) }, zarr.ErrExist}},
		"Group.RequireGroup": {{func() error { return of(g.RequireGroup(ctx, "a")) }, zarr.ErrNotGroup}},
		"Remove":             {{func() error { return zarr.Remove(ctx, lockedArray) }, zarr.ErrReadOnly}},
		"Make":               {{func() error { return of(zarr.Make(ctx, "none://x", false)) }, zarr.ErrScheme}, {func() error { return of(zarr.Make(ctx, "mem:x", false, zarr.As("nothing"))) }, nil}},
		"Replace": {
			{func() error { return zarr.Replace(ctx, nil, "a", nil) }, nil},
			{func() error { return zarr.Replace(ctx, store.ReadOnly(g.Store()), "a", nil) }, zarr.ErrReadOnly},
			{func() error { return zarr.Replace(ctx, g.Store(), "a", func() error { return errDisk }) }, errDisk},
			{func() error { return zarr.Replace(ctx, brokenList{mem.New()}, "a", nil) }, errDisk},
		},
		"RequireGroup":        {{func() error { return of(zarr.RequireGroup(ctx, "none://x")) }, zarr.ErrScheme}},
		"Group.CreateGroup":   {{func() error { return of(g.CreateGroup(ctx, "a/b")) }, zarr.ErrNotGroup}},
		"Group.Delete":        {{func() error { return g.Delete(ctx, "nothing") }, zarr.ErrNoNode}, {func() error { return g.Delete(ctx, "") }, zarr.ErrPath}},
		"node.Parent":         {{func() error { return of(g.Parent(ctx)) }, zarr.ErrNoNode}},
		"Group.SetAttributes": {{func() error { return lockedGroup.SetAttributes(ctx, nil) }, zarr.ErrReadOnly}},
		"Group.Consolidate":   {{func() error { return lockedGroup.Consolidate(ctx) }, zarr.ErrReadOnly}},
		"Group.Children":      {{func() error { return first(brokenGroup.Children(ctx)) }, errDisk}},
		"Group.Walk":          {{func() error { return first(brokenGroup.Walk(ctx)) }, errDisk}},
	}
}

// brokenList is a store that cannot be listed.
type brokenList struct{ *mem.Store }

func (b brokenList) List(_ context.Context, prefix, _ string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		yield(store.Entry{}, store.WrapError("list", b.URL(), prefix, errDisk))
	}
}

func TestEveryErrorIsOneOfThePackageAndOfAKind(t *testing.T) {
	all := failures(t)
	for name, calls := range all {
		for i, c := range calls {
			err := c.call()
			known, ok := err.(*zarr.Error)
			switch {
			case err == nil:
				t.Errorf("%s, call %d: no error", name, i)
			case !ok:
				t.Errorf("%s, call %d: %T: %v", name, i, err, err)
			case c.kind != nil && !errors.Is(err, c.kind):
				t.Errorf("%s, call %d: %v: not %v", name, i, err, c.kind)
			case known.Op == "" || known.URL == "" || strings.Contains(err.Error(), "\n"):
				t.Errorf("%s, call %d: %q", name, i, err)
			case strings.Count(err.Error(), known.URL) > 1 && len(known.URL) > 10:
				t.Errorf("%s, call %d: %q names %s twice", name, i, err, known.URL)
			}
		}
	}
	for _, fn := range fallible(t) {
		if name := nameOf(fn); len(all[name]) == 0 {
			t.Errorf("%s can fail and has no case here", name)
		}
	}
}

// A context that has ended is an error of the package too, that says so.
func TestEndedContextsAreErrorsOfThePackage(t *testing.T) {
	gone, cancel := context.WithCancel(ctx)
	cancel()
	spec := zarr.ArraySpec{Shape: []int{4, 6}, DataType: "int16", Chunks: []int{2, 3}}
	dir := t.TempDir()
	g := must[*zarr.Group](t)(zarr.CreateGroup(ctx, filepath.Join(dir, "g")))
	defer g.Close()
	a := must[*zarr.Array](t)(g.CreateArray(ctx, "a", spec))
	check(t, zarr.Write(ctx, a, zarr.All(), make([]int16, 24)))
	check(t, zarr.Write(ctx, a, zarr.Slice("0, 0"), []int16{1}))
	b := must[*zarr.Array](t)(g.CreateArray(ctx, "b", spec))
	doomed := must[*zarr.Array](t)(g.CreateArray(ctx, "doomed", spec))
	s := g.Store()
	url, fresh := filepath.Join(dir, "g", "a"), filepath.Join(dir, "fresh")
	var info zarr.ChunkInfo
	for info = range a.Grid() {
		break
	}
	v := must[nd.View](t)(a.Make(4, 6))
	block := func(context.Context, *zarr.Block[int16]) error { return nil }
	calls := map[string]func() error{
		"Open":          func() error { return of(zarr.Open(gone, url)) },
		"OpenArray":     func() error { return of(zarr.OpenArray(gone, url)) },
		"OpenGroup":     func() error { return of(zarr.OpenGroup(gone, filepath.Join(dir, "g"))) },
		"OpenStore":     func() error { return of(zarr.OpenStore(gone, s, "a")) },
		"OpenReferred":  func() error { _, _, err := zarr.OpenReferred(gone, g, "./a"); return err },
		"Find":          nil, // it may look at no more than the names of folders
		"Make":          nil, // likewise
		"CreateGroup":   func() error { return of(zarr.CreateGroup(gone, fresh)) },
		"CreateArray":   func() error { return of(zarr.CreateArray(gone, fresh, spec)) },
		"RequireGroup":  func() error { return of(zarr.RequireGroup(gone, fresh)) },
		"CreateGroupIn": func() error { return of(zarr.CreateGroupIn(gone, s, "new")) },
		"CreateArrayIn": func() error { return of(zarr.CreateArrayIn(gone, s, "new", spec)) },
		"Remove":        func() error { return zarr.Remove(gone, doomed) },
		"Replace":       func() error { return zarr.Replace(gone, g.Store(), "a", nil) },
		"Read":          func() error { return of(zarr.Read[int16](gone, a, zarr.All())) },
		"ReadAs":        func() error { return of(zarr.ReadAs[float32](gone, a, zarr.All())) },
		"ReadSlice":     func() error { return zarr.ReadSlice(gone, a, zarr.All(), make([]int16, 24)) },
		"ReadSliceAs":   func() error { return zarr.ReadSliceAs(gone, a, zarr.All(), make([]float32, 24)) },
		"Write":         func() error { return zarr.Write(gone, a, zarr.All(), make([]int16, 24)) },
		"Append":        func() error { return zarr.Append(gone, a, 0, make([]int16, 6)) },
		"Blocks":        func() error { return zarr.Blocks(gone, a, zarr.BlockOptions{}, block) },
		"BlockViews": func() error {
			return zarr.BlockViews(gone, a, zarr.BlockOptions{}, func(context.Context, []int, nd.View) error { return nil })
		},
		"BlocksAs": func() error { return zarr.BlocksAs(gone, a, zarr.BlockOptions{}, block) },
		"ReduceBlocks": func() error {
			return of(zarr.ReduceBlocks(gone, a, zarr.BlockOptions{}, func(context.Context, *zarr.Block[int16]) (int, error) { return 0, nil }, func(x, y int) int { return x }))
		},
		"MapBlocks": func() error {
			return zarr.MapBlocks(gone, b, a, zarr.BlockOptions{}, func(context.Context, *zarr.Block[int16], []int16) error { return nil })
		},
		"Chunks":                 func() error { return first(zarr.Chunks[int16](gone, a)) },
		"Array.SetAttributes":    func() error { return a.SetAttributes(gone, nil) },
		"Array.Refresh":          func() error { return a.Refresh(gone) },
		"Array.Stored":           func() error { return first(a.Stored(gone)) },
		"Array.CopyChunk":        func() error { return of(a.CopyChunk(gone, a, 0, 0)) },
		"Array.DeleteChunk":      func() error { return a.DeleteChunk(gone, 0, 0) },
		"Array.RawChunk":         func() error { return of(a.RawChunk(gone, 0, 0)) },
		"Array.Inner":            func() error { return of(a.Inner(gone, 0, 0)) },
		"Array.CheckChunk":       func() error { return a.CheckChunk(gone, info) },
		"Array.ReadInto":         func() error { return a.ReadInto(gone, zarr.All(), v) },
		"Array.WriteChunk":       func() error { return a.WriteChunk(gone, []int{0, 0}, []int{1, 1}, nil) },
		"Array.WriteFrom":        func() error { return a.WriteFrom(gone, zarr.All(), v) },
		"Array.Stream":           func() error { return first(a.Stream(gone, zarr.All(), 9)) },
		"Array.Grow":             func() error { return a.Grow(gone, 9, 9) },
		"Array.Resize":           func() error { return a.Resize(gone, 9, 9) },
		"Array.UpdateAttributes": func() error { return a.UpdateAttributes(gone, func(*meta.Attributes) error { return nil }) },
		"Group.UpdateAttributes": func() error { return g.UpdateAttributes(gone, func(*meta.Attributes) error { return nil }) },
		"Group.Open":             func() error { return of(g.Open(gone, "a")) },
		"Group.Array":            func() error { return of(g.Array(gone, "a")) },
		"Group.Group":            func() error { return of(g.Group(gone, "none")) },
		"Group.CreateArray":      func() error { return of(g.CreateArray(gone, "new", spec)) },
		"Group.CreateGroup":      func() error { return of(g.CreateGroup(gone, "new")) },
		"Group.RequireGroup":     func() error { return of(g.RequireGroup(gone, "new")) },
		"Group.Delete":           func() error { return g.Delete(gone, "doomed") },
		"node.Parent":            func() error { return of(a.Parent(gone)) },
		"Group.SetAttributes":    func() error { return g.SetAttributes(gone, nil) },
		"Group.Consolidate":      func() error { return g.Consolidate(gone) },
		"Group.Children":         func() error { return first(g.Children(gone)) },
		"Group.Walk":             func() error { return first(g.Walk(gone)) },
	}
	for name, call := range calls {
		if call == nil {
			continue
		}
		err := call()
		known, ok := err.(*zarr.Error)
		if !ok || known.Op == "" || known.URL == "" || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %T: %v", name, err, err)
		}
	}
	for _, fn := range fallible(t) {
		if _, ok := calls[nameOf(fn)]; !ok && takesContext(fn) {
			t.Errorf("%s takes a context and has no case here", nameOf(fn))
		}
	}
}

// takesContext reports whether the first parameter of a function is a context.
func takesContext(fn *ast.FuncDecl) bool {
	if len(fn.Type.Params.List) == 0 {
		return false
	}
	x, ok := fn.Type.Params.List[0].Type.(*ast.SelectorExpr)
	return ok && x.Sel.Name == "Context"
}

// nameOf is how a function is called here: "Function" or "Type.Method".
func nameOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	return receiver(fn) + "." + fn.Name.Name
}

// fallible lists the exported functions and methods of the package that return
// errors.
func fallible(t *testing.T) []*ast.FuncDecl {
	var out []*ast.FuncDecl
	files := must[[]string](t)(filepath.Glob("*.go"))
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f := must[*ast.File](t)(parser.ParseFile(token.NewFileSet(), name, nil, 0))
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || !returnsError(fn) {
				continue
			}
			if fn.Recv == nil {
				out = append(out, fn)
			} else if r := receiver(fn); r != "Error" && (ast.IsExported(r) || r == "node") {
				out = append(out, fn)
			}
		}
	}
	return out
}

func receiver(fn *ast.FuncDecl) string {
	x := fn.Recv.List[0].Type
	if p, ok := x.(*ast.StarExpr); ok {
		x = p.X
	}
	if id, ok := x.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// returnsError reports whether a result of a function is an error, or an iterator
// over some.
func returnsError(fn *ast.FuncDecl) bool {
	found := false
	if fn.Type.Results != nil {
		ast.Inspect(fn.Type.Results, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && id.Name == "error"
			return true
		})
	}
	return found
}

// What is not there is told by the documents of the formats that were wanted.
func TestNoNodeNamesTheDocumentsThatWereWanted(t *testing.T) {
	dir := t.TempDir()
	s := mem.New()
	g := must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, s, ""))
	check(t, g.Consolidate(ctx))
	for as, want := range map[string]string{
		"":      "(no zarr.json, .zarray, .zgroup or attributes.json)",
		"zarr3": "(no zarr.json)", "zarr2": "(no .zarray or .zgroup)",
	} {
		_, err := zarr.Open(ctx, dir, zarr.As(as))
		wantError(t, err, want)
		_, err = zarr.OpenStore(ctx, s, "x", zarr.As(as))
		wantError(t, err, want)
	}
	opened := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "", zarr.As("zarr3"))).(*zarr.Group)
	if _, err := opened.Open(ctx, "x"); !errors.Is(err, zarr.ErrNoNode) || !opened.Consolidated() || !strings.HasSuffix(err.Error(), "(no zarr.json)") {
		t.Error(err)
	}
}

// Files of any format that are damaged say so by their kind.
func TestBrokenFilesAreDamage(t *testing.T) {
	npy := must[[]byte](t)(os.ReadFile("format/npy/testdata/uint16.npy"))
	h5 := must[[]byte](t)(os.ReadFile("format/hdf5/testdata/lzf.h5"))
	tiff := []byte("II*\x00\x08\x00\x00\x00\xff\xff\x00\x00")
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"short.npy": npy[:9], "header.npy": bytes.Replace(npy, []byte("descr"), []byte("dexcr"), 1),
		"short.h5": h5[:60], "header.h5": append(bytes.Clone(h5[:96]), make([]byte, len(h5)-96)...),
		"short.tif": tiff[:6], "nothing.tif": append(bytes.Clone(tiff[:4]), 0, 0, 0, 0), "directory.tif": tiff,
		"short.zip": []byte("PK\x03\x04 and no more"), "ends.nwb": h5[:len(h5)/2],
		"refs.json": []byte(`{"version":1,"refs":{"x":["y",`),
	} {
		path := filepath.Join(dir, name)
		check(t, os.WriteFile(path, data, 0o666))
		n, err := zarr.Open(ctx, path)
		if err == nil {
			for _, walkErr := range n.(*zarr.Group).Walk(ctx) {
				err = cmp.Or(err, walkErr)
			}
			check(t, n.Close())
		}
		var known *zarr.Error
		if !errors.As(err, &known) || !errors.Is(err, zarr.ErrData) || strings.Contains(err.Error(), "bad data") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A file of another format is no damage, nor is one that is not there.
	path := filepath.Join(dir, "old.nc")
	check(t, os.WriteFile(path, []byte("CDF\x01 and what is behind it"), 0o666))
	if _, err := zarr.Open(ctx, path); !errors.Is(err, zarr.ErrFormat) || errors.Is(err, zarr.ErrData) {
		t.Error(err)
	}
	if _, err := zarr.Open(ctx, filepath.Join(dir, "none.tif")); !errors.Is(err, zarr.ErrNoNode) || errors.Is(err, zarr.ErrData) {
		t.Error(err)
	}
}
