package azblob

import (
	"sync"

	"github.com/omnizarr/zarr/store"
)

// mostSizes is how many are remembered.
const mostSizes = 4096

// sizes remembers how large values were, and by what tag: the end of one that is still the
// same takes one request then, and not two.
type sizes struct {
	mu    sync.Mutex
	known map[string]store.Info
}

func (s *sizes) of(key string) (store.Info, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info, ok := s.known[key]
	return info, ok
}

// note takes down what an answer said.
func (s *sizes) note(key string, info store.Info) {
	if info.Size < 0 || info.ETag == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= mostSizes {
		s.known = make(map[string]store.Info)
	}
	s.known[key] = info
}
