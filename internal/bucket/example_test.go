package bucket_test

import (
	"fmt"

	"github.com/omnizarr/zarr/internal/bucket"
)

func ExampleParse() {
	p, err := bucket.Parse("gs://data/a%20b/c?anonymous=true", "gs", []string{"endpoint", "anonymous"}, nil)
	fmt.Println(p.Bucket, p.Prefix, err)
	fmt.Println(p.URL())
	_, err = bucket.Parse("gs://data?tokn=secret", "gs", []string{"endpoint", "anonymous"}, nil)
	fmt.Println(err)
	// Output:
	// data a b/c/ <nil>
	// gs://data/a%20b/c?anonymous=true
	// the query of the URL has "tokn", known are endpoint, anonymous
}
