package hdf5_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/hdf5"
)

// Groups with long names that lie in each other make paths that are too long to hold.
func TestWalksEndAtLongPaths(t *testing.T) {
	b := archive(t, "deep.tar.zst")["deep.h5"]
	f, err := hdf5.Open(bytes.NewReader(b), int64(len(b)), hdf5.Options{})
	check(t, err)
	defer f.Close()
	longest := 0
	var told []string
	check(t, f.Root().Walk(func(path string, _ hdf5.Link, _ *hdf5.Object, err error) error {
		longest = max(longest, len(path))
		if err != nil {
			told = append(told, err.Error())
		}
		return nil
	}))
	if longest > 1<<14+201 || len(told) != 1 || !strings.Contains(told[0], "a path has more than 16384 bytes") {
		t.Errorf("%d bytes, %q", longest, told)
	}
}
