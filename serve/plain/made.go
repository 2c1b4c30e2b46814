package plain

import (
	"context"
	"sync"

	"github.com/omnizarr/zarr/store"
)

// Made is a chunk that is written anew, held open. It is made when it is first read.
type Made struct {
	store *Store
	chunk chunkOf
	key   string

	mu   sync.Mutex
	data []byte
	tag  string
}

// Bytes gives all of the chunk, which must not be changed: the cache has the same bytes.
func (m *Made) Bytes(ctx context.Context) ([]byte, store.Info, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.data == nil {
		var err error
		if m.data, m.tag, err = m.store.made(ctx, m.chunk); err != nil {
			return nil, store.Info{}, m.store.wrap("get", m.key, err)
		}
	}
	return m.data, store.Info{Size: int64(len(m.data)), ETag: m.tag}, nil
}

// Get gives a part of it.
func (m *Made) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	data, info, err := m.Bytes(ctx)
	if err != nil {
		return dst, info, err
	}
	dst, err = r.Append(dst, data)
	return dst, info, m.store.wrap("get", m.key, err)
}

// Close does nothing.
func (m *Made) Close() error { return nil }
