package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/journal"
)

// Left is something that a recording has in a file beside what others read: it is under
// way, or was interrupted. Recover brings it to its end.
type Left struct {
	// Path is that of the table whose spikes are in no column yet, or of the dataset
	// that was written anew.
	Path string
	// Pending says that it is spikes, Spikes how many, -1 if that would take long to
	// count. If not, it is the chunks of a column as it was, or of one that never
	// counted: nothing of them is needed.
	Pending bool
	Spikes  int
	// Names are those of the values below Path, as a pattern of path.Match; those of a
	// folder end with a slash.
	Names string
}

// FindLeft finds what recordings have left in the file whose root is that of a store.
// Nothing is changed.
func FindLeft(ctx context.Context, s store.Store, opts ...zarr.Option) (found []Left, err error) {
	if s == nil {
		return nil, nil
	}
	// What was committed counts, also where documents do not say so yet.
	if j, err := journal.Read(ctx, s); err != nil {
		return nil, err
	} else if j != nil {
		if s, err = journal.Over(ctx, s, j); err != nil {
			return nil, err
		}
	}
	root, err := zarr.OpenStore(ctx, s, "", append(opts[:len(opts):len(opts)], zarr.BypassConsolidated())...)
	if err != nil {
		return nil, err
	}
	defer root.Close() // not its store
	g, ok := root.(*zarr.Group)
	if !ok {
		return nil, nil
	}
	for n, err := range g.Walk(ctx) {
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, store.ErrNoList) {
				return nil, err
			}
			continue // others tell of it
		}
		switch n := n.(type) {
		case *zarr.Group:
			spikes, is, err := pending(ctx, s, n.Path())
			if err != nil {
				return nil, err
			}
			if is {
				found = append(found, Left{Path: "/" + n.Path(), Pending: true, Spikes: spikes, Names: write.Pending})
			}
		case *zarr.Array:
			old, err := former(ctx, s, n)
			if err != nil {
				return nil, err
			}
			found = append(found, old...)
		}
	}
	return found, nil
}

// fewValues is how many values with spikes are read to count them, of fewBytes each.
const (
	fewValues = 64
	fewBytes  = 1 << 20
)

// pending counts the spikes that lie beside a table.
func pending(ctx context.Context, s store.Store, table string) (n int, is bool, err error) {
	count := func(key string, cut bool) (state, error) {
		var st state
		text, _, err := s.Get(ctx, key, store.UpTo(fewBytes), nil)
		if err != nil {
			return st, err
		}
		if cut {
			line, records, _ := bytes.Cut(text, []byte{'\n'})
			if json.Unmarshal(line, &st) != nil {
				return st, errCut
			}
			text = records
		}
		k, err := tally(text)
		n += k
		return st, err
	}
	st, err := count(path.Join(table, write.Pending), true)
	if errors.Is(err, store.ErrNotExist) {
		return 0, false, nil
	}
	l := log{dir: table + "/", state: st}
	if st.Values < 0 || st.Values > fewValues {
		return -1, true, nil
	}
	for k := 0; k < st.Values && err == nil; k++ {
		_, err = count(l.key(k), false)
	}
	switch {
	case err == nil:
		return n, true, nil
	case errors.Is(err, errCut), errors.Is(err, store.ErrNotExist), errors.Is(err, store.ErrTooLarge):
		return -1, true, nil // Recover tells what is wrong
	}
	return 0, false, err
}

// former finds chunks of columns that were written anew, by the names that the array
// does not have. If it has no chunk by its own names, its document may be what is wrong,
// and they are nobody's.
func former(ctx context.Context, s store.Store, a *zarr.Array) ([]Left, error) {
	name, shape := path.Base(a.Path()), a.Shape()
	if name != "spike_times" && name != "spike_times_index" || len(shape) != 1 {
		return nil, nil
	}
	patterns := []string{"c/", "c.*", "[0-9]*"} // in the order of generations
	there := make([]bool, len(patterns))
	for e, err := range s.List(store.NamesOnly(ctx), a.Path()+"/", "/") {
		if err != nil {
			return nil, err
		}
		below := e.Key[len(a.Path())+1:]
		for i, p := range patterns {
			ok, _ := path.Match(p, below)
			if !ok || there[i] || e.IsPrefix != strings.HasSuffix(p, "/") {
				continue
			}
			if there[i] = true; e.IsPrefix { // a folder may stay when all is gone that was in it
				if there[i], err = holdsAny(ctx, s, e.Key); err != nil {
					return nil, err
				}
			}
		}
	}
	now := -1
	switch key := string(a.Metadata().Keys.Append(nil, []int{0})); key {
	case "c/0":
		now = 0
	case "c.0":
		now = 1
	case "0":
		now = 2
	}
	if now < 0 || !there[now] && shape[0] > 0 {
		return nil, nil
	}
	var found []Left
	for i, p := range patterns {
		if i != now && there[i] {
			found = append(found, Left{Path: "/" + a.Path(), Names: p})
		}
	}
	return found, nil
}

// holdsAny reports whether there is a value below a prefix.
func holdsAny(ctx context.Context, s store.Store, prefix string) (bool, error) {
	for e, err := range s.List(store.NamesOnly(ctx), prefix, "") {
		return err == nil && !e.IsPrefix, err
	}
	return false, nil
}
