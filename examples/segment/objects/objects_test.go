package objects

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/leaktest"
	"github.com/omnizarr/zarr/job/spread"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// image makes a picture of which about half is above 100.
func image(t *testing.T, url string) (data []uint8, shape []int) {
	t.Helper()
	shape = []int{23, 31}
	data = make([]uint8, 23*31)
	random := rand.New(rand.NewPCG(1, 9))
	for i := range data {
		data[i] = uint8(random.UintN(200))
	}
	a, err := zarr.CreateArray(t.Context(), url, zarr.ArraySpec{Shape: shape, Chunks: []int{8, 31}, DataType: "uint8"})
	check(t, err)
	check(t, zarr.Write(t.Context(), a, zarr.All(), data))
	check(t, a.Close())
	return data, shape
}

// labels reads the result.
func labels(t *testing.T, url string) []uint64 {
	t.Helper()
	a, err := zarr.OpenArray(t.Context(), url+"/labels")
	check(t, err)
	defer a.Close()
	out, err := zarr.Read[uint64](t.Context(), a, zarr.All())
	check(t, err)
	return out.Data
}

// plain finds the objects of the whole picture at once: every element of one has the
// number of its first.
func plain(data []uint8, shape []int, threshold uint8) ([]int, int) {
	out, count := make([]int, len(data)), 0
	for at, v := range data {
		if v <= threshold || out[at] != 0 {
			continue
		}
		count++
		out[at] = at + 1
		for stack := []int{at}; len(stack) > 0; {
			p := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			neighbours(p, shape, func(q int) {
				if data[q] > threshold && out[q] == 0 {
					out[q] = at + 1
					stack = append(stack, q)
				}
			})
		}
	}
	return out, count
}

// A pool, and parts in any order, some twice, find the objects that one look at the whole
// picture finds, and give them the same numbers.
func TestSegment(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	src := filepath.Join(dir, "image.zarr")
	data, shape := image(t, src)
	want, count := plain(data, shape, 100)
	var found [][]uint64
	for _, name := range []string{"pool", "parts"} {
		r := Request{From: src, To: filepath.Join(dir, name), Threshold: 100}
		check(t, Prepare(ctx, r, []int{5, 7}))
		spec, err := spread.NewSpec("segment", r)
		check(t, err)
		var result []byte
		if name == "pool" {
			result, err = spread.Pool{Workers: 3}.Run(ctx, spec)
		} else {
			for i, part := range []int{2, 0, 2, 1, 1} {
				result, err = spread.Part{Index: part + 1, Of: 3, At: filepath.Join(dir, "run")}.Run(ctx, spec)
				if i < 3 && (err == nil || !strings.Contains(err.Error(), "other parts are left: ")) {
					t.Fatalf("part %d: %s, %v", part+1, result, err)
				}
			}
		}
		check(t, err)
		if got := fmt.Sprintf(`{"objects":%d}`, count); string(result) != got {
			t.Errorf("%s: %s, want %s", name, result, got)
		}
		found = append(found, labels(t, r.To))
		// Two elements have the same number if and only if they are of one object.
		as := map[uint64]int{}
		for i, x := range found[len(found)-1] {
			if before, ok := as[x]; ok && before != want[i] {
				t.Fatalf("%s: element %d is of object %d, and has the number of %d", name, i, want[i], before)
			}
			as[x] = want[i]
		}
		if len(as) != count+1 || len(slices.Compact(slices.Sorted(maps.Values(as)))) != count+1 || as[0] != 0 {
			t.Errorf("%s: %d numbers for %d objects", name, len(as)-1, count)
		}
	}
	if !slices.Equal(found[0], found[1]) {
		t.Error("parts give other numbers than a pool")
	}
}

// Two objects of a picture, one of which lies in two blocks.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "objects-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	r := Request{From: filepath.Join(dir, "image.zarr"), To: filepath.Join(dir, "objects.zarr"), Threshold: 100}
	a, err := zarr.CreateArray(ctx, r.From, zarr.ArraySpec{Shape: []int{6}, DataType: "uint8"})
	if err == nil {
		err = errors.Join(zarr.Write(ctx, a, zarr.All(), []uint8{0, 120, 130, 0, 0, 101}), a.Close(), Prepare(ctx, r, []int{2}))
	}
	spec, specErr := spread.NewSpec("segment", r)
	if err = errors.Join(err, specErr); err != nil {
		fmt.Println(err)
		return
	}
	result, err := spread.Pool{}.Run(ctx, spec)
	fmt.Printf("%s %v\n", result, err)
	// Output: {"objects":2} <nil>
}
