package zarr

import "github.com/omnizarr/zarr/internal/locks"

// Locks among the goroutines of this process, by store.Identity. There are
// several tables, since who holds a lock of one may want one of the next: an
// array's growth, then a document, then a chunk.
var growth, documents, chunks locks.Table
