package jobs_test

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/ngff/jobs"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/kind"
)

// The plan of a pyramid is that of its levels.
func TestPlansOfPyramids(t *testing.T) {
	k := &jobs.Kind{}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	k.CopyFlags(flags)
	src := open(t, filepath.Join("testdata", "ome.ome.tif"))
	r := kind.CopyRequest{Source: &convention.Subject{Node: src}, From: "ome.ome.tif", URL: "none.zarr", Options: copying.Options{To: copying.Zarr3()}}
	if f, err := k.Planned(r); f != nil || err != nil {
		t.Errorf("without --pyramid: %v, %v", f, err)
	}
	if err := flags.Parse([]string{"--pyramid", "--levels", "3"}); err != nil {
		t.Fatal(err)
	}
	f, err := k.Planned(r)
	if err != nil {
		t.Fatal(err)
	}
	r.Options.To = f
	p, err := copying.PlanOf(ctx, src, r.Options)
	const first, second, third = 2 * 2 * 3 * 40 * 36, 2 * 2 * 3 * 20 * 18, 2 * 2 * 3 * 10 * 9
	if err != nil || p.Arrays != 3 || p.Chunks != 18 || p.Elements != first+second+third || p.Written != p.Elements || p.Read != 2*first+second || len(p.Each) != 3 || p.Each[1].Path != "/1" {
		t.Errorf("%+v, %v", p, err)
	}
}

// Flags that make no sense are told as such.
func TestWrongFlags(t *testing.T) {
	src := open(t, filepath.Join("testdata", "rgb.tif"))
	for _, args := range [][]string{{"--levels", "2"}, {"--labels"}, {"--pyramid", "--ngff", "0.3"}, {"--pyramid", "--factor", "one"}, {"--pyramid", "--factor", "1"},
		{"--pyramid", "--method", "median"}, {"--pyramid", "--levels", "-1"}} {
		k := &jobs.Kind{}
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		k.CopyFlags(flags)
		if err := flags.Parse(args); err != nil {
			t.Fatal(err)
		}
		r := kind.CopyRequest{Source: &convention.Subject{Node: src}, From: "rgb.tif", URL: filepath.Join(t.TempDir(), "x.zarr"), Options: copying.Options{To: copying.Zarr3()}}
		if _, done, err := k.Copy(ctx, r); done || !kind.IsUsage(err) {
			t.Errorf("%v: %v, %v", args, done, err)
		}
	}
}
