package far_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr/internal/far"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func TestRequestsWaitAndAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &far.Store{Store: mem.New(), Requests: 3}
		begin := time.Now()
		var wg sync.WaitGroup
		for i := range 7 {
			wg.Go(func() { s.Get(t.Context(), fmt.Sprint(i), store.All(), nil) })
		}
		wg.Wait()
		log, most := s.Log()
		if len(log) != 7 || most != 3 || time.Since(begin) != 3*far.Wait {
			t.Errorf("%d requests, %d at once, in %v", len(log), most, time.Since(begin))
		}
	})
}

func ExampleStore() {
	s := &far.Store{Store: mem.New(), Requests: 64}
	s.Put(context.Background(), "a", nil, store.PutOptions{})
	s.Get(context.Background(), "a", store.Suffix(4), nil)
	fmt.Println(s.Log())
	// Output: [get a -4 put a] 1
}
