package write_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	verify "github.com/omnizarr/zarr/format/hdmf/check"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
)

// Arrays of numbers with as many axes take the chunks, shards and codecs that are
// asked for, samples the type; all else stays, and the file is still one.
func TestArraysAreLaidOutAnew(t *testing.T) {
	src := in(t, memory(t, "session_v3.nwb"))
	gzip := json.RawMessage(`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":1}}]`)
	var last job.Progress
	options := copying.Options{
		Chunks: []int{50, 2}, Shards: []int{100, 4}, Codecs: gzip, DataType: "float64", Workers: 3,
		Progress: func(p job.Progress) { last = p },
	}
	sum, err := write.Copy(ctx, "mem:laid", src, write.Options{Laid: options})
	check(t, err)
	if sum.Arrays == 0 || sum.Chunks == 0 || sum.Written == 0 || last.Done == 0 || last.Done != last.Total || !strings.HasPrefix(last.Path, "/") {
		t.Errorf("%+v, %+v", sum, last)
	}
	dst, err := hdmf.Open(ctx, "mem:laid")
	check(t, err)
	defer dst.Close()
	for path, want := range map[string]struct {
		chunks, shards []int
		typ            string
	}{
		"acquisition/ElectricalSeries/data":            {[]int{50, 2}, []int{100, 4}, "float64"},
		"acquisition/ElectricalSeries/electrodes":      {[]int{6}, nil, "int64"},
		"acquisition/ElectricalSeries/timestamps":      {nil, nil, "float64"},
		"acquisition/bool_events/data":                 {nil, nil, "bool"},
		"general/was_generated_by":                     {[]int{1, 2}, nil, "string"},
		"general/extracellular_ephys/electrodes/group": {[]int{6}, nil, "string"},
		"stimulus/presentation/shown/data":             {nil, nil, "uint32"},
		"general/extracellular_ephys/electrodes/id":    {[]int{6}, nil, "int64"},
		"acquisition/counts/data":                      {[]int{50, 2}, []int{100, 4}, "float64"},
	} {
		old, err := src.Zarr().Array(ctx, path)
		check(t, err)
		a, err := dst.Zarr().Array(ctx, path)
		check(t, err)
		if want.chunks != nil && !slices.Equal(a.ChunkShape(), want.chunks) || !slices.Equal(a.ShardShape(), want.shards) || a.DataType().Name() != want.typ {
			t.Errorf("%s: chunks %v, shards %v, type %s", path, a.ChunkShape(), a.ShardShape(), a.DataType().Name())
		}
		if want.typ != "float64" {
			continue
		}
		x, err := zarr.Read[float64](ctx, a, zarr.All())
		check(t, err)
		y, err := zarr.ReadAs[float64](ctx, old, zarr.All())
		check(t, err)
		if !slices.Equal(x.Data, y.Data) {
			t.Errorf("%s has other values", path)
		}
	}
	findings, err := verify.File(ctx, dst, verify.Options{})
	if check(t, err); len(findings) > 0 {
		t.Error(findings)
	}
	for want, o := range map[string]write.Options{
		"no shards in Zarr v2":    {Layout: hdmf.V2, Laid: copying.Options{Shards: []int{2, 2}}},
		"have no headers":         {Laid: copying.Options{Pad: "tiff"}},
		"no array of numbers has": {Laid: copying.Options{Chunks: []int{1, 1, 1, 1, 1}}},
		"-1 workers":              {Laid: copying.Options{Workers: -1}},
	} {
		if _, err := write.Copy(ctx, t.TempDir()+"/new.zarr", src, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
}

// Codecs that lose precision are refused, unless they are allowed.
func TestCopiesThatLosePrecision(t *testing.T) {
	check(t, write.Create(ctx, "mem:exact", &write.Group{Datasets: map[string]*write.Dataset{"x": {Data: write.Numbers([]float64{1.1, 2.2})}}}, write.Options{}))
	src := open(t, "mem:exact")
	rounds := copying.Options{Codecs: json.RawMessage(`[{"name":"numcodecs.bitround","configuration":{"keepbits":3}},{"name":"bytes","configuration":{"endian":"little"}}]`)}
	if _, err := write.Copy(ctx, "mem:rounded", src, write.Options{Laid: rounds}); !errors.Is(err, copying.ErrLossy) {
		t.Errorf("got %v", err)
	}
	rounds.Lossy = true
	_, err := write.Copy(ctx, "mem:rounded", src, write.Options{Laid: rounds})
	check(t, err)
}
