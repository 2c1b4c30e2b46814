package zarr

import (
	"fmt"
	"sync"

	"github.com/omnizarr/zarr/store"
)

// errSplit says that a chunk was replaced between two tasks that read of it.
var errSplit = fmt.Errorf("%w, and parts of it were read before", store.ErrChanged)

// versions are those of chunks of which several tasks of one read take parts, such as
// single cells of a shard: all parts must be of one.
type versions struct {
	mu sync.Mutex
	of map[string]string // tags by key
}

// agree notes the version that a task has read, and is errSplit if another has read
// another. A store that does not tell versions apart has none.
func (v *versions) agree(key, tag string) error {
	if v == nil || tag == "" {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if first, ok := v.of[key]; ok && first != tag {
		return errSplit
	}
	v.of[key] = tag
	return nil
}
