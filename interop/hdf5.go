package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
)

// selected is a part of a dataset and what h5py read of it.
type selected struct {
	File, Path, Part string
	Shape            []int  // nil of a dataset without a space
	SHA256           string // "" of what has no digest: it must be read
}

// readHDF5 compares selections of datasets in files with h5py's, from the folder or
// through a server.
func readHDF5(ctx context.Context, where, dir, expected, results string) error {
	base := dir
	if where == "http" {
		server := httptest.NewServer(http.FileServer(http.Dir(dir)))
		defer server.Close()
		base = server.URL
	}
	f, err := os.Open(expected)
	if err != nil {
		return err
	}
	defer f.Close()
	var out []result
	var file *zarr.Group
	var name string
	defer func() { file.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var s selected
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return err
		}
		if s.File != name {
			if file != nil {
				file.Close()
			}
			if file, err = zarr.OpenGroup(ctx, base+"/"+s.File); err != nil {
				return fmt.Errorf("%s: %w", s.File, err)
			}
			name = s.File
		}
		r := result{Case: s.File + s.Path + "[" + s.Part + "]"}
		if err := s.compare(ctx, file); err != nil {
			r.Error = err.Error()
		}
		out = append(out, r)
	}
	return errors.Join(lines.Err(), saveResults(results, out))
}

func (s selected) compare(ctx context.Context, file *zarr.Group) error {
	a, err := file.Array(ctx, strings.Trim(s.Path, "/"))
	if err != nil || s.Shape == nil {
		return err
	}
	sel := zarr.All()
	if s.Part != "" {
		if sel, err = zarr.ParseSlice(s.Part); err != nil {
			return err
		}
	}
	positions, err := zarr.Resolve(sel, a.Shape())
	if err != nil {
		return err
	}
	shape := make([]int, len(positions))
	for i, p := range positions {
		shape[i] = p.Count
	}
	if !slices.Equal(shape, s.Shape) {
		return fmt.Errorf("the shape %v, not %v", shape, s.Shape)
	}
	v, err := read(ctx, a, sel, shape)
	if err == nil && s.SHA256 != "" && digest(a.DataType(), v) != s.SHA256 {
		err = errors.New("different values")
	}
	return err
}
