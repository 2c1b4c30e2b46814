package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"

	"github.com/omnizarr/zarr"
	tiffjobs "github.com/omnizarr/zarr/format/tiff/jobs"
	"github.com/omnizarr/zarr/job/virtual"
)

// refer writes references to the TIFF files of a folder, as fsspec reads them:
// stacks, pyramids, JPEG, and some of the others.
func refer(ctx context.Context, from, to string) error {
	m, err := loadManifest(manifestIn(from))
	if err != nil {
		return err
	}
	var out manifest
	written := map[string]bool{}
	for _, e := range m.Cases {
		file, inside, _ := strings.Cut(e.Path, ".tif")
		if !copied(file) || strings.HasPrefix(inside, "/ifd") {
			continue
		}
		name := file + ".json"
		if !written[name] {
			if err := referTo(ctx, filepath.Join(from, file+".tif"), filepath.Join(to, name)); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			written[name] = true
		}
		e.Path, e.Group = name, strings.TrimPrefix(inside, "/")
		out.Cases = append(out.Cases, e)
	}
	return out.save(manifestIn(to))
}

// copied says which files are copied and referred to: of those whose names begin
// with a type, a quarter.
func copied(name string) bool {
	kind, _, _ := strings.Cut(name, "/")
	switch kind {
	case "unknown":
		return false
	case "stack", "pyramid", "jpeg", "odd", "geo", "nodata", "sparse", "overviews", "cog":
		return true
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32()%4 == 0
}

func referTo(ctx context.Context, file, manifest string) error {
	n, err := zarr.Open(ctx, file)
	if err != nil {
		return err
	}
	defer n.Close()
	if err := os.MkdirAll(filepath.Dir(manifest), 0o777); err != nil {
		return err
	}
	return virtual.Write(ctx, n, manifest, virtual.Options{Translators: []virtual.Translator{tiffjobs.Tiles{}}})
}
