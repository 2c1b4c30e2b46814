// Package disk is where changes of files pass on their way to the system. Tests hear of
// them there, and may make them fail: what a disk that is full or broken does, and what is
// left of a change when the power goes. Nobody else watches, and then nothing is done
// here but to look whether somebody does.
package disk

import (
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// Op is what is done to a file or folder.
type Op string

// What is done. Read stands for looking at a file or folder in any way.
const (
	Read        Op = "read"
	Make        Op = "make"         // a folder
	Create      Op = "create"       // an empty file, or open it if it is there
	Write       Op = "write"        // Data at Offset
	Truncate    Op = "truncate"     // to Offset
	Flush       Op = "flush"        // a file
	FlushFolder Op = "flush folder" // the names in it
	Rename      Op = "rename"       // to To, which is replaced
	RenameNew   Op = "rename new"   // to To, if nothing is there
	Exchange    Op = "exchange"     // with To
	Remove      Op = "remove"       // a file
	RemoveAll   Op = "remove all"   // a folder with all that is in it
)

// Change is one of them. The data are lent.
type Change struct {
	Op       Op
	Path, To string
	Data     []byte
	Offset   int64
}

// Watcher hears of changes.
type Watcher interface {
	// Before may refuse a change: the error is what it fails with.
	Before(Change) error
	// After tells how a change went that was not refused.
	After(Change, error)
}

type watched struct {
	folder string
	w      Watcher
}

var (
	mu   sync.Mutex // held by those who change all
	all  atomic.Pointer[[]*watched]
	none []*watched
)

// Watch lets a test hear of changes in and below a folder, through files and stores that
// are opened from now on, until stop is called.
func Watch(folder string, w Watcher) (stop func()) {
	own := &watched{strings.TrimSuffix(real(folder), string(filepath.Separator)), w}
	change := func(add bool) {
		mu.Lock()
		defer mu.Unlock()
		list := none
		if old := all.Load(); old != nil {
			for _, o := range *old {
				if o != own {
					list = append(list, o)
				}
			}
		}
		if add {
			list = append(list, own)
		}
		if len(list) == 0 {
			all.Store(nil)
			return
		}
		all.Store(&list)
	}
	change(true)
	return func() { change(false) }
}

// At is who watches a path, nil if nobody does.
func At(path string) Watcher {
	list := all.Load()
	if list == nil {
		return nil
	}
	path = real(path)
	for _, o := range *list {
		if rest, ok := strings.CutPrefix(path, o.folder); ok && (rest == "" || rest[0] == filepath.Separator) {
			return o.w
		}
	}
	return nil
}

// real is a path without links, as far as it exists.
func real(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	for up, rest := path, ""; ; up, rest = filepath.Dir(up), filepath.Join(filepath.Base(up), rest) {
		if found, err := filepath.EvalSymlinks(up); err == nil {
			return filepath.Join(found, rest)
		}
		if up == filepath.Dir(up) {
			return path
		}
	}
}

// Do does a change, unless who watches refuses it.
func Do(w Watcher, c Change, do func() error) error {
	if w == nil {
		return do()
	}
	if err := w.Before(c); err != nil {
		return err
	}
	err := do()
	w.After(c, err)
	return err
}
