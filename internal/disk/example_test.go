package disk_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr/internal/disk"
)

type heard struct{}

func (heard) Before(disk.Change) error { return nil }

func (heard) After(c disk.Change, _ error) { fmt.Println(c.Op, filepath.Base(c.Path)) }

func Example() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	stop := disk.Watch(dir, heard{})
	defer stop()
	fmt.Println(disk.MakeFolder(filepath.Join(dir, "a", "b"), false))
	// Output:
	// make a
	// make b
	// <nil>
}
