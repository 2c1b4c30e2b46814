package viewer_test

import (
	"fmt"
	"io/fs"
	"net/http"

	"github.com/omnizarr/zarr/viewer"
)

func ExampleFiles() {
	page, err := fs.ReadFile(viewer.Files(), "index.html")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(page[:15]))
	http.Handle("/assets/", http.FileServerFS(viewer.Files()))
	// Output: <!doctype html>
}
