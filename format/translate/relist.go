package translate

import (
	"iter"
	"path"
	"slices"

	"github.com/omnizarr/zarr/store"
)

// relist yields a listing in which some values go by other names: rename is
// called with the last part of every key, and gives the name to show, "" to leave
// the value out. The order stays that of keys, and a key comes once, as the value
// that has it by itself if there is one. The size of a renamed value is unknown.
func relist(seq iter.Seq2[store.Entry, error], rename func(name string) string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		l := relisting{yield: yield}
		for e, err := range seq {
			if err != nil {
				yield(e, err)
				return
			}
			dir, name := path.Split(e.Key)
			shown := name
			if !e.IsPrefix {
				shown = rename(name)
			}
			if shown != name && shown != "" {
				l.due = append(l.due, dir+shown)
			}
			if !l.before(e.Key) || shown == name && !l.entry(e) {
				return
			}
		}
		l.before("")
	}
}

// relisting yields entries and, where their turn comes, those that were renamed.
type relisting struct {
	yield func(store.Entry, error) bool
	due   []string // new keys that have not come yet
	last  string   // the key that was yielded last
}

// before yields the new keys that come before key; "" is behind all.
func (l *relisting) before(key string) bool {
	slices.Sort(l.due)
	for len(l.due) > 0 && (key == "" || l.due[0] < key) {
		e := store.Entry{Key: l.due[0], Size: -1}
		l.due = l.due[1:]
		if !l.entry(e) {
			return false
		}
	}
	return true
}

// entry yields an entry unless its key was there already.
func (l *relisting) entry(e store.Entry) bool {
	if e.Key == l.last {
		return true
	}
	l.last = e.Key
	l.due = slices.DeleteFunc(l.due, func(key string) bool { return key == e.Key })
	return l.yield(e, nil)
}
