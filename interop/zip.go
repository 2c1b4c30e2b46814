package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store/zip"
)

// pack writes a part of the matrix into zip archives in a folder, with one
// manifest for all of them.
func pack(ctx context.Context, dir string) error {
	some := slices.DeleteFunc(specs(), func(s spec) bool {
		return !strings.HasPrefix(s.name, "type/uint16/") && !strings.HasPrefix(s.name, "type/string/") &&
			!strings.HasPrefix(s.name, "shape/") && !strings.HasPrefix(s.name, "node/")
	})
	for name, opt := range map[string]zip.Options{"stored.zip": {}, "deflated.zip": {Deflate: true}} {
		m, err := packOne(ctx, filepath.Join(dir, name), opt, some)
		if err == nil {
			err = m.save(manifestIn(dir))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func packOne(ctx context.Context, path string, opt zip.Options, some []spec) (manifest, error) {
	s, err := zip.Create(path, opt)
	if err != nil {
		return manifest{}, err
	}
	root, err := zarr.CreateGroupIn(ctx, s, "")
	if err != nil {
		s.Discard()
		return manifest{}, err
	}
	m, err := writeAll(ctx, root, some)
	if err != nil {
		s.Discard()
		return m, err
	}
	return m, s.Close()
}

// unpack reads all archives of a folder and compares them with its manifest.
func unpack(ctx context.Context, dir, results string) error {
	m, err := loadManifest(manifestIn(dir))
	if err != nil {
		return err
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.zip"))
	if err != nil {
		return err
	}
	var out []result
	for _, path := range archives {
		s, err := zip.OpenFile(ctx, path)
		if err != nil {
			return err
		}
		out = append(out, readAll(ctx, s, filepath.Base(path)+"/", m)...)
		if err := s.Close(); err != nil {
			return err
		}
	}
	return saveResults(results, out)
}
