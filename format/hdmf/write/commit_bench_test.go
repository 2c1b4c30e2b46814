package write_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf/write"
)

// A commit of 8 documents in a file whose consolidated metadata has 300 KB. The values
// are stored before.
func BenchmarkCommit(b *testing.B) {
	for _, sync := range []bool{false, true} {
		b.Run(fmt.Sprintf("sync=%v", sync), func(b *testing.B) {
			root := &write.Group{Groups: map[string]*write.Group{}}
			for k := range 8 {
				root.Groups[fmt.Sprint("series", k)] = &write.Group{Object: typed("TimeSeries"), Datasets: map[string]*write.Dataset{
					"data": {Data: write.Numbers(make([]int16, 10)), Chunks: []int{10000}}}}
			}
			for k := range 150 {
				root.Groups[fmt.Sprint("other", k)] = &write.Group{Object: write.Object{Attributes: map[string]any{"description": strings.Repeat("word ", 360)}}}
			}
			at := filepath.Join(b.TempDir(), "a.zarr")
			check(b, write.Create(ctx, at, root, write.Options{}))
			e, err := write.Edit(ctx, at, write.Options{Sync: sync})
			check(b, err)
			defer e.Close()
			for n := 0; b.Loop(); n++ {
				b.StopTimer()
				for k := range 8 {
					check(b, e.SetAttribute(ctx, fmt.Sprintf("/series%d/data", k), "n", n))
				}
				b.StartTimer()
				check(b, e.Commit(ctx))
			}
		})
	}
}
