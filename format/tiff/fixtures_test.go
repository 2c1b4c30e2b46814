package tiff_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/format/tiff"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// archive reads all files of an archive in testdata.
func archive(t testing.TB, name string) map[string][]byte {
	t.Helper()
	once, _ := archives.LoadOrStore(name, sync.OnceValues(func() (map[string][]byte, error) { return unpack(name) }))
	files, err := once.(func() (map[string][]byte, error))()
	check(t, err)
	return files
}

// archives has what was unpacked, since many tests want it; nobody changes it.
var archives sync.Map

func unpack(name string) (map[string][]byte, error) {
	r, err := zip.OpenReader(filepath.Join("testdata", name))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out := map[string][]byte{}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			return nil, err
		}
		if out[f.Name], err = io.ReadAll(in); err != nil {
			return nil, err
		}
		in.Close()
	}
	return out, nil
}

// fixture says what libtiff 4.5.0 and tifffile 2026.10.15 see in a file. The files
// are by libtiff, tifffile and GDAL.
type fixture struct {
	File   string
	Series []struct {
		Name, Kind, Axes string
		Levels           []struct {
			Shape         []int
			DType, SHA256 string
		}
	}
	IFDs []struct {
		Path    string
		Shape   []int
		Chunk   []int
		SHA256  string // of the pixels by libtiff, "" where it gives none
		Missing int    // chunks that are not stored
	}
}

func fixtures(t testing.TB) ([]fixture, map[string][]byte) {
	t.Helper()
	files := archive(t, "files.zip")
	var index []fixture
	check(t, json.Unmarshal(files["index.json"], &index))
	return index, files
}

// open opens a file as a store.
func open(t testing.TB, name string, data []byte) *tiff.Store {
	t.Helper()
	f, err := tiff.Open(ctx, holding(t, name, data), name)
	check(t, err)
	t.Cleanup(func() { f.Close() })
	return f.Store()
}

func holding(t testing.TB, name string, data []byte) store.Store {
	t.Helper()
	s := mem.New()
	_, err := s.Put(ctx, name, data, store.PutOptions{})
	check(t, err)
	return s
}

