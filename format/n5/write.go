package n5

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// PutNode stores the document of a node. What other programs put into
// attributes.json stays where the node says the same.
func (c *container) PutNode(ctx context.Context, node string, n meta.Node, opt store.PutOptions) error {
	key := path.Join(node, attributesName)
	old, text, info, err := c.read(ctx, node)
	if err != nil && text != nil && !opt.IfAbsent && opt.IfMatch == "" {
		old, err = nil, nil // a broken one is replaced
	}
	if err != nil {
		return err
	}
	if _, array := n.(*meta.Array); opt.IfAbsent && (old != nil || array && c.holdsDataset(ctx, node)) {
		return store.WrapError("put", c.store.URL(), key, store.ErrPrecondition)
	}
	attrs, err := c.marshal(ctx, node, old, n)
	if err != nil {
		return store.WrapError("put", c.store.URL(), key, err)
	}
	adopted, err := c.adopted(ctx, node)
	if err != nil {
		return err
	}
	if opt.IfAbsent && node != "" {
		if err := c.makeRoot(ctx); err != nil {
			return err
		}
	}
	now := attrs.Append(nil)
	if old != nil && string(now) == string(old.Append(nil)) && (opt.IfMatch == "" || opt.IfMatch == info.ETag) {
		return c.updateAdopted(ctx, node, adopted, n) // it says the same, perhaps with other white space
	}
	if len(now) > c.reg.Limit() {
		return store.WrapError("put", c.store.URL(), key, fmt.Errorf("%d bytes of attributes, at most %d are possible", len(now), c.reg.Limit()))
	}
	if _, err = c.store.Put(ctx, key, now, opt); err != nil {
		return err
	}
	return c.updateAdopted(ctx, node, adopted, n)
}

// makeRoot gives a container that has none the document which says that it is one.
func (c *container) makeRoot(ctx context.Context) error {
	if _, text, _, err := c.read(ctx, ""); err != nil || text != nil {
		return err
	}
	_, err := c.store.Put(ctx, attributesName, []byte(`{"n5":"`+Version+`"}`), store.PutOptions{IfAbsent: true})
	if errors.Is(err, store.ErrPrecondition) {
		return nil // somebody else made it
	}
	return err
}

// marshal gives the attributes.json of a node that had old before.
func (c *container) marshal(ctx context.Context, node string, old *meta.Attributes, n meta.Node) (*meta.Attributes, error) {
	out := &meta.Attributes{}
	switch n := n.(type) {
	case *meta.Array:
		members, err := c.opt.members(n, old)
		if err != nil {
			return nil, err
		}
		if out, err = c.keep(old, n, members); err != nil {
			return nil, err
		}
		rank := len(n.Shape)
		if err := stored(out, n.Attributes, old, rank); err != nil {
			return nil, err
		}
		return out, c.nameDimensions(out, n)
	case *meta.Group:
		for _, x := range n.Extra {
			return nil, fmt.Errorf("no member %s in N5", strictjson.Quote(x.Name))
		}
		if n.Consolidated != nil {
			return nil, errors.New("no consolidated metadata in N5")
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
		attrs, err := c.withoutImage(ctx, node, old, n.Attributes.Clone())
		if err != nil {
			return nil, err
		}
		if err := c.turnImage(attrs); err != nil {
			return nil, err
		}
		return out, stored(out, attrs, old, 0)
	}
	return nil, fmt.Errorf("a %s is neither an array nor a group", n.NodeType())
}

// keep gives the members of a dataset, spelled as they were where they say the
// same, and first, as Java's N5 writes them.
func (c *container) keep(old *meta.Attributes, m *meta.Array, members []strictjson.Member) (*meta.Attributes, error) {
	out := &meta.Attributes{}
	var was []strictjson.Member
	if isDataset(old) {
		if a, err := c.opt.array(old); err == nil {
			if c.opt.reversed {
				err = reverse(a)
			}
			if err == nil {
				was, _ = c.opt.members(a, old)
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
		if raw == nil && name == blockSizeMember && string(was[i+1].Raw) != string(members[i+1].Raw) {
			raw = x.Raw // it was the dimensions, which are others now
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

// nameDimensions writes down the names of dimensions where the attributes do not
// give them already.
func (c *container) nameDimensions(attrs *meta.Attributes, m *meta.Array) error {
	if m.DimensionNames == nil {
		return nil
	}
	want := slices.Clone(m.DimensionNames)
	if c.opt.reversed {
		slices.Reverse(want)
	}
	same := func(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }
	if slices.EqualFunc(want, dimensionNames(attrs, len(want)), same) {
		return nil
	}
	if repeats(want) {
		return errors.New("dimensions of N5 that have names have different ones")
	}
	if users := attrs.Raw("axes"); users != nil { // an attribute that means something else
		others, err := meta.ParseAttributes(orEmpty(attrs.Raw(othersMember)))
		if err == nil {
			err = others.Set("axes", users)
		}
		if err == nil {
			err = setOthers(attrs, others)
		}
		if err != nil {
			return err
		}
	}
	axes := make([]string, len(want))
	for i, name := range want {
		if name != nil {
			axes[i] = *name
		}
	}
	return attrs.Set("axes", axes)
}

func orEmpty(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("{}")
	}
	return raw
}

// withoutImage leaves out the image that the attributes of a group were given by
// a convention, and not by a user. It changes attrs.
func (c *container) withoutImage(ctx context.Context, node string, old, attrs *meta.Attributes) (*meta.Attributes, error) {
	given := attrs.Raw(imageAttribute)
	if given == nil || old.Raw(imageAttribute) != nil {
		return attrs, nil
	}
	derived, err := c.image(ctx, node, old)
	if err != nil || !sameImage(given, derived) {
		return attrs, err
	}
	attrs.Delete(imageAttribute)
	return attrs, nil
}

// sameImage reports whether an image is the one that a convention gives, or gave
// when it had fewer levels.
func sameImage(given, derived json.RawMessage) bool {
	if derived == nil || compact(given) == compact(derived) {
		return derived != nil
	}
	a, errA := ngff.Parse(given)
	b, errB := ngff.Parse(derived)
	if errA != nil || errB != nil || len(a) != 1 || len(b) != 1 {
		return false
	}
	n := min(len(a[0].Levels), len(b[0].Levels))
	a[0].Levels, b[0].Levels = a[0].Levels[:n], b[0].Levels[:n]
	return reflect.DeepEqual(a, b)
}

// compact is JSON without white space.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
