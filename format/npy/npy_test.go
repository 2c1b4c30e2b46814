package npy_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/elements"
	"github.com/omnizarr/zarr/format/npy"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/leaktest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var ctx = context.Background()

func write(t *testing.T, a *zarr.Array, form, slice string) string {
	t.Helper()
	var b bytes.Buffer
	out := bufio.NewWriter(&b)
	if err := elements.Write(ctx, out, form, a, zarr.Slice(slice)); err != nil {
		t.Fatal(err)
	}
	out.Flush()
	return b.String()
}

// The files were written by NumPy 2.4.
func TestFilesOfNumPy(t *testing.T) {
	for name, want := range map[string]string{
		"uint16":    "uint16 [2 3 4] [[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]",
		"fortran":   "int32 [2 3 4] [[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]",
		"bigendian": "float64 [3 2] [[-1.0, -0.6], [-0.19999999999999996, 0.20000000000000018], [0.6000000000000001, 1.0]]",
		"scalar":    "float32 [] 2.5",
		"empty":     "int64 [3 0] [[], [], []]",
		"bool":      "bool [3] [true, false, true]",
		"complex":   "complex64 [2] [[1.0, 2.0], [-0.0, -3.5]]",
		"text":      `fixed_length_utf32 [2] ["α", "beta"]`,
		"dates":     `numpy.datetime64 [2] ["2025-06-30", null]`,
		"records":   `struct [2] [{"id": 1, "x": 2.5, "tag": "YWI="}, {"id": 258, "x": -1.0, "tag": "Yw=="}]`,
		"version2":  "int16 [3] [0, 1, 2]",
		"version3":  `struct [2] [{"größe µ": 1}, {"größe µ": 2}]`,
	} {
		path := filepath.Join("testdata", name+".npy")
		a, err := zarr.OpenArray(ctx, path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := fmt.Sprintf("%s %v %s", a.DataType().Name(), a.Shape(), strings.Join(strings.Fields(write(t, a, "json", "")), " "))
		if got != want || a.Format() != npy.Format {
			t.Errorf("%s of format %s:\n%s, want\n%s", name, a.Format(), got, want)
		}
		// What is written is the same file again, where it has NumPy's usual order.
		original, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if name != "bigendian" && name != "fortran" && name != "records" && !strings.HasPrefix(name, "version") {
			if again := write(t, a, "npy", ""); again != string(original) {
				t.Errorf("%s: written as\n%q, was\n%q", name, again, original)
			}
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Arrays that are larger than a chunk are read in parts, in either order, and no more
// than is wanted.
func TestLargeFiles(t *testing.T) {
	for _, fortran := range []string{"False", "True"} {
		const rows, columns = 3, 3 << 20
		text := fmt.Sprintf("{'descr': '|u1', 'fortran_order': %s, 'shape': (%d, %d), }", fortran, rows, columns)
		file := append([]byte("\x93NUMPY\x01\x00"), byte(len(text)), 0)
		file = append(file, text...)
		at := len(file)
		file = append(file, make([]byte, rows*columns)...)
		place := func(r, c int) int {
			if fortran == "True" {
				return at + c*rows + r
			}
			return at + r*columns + c
		}
		file[place(2, columns-1)], file[place(1, 2<<20)] = 7, 8
		s := mem.New()
		if _, err := s.Put(ctx, "x", file, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		in, err := npy.Open(ctx, s, "x")
		if err != nil {
			t.Fatal(err)
		}
		n, err := zarr.OpenStore(ctx, in, "")
		if err != nil {
			t.Fatal(err)
		}
		a := n.(*zarr.Array)
		keys := 0
		for c, err := range a.Stored(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			if err := a.CheckChunk(ctx, c); err != nil {
				t.Error(err)
			}
			keys++
		}
		if want := map[string]int{"False": 3, "True": 3}[fortran]; keys != want {
			t.Errorf("order %s: %d chunks of shape %v, want %d", fortran, keys, a.ChunkShape(), want)
		}
		all, err := zarr.Read[uint8](ctx, a, zarr.All())
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, v := range all.Data {
			sum += int(v)
		}
		if all.Data[3*columns-1] != 7 || all.Data[columns+2<<20] != 8 || sum != 15 {
			t.Errorf("order %s: %d and %d", fortran, all.Data[3*columns-1], all.Data[columns+2<<20])
		}
		n.Close()
		in.Close()
	}
}

func TestHeadersThatAreWrong(t *testing.T) {
	header := func(text string) string {
		return "\x93NUMPY\x01\x00" + string([]byte{byte(len(text)), byte(len(text) >> 8)}) + text
	}
	good := "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }"
	for _, c := range []struct{ file, want string }{
		{"", "does not begin"},
		{"\x93NUMPY\x01\x00", "ends within the header"},
		{"\x93NUMPY\x09\x00\x00\x00\x00\x00", "version 9.0"},
		{"\x93NUMPY\x02\x00\xff\xff\xff\xff", "more than the"},
		{"\x93NUMPY\x02\x00\xff\xff\x00\x00", "ends within the header"},
		{header(good)[:20], "ends within the header"},
		{header(good), "need 8 bytes, and the file has 0"},
		{header(good + "x"), "stands behind it"},
		{header("{'descr': '<i4', 'fortran_order': False}"), "there is no shape"},
		{header("{'descr': '<i4', 'fortran_order': 1, 'shape': ()}"), "fortran_order"},
		{header("{'descr': '<i4', 'fortran_order': False, 'shape': (-2,)}"), "negative"},
		{header("{'descr': '<i4', 'fortran_order': False, 'shape': ('a',)}"), "no tuple"},
		{header("{'descr': '<i4', 'fortran_order': False, 'shape': (9223372036854775807, 9)}"), "too large"},
		{header("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}"), "pickled"},
		{header("{'descr': [('a', '|O')], 'fortran_order': False, 'shape': (1,)}"), "pickled"},
		{header(strings.Repeat("(", 100)), "nested too deeply"},
		{header("{'descr': '<i4"), "does not end"},
		{header("__import__('os')"), "no value"},
	} {
		s := mem.New()
		if _, err := s.Put(ctx, "x.npy", []byte(c.file), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := npy.Open(ctx, s, "x.npy"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.file, err, c.want)
		}
	}
}

func FuzzParseHeader(f *testing.F) {
	files, err := filepath.Glob("testdata/*.npy")
	if err != nil || len(files) == 0 {
		f.Fatal(err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, b []byte) {
		s := mem.New()
		if _, err := s.Put(ctx, "x", b, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		if in, err := npy.Open(ctx, s, "x"); err == nil {
			if n, err := zarr.OpenStore(ctx, in, ""); err == nil {
				n.Close()
			}
			in.Close()
		}
	})
}

// A file of NumPy is opened like any array.
func Example() {
	a, err := zarr.OpenArray(ctx, "testdata/fortran.npy")
	if err != nil {
		panic(err)
	}
	defer a.Close()
	row, err := zarr.Read[int32](ctx, a, zarr.Slice("1, 2"))
	fmt.Println(a.Format(), a.Shape(), row.Data, err)
	// Output: npy [2 3 4] [20 21 22 23] <nil>
}
