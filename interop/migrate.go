package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/omnizarr/zarr/format/zarr2/jobs"
	"github.com/omnizarr/zarr/store/file"
)

// migrate changes a hierarchy from Zarr v2 to v3, or back, where it is. No
// document of the other format may be left.
func migrate(ctx context.Context, dir, to string) error {
	s, err := file.Open(dir, file.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	done, err := jobs.Migrate(ctx, s, "", jobs.MigrateOptions{To: to})
	if err != nil {
		return err
	}
	if done.Nodes == 0 || done.Already != 0 || !done.Consolidated {
		return fmt.Errorf("migrated %+v", done)
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if v2, v3 := strings.HasPrefix(d.Name(), ".z"), d.Name() == "zarr.json"; v2 && to == "zarr3" || v3 && to == "zarr2" {
			return errors.New("left behind: " + path)
		}
		return nil
	})
}
