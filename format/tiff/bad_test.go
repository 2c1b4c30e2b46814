package tiff_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/race"
)

// badCase is a broken file, or a broken tile, which codec/tifftile tests.
type badCase struct {
	ID, Kind, File, Expect string
	Mention                []string `json:"must_mention"`
	MaxAlloc               int64    `json:"max_alloc_mb"`
}

// readAll opens a file and reads everything in it, and gives the first error.
func readAll(t *testing.T, name string, data []byte) error {
	t.Helper()
	f, err := tiff.Open(ctx, holding(t, name, data), name)
	if err != nil {
		return err
	}
	defer f.Close()
	if f.Len() > 4 {
		t.Errorf("%s: %d pages", name, f.Len())
	}
	root, err := zarr.OpenStore(ctx, f.Store(), "")
	if err != nil {
		return err
	}
	nodes := []zarr.Node{root}
	if g, ok := root.(*zarr.Group); ok {
		for n, err := range g.Walk(ctx) {
			if err != nil {
				return err
			}
			nodes = append(nodes, n)
		}
	}
	for _, n := range nodes {
		a, ok := n.(*zarr.Array)
		if !ok {
			continue
		}
		for c := range a.Grid() {
			if err := a.CheckChunk(ctx, c); err != nil && !strings.Contains(err.Error(), "missing") {
				return err
			}
		}
	}
	return nil
}

func TestBrokenFiles(t *testing.T) {
	files := archive(t, "bad.zip")
	var cases []badCase
	check(t, json.Unmarshal(files["bad.json"], &cases))
	n := 0
	for _, c := range cases {
		if c.Kind != "file" {
			continue
		}
		n++
		var err error
		if used := alloctest.Bytes(func() { err = readAll(t, c.File, files[c.File]) }) >> 20; used > c.MaxAlloc && !race.Enabled {
			t.Errorf("%s: %d MB were allocated", c.ID, used)
		}
		if err == nil {
			if c.Expect == "error" {
				t.Errorf("%s: no error", c.ID)
			}
			continue
		}
		for _, m := range c.Mention {
			if m != "-" && !regexp.MustCompile("(?i)"+m).MatchString(err.Error()) {
				t.Errorf("%s: %v does not mention %s", c.ID, err, m)
			}
		}
		if strings.Count(err.Error(), c.File) > 1 {
			t.Errorf("%s: %v names the file more than once", c.ID, err)
		}
		t.Log(c.ID, err)
	}
	if n != 26 {
		t.Errorf("%d cases", n)
	}
}
