package bearer_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr/internal/bearer"
)

func Example() {
	n := 0
	s := bearer.New(func(context.Context) (bearer.Token, error) {
		n++
		return bearer.Token{Value: fmt.Sprint("token ", n)}, nil
	})
	for range 3 {
		token, err := s.Get(context.Background())
		fmt.Println(token, err)
		if n == 1 {
			s.Drop(token) // a server refused it
		}
	}
	// Output:
	// token 1 <nil>
	// token 2 <nil>
	// token 2 <nil>
}