// pixels reads an array whole, as C-ordered memory.
func pixels(t testing.TB, a *zarr.Array) nd.View {
	t.Helper()
	v := nd.Make(a.DataType().Size(), a.Shape()...)
	check(t, a.ReadInto(ctx, zarr.All(), v))
	return v
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

func TestEveryDirectoryHasThePixelsOfLibtiff(t *testing.T) {
	index, files := fixtures(t)
	n, compared := 0, 0
	for i, f := range index {
		if i%thorough.Least(4, 1, 1) != 0 {
			continue
		}
		s := open(t, f.File, files[f.File])
		for _, d := range f.IFDs {
			n++
			node, err := zarr.OpenStore(ctx, s, "ifd/"+d.Path)
			if err != nil {
				t.Errorf("%s: %v", f.File, err)
				continue
			}
			a := node.(*zarr.Array)
			if !slices.Equal(a.Shape(), d.Shape) || !slices.Equal(a.ChunkShape()[1:], d.Chunk) || a.Format() != "tiff" {
				t.Errorf("%s, IFD %s: shape %v, chunks %v, format %s", f.File, d.Path, a.Shape(), a.ChunkShape(), a.Format())
			}
			missing := 0
			for c := range a.Grid() {
				if _, err := a.RawChunk(ctx, c.Index...); err != nil {
					missing++
				}
			}
			if missing != d.Missing {
				t.Errorf("%s, IFD %s: %d chunks are missing, want %d", f.File, d.Path, missing, d.Missing)
			}
			if v := pixels(t, a); d.SHA256 != "" {
				compared++
				if sum(v.Data) != d.SHA256 {
					t.Errorf("%s, IFD %s: other pixels", f.File, d.Path)
				}
			}
		}
	}
	if thorough.Least(compared == 0, n != 211 || compared != 208, n != 211 || compared != 208) {
		t.Errorf("%d directories, %d with pixels to compare with", n, compared)
	}
}

func TestSeriesAreThoseOfTifffile(t *testing.T) {
	index, files := fixtures(t)
	for i, f := range index {
		if i%thorough.Least(4, 1, 1) != 0 {
			continue
		}
		s := open(t, f.File, files[f.File])
		for i, want := range f.Series {
			base := ""
			if len(f.Series) > 1 {
				base = string(rune('0' + i))
			}
			for j, l := range want.Levels {
				path := base
				if len(want.Levels) > 1 {
					path = strings.Trim(base+"/"+string(rune('0'+j)), "/")
				}
				node, err := zarr.OpenStore(ctx, s, path)
				if err != nil {
					t.Errorf("%s: %v", f.File, err)
					continue
				}
				a, ok := node.(*zarr.Array)
				if !ok {
					t.Errorf("%s: %q is no array", f.File, path)
					continue
				}
				v := pixels(t, a)
				got := strings.ToUpper(strings.Join(a.DimensionNames(), ""))
				if at := strings.IndexByte(got, 'S'); at >= 0 && strings.HasSuffix(want.Axes, "S") {
					// Samples stand before rows here, and last there.
					order := append(slices.Delete(numbers(len(v.Shape)), at, at+1), at)
					got = got[:at] + got[at+1:] + "S"
					v = v.Permute(order)
				}
				out := nd.Make(v.Size, v.Shape...)
				nd.Copy(out, v)
				if got != want.Axes || !slices.Equal(v.Shape, l.Shape) {
					t.Errorf("%s, %q: axes %s and shape %v, tifffile has %s and %v", f.File, path, got, v.Shape, want.Axes, l.Shape)
				}
				if l.DType != "" && a.DataType().Name() != l.DType {
					t.Errorf("%s, %q: type %s, tifffile has %s", f.File, path, a.DataType().Name(), l.DType)
				}
				if l.SHA256 != "" && sum(out.Data) != l.SHA256 {
					t.Errorf("%s, %q: other pixels than tifffile", f.File, path)
				}
			}
		}
		_, err := zarr.OpenStore(ctx, s, string(rune('0'+max(len(f.Series), len(f.Series[0].Levels)))))
		if err == nil {
			t.Errorf("%s: there are more images or levels than tifffile has", f.File)
		}
	}
}

func numbers(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func TestListingsHoldWhatCanBeRead(t *testing.T) {
	index, files := fixtures(t)
	n := 0
	for _, f := range index {
		s := open(t, f.File, files[f.File])
		for _, prefix := range []string{"", "ifd/"} {
			last := ""
			for e, err := range s.List(ctx, prefix, "") {
				check(t, err)
				if e.Key <= last {
					t.Errorf("%s: %q follows %q", f.File, e.Key, last)
				}
				last = e.Key
				b, info, err := s.Get(ctx, e.Key, store.All(), nil)
				if err != nil || e.Size >= 0 && e.Size != int64(len(b)) || info.Size != int64(len(b)) {
					t.Errorf("%s: %q has %d bytes, %d in the listing, %v", f.File, e.Key, len(b), e.Size, err)
				}
				if n++; n%thorough.Step(3) != 0 {
					continue
				}
				part, _, err := s.Get(ctx, e.Key, store.Part(1, int64(len(b))-1), []byte("x"))
				if err != nil || part[0] != 'x' || !bytes.Equal(part[1:], b[1:]) {
					t.Errorf("%s: %q: a part differs, %v", f.File, e.Key, err)
				}
			}
			if last == "" {
				t.Errorf("%s: nothing below %q", f.File, prefix)
			}
		}
	}
}

func TestPyramidsTellTheirScale(t *testing.T) {
	_, files := fixtures(t)
	for name, want := range map[string]string{
		"cog_deflate.tif":  `[meter meter] [1 20 20] [1 40 40] [1 80 80.48780487804878]`,
		"ome_pyr.ome.tif":  `[ ] [1 1 1] [1 2 2] [1 4 4]`,
		"subifd_pyr.tif":   `[ ] [1 1 1] [1 2 2] [1 4 4]`,
		"cog_zstd_big.tif": `[meter meter] [20.689655172413794 21.29032258064516] [41.37931034482759 42.58064516129032] [83.33333333333333 85.71428571428571]`,
	} {
		n, err := zarr.OpenStore(ctx, open(t, name, files[name]), "")
		check(t, err)
		images, err := ngff.Parse(n.Attributes().Raw("ome"))
		check(t, err)
		var units []string
		got := ""
		for _, a := range images[0].Axes {
			if a.Type == "space" {
				units = append(units, a.Unit)
			}
		}
		for _, l := range images[0].Levels {
			got += fmt.Sprint(" ", l.Scale)
		}
		if got = fmt.Sprint(units) + got; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
