package zarr

import (
	"hash/maphash"
	"sync"
)

// lockTable serialises what goroutines of this process do to things of the same
// name. Things that fall on the same lock only wait for each other.
type lockTable [1024]sync.Mutex

var seed = maphash.MakeSeed()

func (t *lockTable) of(name string) *sync.Mutex {
	return &t[maphash.String(seed, name)%uint64(len(t))]
}

// Tables of their own, since who holds a lock of one may want one of the next:
// an array's growth, then a document, then a chunk.
var growth, documents, chunks lockTable
