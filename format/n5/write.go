package n5

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// Put stores a value, the document of a node as attributes.json.
func (s *Store) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	node, ok := nodeOf(key)
	if !ok {
		return s.Store.Put(ctx, key, data, opt)
	}
	n, err := meta.Parse(data, s.reg)
	if err != nil {
		return store.Info{}, store.WrapError("put", s.URL(), key, err)
	}
	return store.Info{Size: int64(len(data)), Format: Format}, s.PutNode(ctx, node, n, Format, opt)
}

// PutNode stores the document of a node. What other programs put into
// attributes.json stays where the node says the same.
func (s *Store) PutNode(ctx context.Context, node string, n meta.Node, _ string, opt store.PutOptions) error {
	key := path.Join(node, attributesName)
	old, _, info, err := s.read(ctx, node)
	if err != nil && !opt.IfAbsent && opt.IfMatch == "" {
		old, err = nil, nil // a broken one is replaced
	}
	if err != nil {
		return err
	}
	if opt.IfAbsent && old != nil {
		return store.WrapError("put", s.URL(), key, store.ErrPrecondition)
	}
	attrs, err := s.marshal(ctx, node, old, n)
	if err != nil {
		return store.WrapError("put", s.URL(), key, err)
	}
	now := attrs.Append(nil)
	if old != nil && string(now) == string(old.Append(nil)) && (opt.IfMatch == "" || opt.IfMatch == info.ETag) {
		return nil // it says the same, perhaps with other white space
	}
	if len(now) > meta.MaxBytes {
		return store.WrapError("put", s.URL(), key, fmt.Errorf("%d bytes of attributes, at most %d are possible", len(now), meta.MaxBytes))
	}
	_, err = s.Store.Put(ctx, key, now, opt)
	return err
}

// marshal gives the attributes.json of a node that had old before.
func (s *Store) marshal(ctx context.Context, node string, old *meta.Attributes, n meta.Node) (*meta.Attributes, error) {
	out := &meta.Attributes{}
	switch n := n.(type) {
	case *meta.Array:
		members, err := s.opt.members(n, old)
		if err != nil {
			return nil, err
		}
		if out, err = s.keep(old, n, members); err != nil {
			return nil, err
		}
		rank := len(n.Shape)
		if err := stored(out, n.Attributes, rank); err != nil {
			return nil, err
		}
		return out, s.name(out, n)
	case *meta.Group:
		for _, x := range n.Extra {
			return nil, fmt.Errorf("no member %s in N5", strictjson.Quote(x.Name))
		}
		if n.Consolidated != nil {
			return nil, fmt.Errorf("no consolidated metadata in N5")
		}
		version := old.Raw(versionMember)
		if version == nil && node == "" {
			version = json.RawMessage(`"` + Version + `"`)
		}
		if version != nil {
			if err := out.Set(versionMember, version); err != nil {
				return nil, err
			}
		}
		attrs, err := s.withoutImage(ctx, node, old, n.Attributes.Clone())
		if err != nil {
			return nil, err
		}
		if err := s.turnImage(attrs); err != nil {
			return nil, err
		}
		return out, stored(out, attrs, 0)
	}
	return nil, fmt.Errorf("a %s is neither an array nor a group", n.NodeType())
}

// keep gives the members of a dataset, spelled as they were where they say the
// same, and first, as Java's N5 writes them.
func (s *Store) keep(old *meta.Attributes, m *meta.Array, members []strictjson.Member) (*meta.Attributes, error) {
	out := &meta.Attributes{}
	var was []strictjson.Member
	if isDataset(old) {
		if a, err := s.opt.array(old); err == nil {
			if s.opt.Reversed {
				err = reverse(a)
			}
			if err == nil {
				was, _ = s.opt.members(a, old)
			}
		}
		if v := old.Raw(versionMember); v != nil {
			if err := out.Set(versionMember, v); err != nil {
				return nil, err
			}
		}
	}
	for i, x := range members {
		name, raw := x.Name, x.Raw
		if was != nil && string(was[i].Raw) == string(raw) {
			if raw = old.Raw(name); raw == nil && name == compressionMember {
				name, raw = oldMember, old.Raw(oldMember)
			}
		}
		if raw == nil {
			continue // it was not said, and need not be
		}
		if err := out.Set(name, raw); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// name writes down the names of dimensions where the attributes do not give them
// already.
func (s *Store) name(attrs *meta.Attributes, m *meta.Array) error {
	if m.DimensionNames == nil {
		return nil
	}
	want := slices.Clone(m.DimensionNames)
	if s.opt.Reversed {
		slices.Reverse(want)
	}
	same := func(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }
	if slices.EqualFunc(want, dimensionNames(attrs, len(want)), same) {
		return nil
	}
	axes := make([]string, len(want))
	for i, name := range want {
		if name != nil {
			axes[i] = *name
		}
	}
	return attrs.Set("axes", axes)
}

// withoutImage leaves out the image that the attributes of a group were given by
// a convention, and not by a user. It changes attrs.
func (s *Store) withoutImage(ctx context.Context, node string, old, attrs *meta.Attributes) (*meta.Attributes, error) {
	given := attrs.Raw(imageAttribute)
	if given == nil || old.Raw(imageAttribute) != nil {
		return attrs, nil
	}
	derived, err := s.image(ctx, node, old)
	if err != nil || compact(derived) != compact(given) {
		return attrs, err
	}
	attrs.Delete(imageAttribute)
	return attrs, nil
}

// compact is JSON without white space.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// Delete removes a value; with the document of a node that of N5.
func (s *Store) Delete(ctx context.Context, key string) error {
	if node, ok := nodeOf(key); ok {
		key = path.Join(node, attributesName)
	}
	return s.Store.Delete(ctx, key)
}
