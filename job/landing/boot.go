package landing

import (
	"os"
	"strings"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store"
)

// boot tells one start of the system from another, "" where that cannot be known.
var boot = sync.OnceValue(func() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
})

// unflushed is what a mark says of blocks that may not be on the disk yet: under which start
// of the system they were written, "" if they are on the disk.
func (l *Landing) unflushed() string {
	if zarr.Syncs(l.copy.Open...) {
		return ""
	}
	return boot()
}

// lost reports whether what a copy that was begun has put may not be on the disk: the system
// was started anew before anybody saw to it, and the mark may have got there before the
// blocks that it calls done. Who wants all flushed does not go on with what was not either.
func (l *Landing) lost(was *mark) bool {
	_, flushes := store.As[store.Syncer](l.base)
	return flushes && was.Boot != "" && (was.Boot != boot() || zarr.Syncs(l.copy.Open...))
}
