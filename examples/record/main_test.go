package main

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/check"
	"github.com/omnizarr/zarr/internal/leaktest"
	"github.com/omnizarr/zarr/internal/nwbtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// What the program records is all there, and as the schemas and nwbinspector want it.
func TestRecord(t *testing.T) {
	ctx := context.Background()
	const schemas = "session_v3_plain.nwb.zarr"
	dir := nwbtest.Unpack(t, schemas)
	file := filepath.Join(dir, "m17.nwb.zarr")
	var out bytes.Buffer
	if err := run(ctx, []string{filepath.Join(dir, schemas), file, "0.2"}, &out); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "6000 samples, 20 spikes\n"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	f, err := hdmf.Open(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for at, want := range map[string][]int{"/acquisition/ap/data": {6000, channels}, "/acquisition/ap/timestamps": {6000}, "/units/spike_times": {20}} {
		o, err := f.Object(ctx, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := o.(*hdmf.Dataset).Shape(); !slices.Equal(got, want) {
			t.Errorf("%s has shape %v, want %v", at, got, want)
		}
	}
	found, err := check.File(ctx, f, check.Options{Inspect: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range found {
		t.Error(one)
	}
	if err := run(ctx, nil, &out); err == nil {
		t.Error("nothing was asked of it")
	}
}
