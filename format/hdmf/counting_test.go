package hdmf_test

import (
	"context"
	"strings"
	"sync"

	"github.com/omnizarr/zarr/store"
)

// counting is a store that counts how often chunks are asked for.
type counting struct {
	store.Store
	mu    sync.Mutex
	asked map[string]int
}

func (c *counting) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if strings.Contains(key, "/c/") {
		c.mu.Lock()
		c.asked[key]++
		c.mu.Unlock()
	}
	return c.Store.Get(ctx, key, r, dst)
}
