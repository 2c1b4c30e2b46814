package write

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// room checks that a new member can be made, and gives the group for it.
func (e *Editor) room(ctx context.Context, at string) (*hdmf.Group, string, error) {
	above, name := path.Split(path.Clean("/" + at))
	if err := checkName(name); err != nil {
		return nil, "", err
	}
	if place := (&copier{src: e.file}).location(); place != "" && strings.HasPrefix(above+name+"/", "/"+place+"/") {
		return nil, "", fmt.Errorf("%w: the cached schemas of the file are in /%s", ErrExist, place)
	}
	o, err := e.own(ctx, above)
	if err != nil {
		return nil, "", err
	}
	g, ok := o.(*hdmf.Group)
	if !ok {
		return nil, "", fmt.Errorf("%s is a dataset and holds nothing", above)
	}
	for m, err := range g.Members(ctx) {
		if err != nil {
			return nil, "", err // it may be what lies there
		}
		if m.Name == name {
			return nil, "", ErrExist
		}
	}
	return g, name, nil
}

// Link makes a name in a group that stands for an object elsewhere.
func (e *Editor) Link(ctx context.Context, at string, to hdmf.Reference) error {
	defer e.lock()()
	g, name, err := e.room(ctx, at)
	if err == nil {
		err = checkLink(to)
	}
	if err != nil {
		return e.failed(at, err)
	}
	entry, err := e.appendLink(ctx, nil, link{name, to})
	if err != nil {
		return e.failed(at, err)
	}
	attrs := g.Node().Attributes()
	list := []byte("[]")
	if raw := attrs.Raw(e.linksName()); raw != nil {
		list = slices.Clone(raw)
	}
	empty := true
	if err := strictjson.Each(list, func(int, json.RawMessage) error { empty = false; return nil }); err != nil {
		return e.failed(at, strictjson.At(e.linksName(), err))
	}
	list = list[:len(list)-1]
	if !empty {
		list = append(list, ',')
	}
	if err := attrs.Set(e.linksName(), json.RawMessage(append(append(list, entry...), ']'))); err != nil {
		return e.failed(at, err)
	}
	return e.fail(at, g.Node().SetAttributes(ctx, attrs))
}

// AddGroup makes a group with all that it holds. The group above it is there. What is
// not as the schemas say that the file caches is told as an Invalid, and the file is as
// it was, unless Unchecked is set; what the group refers to may be added later.
func (e *Editor) AddGroup(ctx context.Context, at string, g *Group) error {
	defer e.lock()()
	b := e.builder()
	at = path.Clean("/" + at)
	if err := b.name(at, g, strings.Count(at, "/")); err != nil {
		return e.failed(at, err)
	}
	return e.add(ctx, at, b, func() error { return b.group(ctx, at, g) })
}

// AddDataset makes a dataset, which is checked as by AddGroup. The group that it is put
// into is there.
func (e *Editor) AddDataset(ctx context.Context, at string, d *Dataset) error {
	defer e.lock()()
	b := e.builder()
	if d == nil {
		return e.failed(at, errNil)
	}
	at = path.Clean("/" + at)
	b.ids[at] = d.id()
	return e.add(ctx, at, b, func() error { return b.add(ctx, at, d) })
}

// builder writes new nodes as the file has others.
func (e *Editor) builder() *builder {
	b := newBuilder(e.target, "neurodata_type")
	if e.opts.DataType || e.file.Root().Node().Attributes().Raw("data_type") != nil {
		b.key = "data_type"
	}
	return b
}

func (e *Editor) add(ctx context.Context, at string, b *builder, make func() error) error {
	if _, _, err := e.room(ctx, at); err != nil {
		return e.failed(at, err)
	}
	before := e.place
	e.place = func(ctx context.Context, r hdmf.Reference) (hdmf.Reference, error) {
		if (r.Source == "." || r.Source == "") && r.ObjectID == "" {
			to := b.through(r)
			if to.Source == "." {
				to.ObjectID = b.ids[to.Path]
			}
			to, err := before(ctx, to)
			if err != nil {
				return r, err
			}
			r.ObjectID = to.ObjectID
		}
		return before(ctx, r)
	}
	defer func() { e.place = before }()
	err := e.checkNew(ctx, at, b, make)
	if bad, ok := errors.AsType[*Invalid](err); ok {
		return bad // which names the place
	}
	if err == nil {
		err = e.vacate(ctx, at[1:])
	}
	if err != nil {
		return e.failed(at, err)
	}
	e.held.Adds(at[1:])
	return e.fail(at, make())
}

// vacate makes sure that nothing is stored where something new is to be: what an
// interruption left there, which no document tells of, would become part of it.
func (e *Editor) vacate(ctx context.Context, node string) error {
	for entry, err := range e.held.Base().List(ctx, node+"/", "") {
		if err != nil {
			return err
		}
		if isDocument(entry.Key) {
			return fmt.Errorf("%w: %s", ErrExist, strictjson.Quote(entry.Key))
		}
	}
	return e.held.Base().Delete(ctx, node+"/")
}
