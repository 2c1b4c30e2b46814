package main

// The stores of clouds make their schemes known by being imported.
import (
	_ "github.com/omnizarr/zarr/store/azblob"
	_ "github.com/omnizarr/zarr/store/gcs"
)
