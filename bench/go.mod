module github.com/omnizarr/zarr/bench

go 1.26.0

require golang.org/x/sync v0.24.0

require (
	github.com/dsnet/compress v0.0.1 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
