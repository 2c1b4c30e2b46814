package locate

import (
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
)

// A URL of stages is cut at its bars, and nothing of it is lost.
func FuzzPipeline(f *testing.F) {
	for _, url := range []string{"a.zip|zip:b|zarr3:c", "file:///a|zarr2:", "https://example.org/a.tif?x=1|tiff:0", "a|b", "|", "a||zip:", "s3://b/k|n5:x/y|zip:%7c", "a|zip:../..", "a|zip:\x00"} {
		f.Add(url)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, url string) {
		base, stages, err := splitPipeline(url)
		if err != nil {
			return
		}
		if base == url && stages == nil {
			return // a path that has bars in its names
		}
		if !strings.HasPrefix(url, base+"|") || len(stages) != strings.Count(url, "|") {
			t.Errorf("%q: %q and %d stages", url, base, len(stages))
		}
	})
}
