package write

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// listing is consolidated metadata cut into the entries of its nodes, so that those
// of nodes that change can be replaced, and no others need be looked at.
type listing struct {
	head, tail []byte // what is before the entries, and behind them
	pad        []byte // what stands before each
	level      int    // how deep they are
	entries    [][]byte
	at         map[string]int // by name, into entries
}

// listed says whether there is an entry.
func (l *listing) listed(name string) bool { _, ok := l.at[name]; return ok }

// set gives a node an entry.
func (l *listing) set(name string, doc []byte) {
	entry := append(appendText(nil, name), ": "...)
	entry = strictjson.IndentAt(entry, doc, l.level)
	if i, ok := l.at[name]; ok {
		l.entries[i] = entry
		return
	}
	l.at[name] = len(l.entries)
	l.entries = append(l.entries, entry)
}

// text is the whole document.
func (l *listing) text() []byte {
	n := len(l.head) + len(l.tail)
	for _, e := range l.entries {
		n += len(l.pad) + len(e) + 1
	}
	out := append(make([]byte, 0, n), l.head...)
	for i, e := range l.entries {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, l.pad...), e...)
	}
	return append(out, l.tail...)
}

// list reads consolidated metadata; nil if there is none.
func (t *target) list(ctx context.Context) (*listing, error) {
	text, _, err := t.held.Get(ctx, t.consolidatedKey(), store.UpTo(meta.MaxBytes), nil)
	if errors.Is(err, store.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := strictjson.Object(text, strictjson.Options{MaxBytes: meta.MaxBytes, NaN: true})
	if err != nil {
		return nil, err
	}
	const inside = "consolidated_metadata"
	outer, level := all, 2
	if t.layout == hdmf.V3 {
		raw := find(all, inside)
		if raw == nil || strictjson.IsNull(*raw) {
			return nil, nil
		}
		if outer, err = strictjson.Split(*raw); err != nil {
			return nil, strictjson.At(inside, err)
		}
		level = 3
	}
	nodes := find(outer, "metadata")
	if nodes == nil {
		return nil, strictjson.Errorf("metadata", "is missing in the consolidated metadata")
	}
	members, err := strictjson.Split(*nodes)
	if err != nil {
		return nil, strictjson.At("metadata", err)
	}
	l := &listing{level: level, at: make(map[string]int, len(members))}
	for _, m := range members {
		l.set(m.Name, m.Raw)
	}
	*nodes = quoted(placeholder)
	for bytes.Contains(text, *nodes) {
		*nodes = quoted(string(*nodes))
	}
	mark := *nodes
	if t.layout == hdmf.V3 {
		*find(all, inside) = object(outer)
	}
	head, tail, _ := bytes.Cut(append(strictjson.Indent(nil, object(all)), '\n'), mark)
	indent := func(level int) []byte { return []byte("\n" + strings.Repeat("  ", level)) }
	l.head, l.pad, l.tail = append(head, '{'), indent(level), slices.Concat(indent(level-1), []byte{'}'}, tail)
	return l, nil
}

// placeholder stands for the entries while what is around them is spelled.
const placeholder = "entries"

// reconsolidate brings the consolidated metadata up to date, in what it says of the
// nodes that were changed. If there is none, it is made unless nobody wants it.
func (w *writer) reconsolidate(ctx context.Context) error {
	key := w.consolidatedKey()
	if w.listing == nil || slices.Contains(w.held.Changes(), key) { // with attributes of the root, in V3
		var err error
		if w.listing, err = w.list(ctx); err == nil && w.listing == nil && !w.opts.Plain {
			if err = w.root.Consolidate(ctx); err == nil {
				w.listing, err = w.list(ctx)
			}
		}
		if err != nil || w.listing == nil {
			return err
		}
	}
	if err := w.eachTouched(ctx, w.listing.listed, w.listing.set); err != nil {
		w.listing = nil
		return err
	}
	_, err := w.held.Put(ctx, key, w.listing.text(), store.PutOptions{})
	return err
}

// eachTouched calls f for the documents of the nodes that were changed, or that an
// interrupted edit had changed in the same way, by their names in the consolidated
// metadata; and for those of the groups above them that are not listed there.
func (t *target) eachTouched(ctx context.Context, listed func(name string) bool, f func(name string, doc []byte)) error {
	nodes := slices.Clone(t.touched)
	for _, key := range t.held.Changes() {
		nodes = append(nodes, path.Dir(key))
	}
	names, mark := documents[:3], ".zgroup"
	had := map[string]bool{}
	if t.layout == hdmf.V3 {
		names, mark = documents[3:4], ""
		had["."] = true // the root is not listed in itself
	}
	one := func(node string) error {
		if had[node] {
			return nil
		}
		had[node] = true
		for _, name := range names {
			doc, _, err := t.held.Get(ctx, path.Join(node, name), store.UpTo(meta.MaxBytes), nil)
			switch {
			case errors.Is(err, store.ErrNotExist):
			case err != nil:
				return err
			case t.layout == hdmf.V3:
				f(node, doc)
			default:
				f(path.Join(node, name), doc)
			}
		}
		return nil
	}
	for _, node := range nodes {
		var above []string
		for up := path.Dir(node); up != "."; up = path.Dir(up) {
			if !listed(path.Join(up, mark)) {
				above = append(above, up)
			}
		}
		slices.Reverse(above)
		for _, n := range append(above, node) {
			if err := one(n); err != nil {
				return err
			}
		}
	}
	return nil
}

// find gives the value of a member to be changed, nil if there is none.
func find(members []strictjson.Member, name string) *json.RawMessage {
	for i := range members {
		if members[i].Name == name {
			return &members[i].Raw
		}
	}
	return nil
}

// object spells members; those without a value are left out.
func object(members []strictjson.Member) json.RawMessage {
	out := []byte{'{'}
	for _, m := range members {
		if m.Raw == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(appendText(out, m.Name), ':'), m.Raw...)
	}
	return append(out, '}')
}
