package s3_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/omnizarr/zarr/internal/cloudtest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/s3"
)

func Example() {
	server := httptest.NewServer(new(cloudtest.Memory)) // instead of a real one
	defer server.Close()

	ctx := context.Background()
	s, err := s3.Open(ctx, "s3://bucket/data/volume.zarr", s3.Options{
		Endpoint: server.URL,
		Credentials: func(context.Context) (s3.Credentials, error) {
			return s3.Credentials{ID: "somebody", Secret: "something"}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	s.Put(ctx, "c/0", []byte("0123456789"), store.PutOptions{})
	s.Put(ctx, "c/1", []byte("abc"), store.PutOptions{})
	b, _, err := s.Get(ctx, "c/0", store.Suffix(3), nil)
	fmt.Printf("%s %v\n", b, err)
	_, err = s.Put(ctx, "c/1", []byte("mine"), store.PutOptions{IfAbsent: true})
	fmt.Println(err)
	for e, err := range s.List(ctx, "c/", "/") {
		fmt.Println(e.Key, e.Size, err)
	}
	// Output:
	// 789 <nil>
	// put "c/1" in s3://bucket/data/volume.zarr: value was changed meanwhile
	// c/0 10 <nil>
	// c/1 3 <nil>
}
