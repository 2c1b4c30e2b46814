package schema

import (
	"errors"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// definition is a type as a source writes it, and what became of it.
type definition struct {
	ns      *Namespace
	source  string
	name    string
	inc     string
	kind    Kind
	group   *GroupSpec
	dataset *DatasetSpec
	entry   int
	odd     []*Error
	err     error // why it cannot be used, as written

	done      bool // the following are set
	resolved  *Type
	failed    error
	inherited []*Error // oddities of what it makes of its base
}

// The names of members that say which type a spec defines and which it includes.
const (
	defKey, nwbDefKey = "data_type_def", "neurodata_type_def"
	incKey, nwbIncKey = "data_type_inc", "neurodata_type_inc"
)

// The functions below run while the catalog is locked.

// resolve walks up to the root or to a type that is resolved already, and merges
// on its way back: a chain may be long, and Go's stack is not for it.
func (d *definition) resolve() (*Type, error) {
	if d.done {
		return d.resolved, d.failed
	}
	var chain []*definition
	on := map[*definition]bool{}
	for at := d; !at.done; {
		chain, on[at] = append(chain, at), true
		if at.err != nil {
			at.finish(nil, at.err)
			break
		}
		if at.inc == "" {
			at.finish(at.merged(nil))
			break
		}
		base := at.ns.definition(at.inc)
		switch {
		case base == nil:
			at.finish(nil, at.error(fmt.Errorf("inherits from %s, which is %w", strictjson.Quote(at.inc), ErrUnknown)))
		case on[base]:
			err := ErrCycle
			if base != at {
				err = fmt.Errorf("%w through %s", ErrCycle, strictjson.Quote(at.inc))
			}
			at.finish(nil, at.error(err))
		default:
			at = base
		}
	}
	for _, at := range slices.Backward(chain) {
		if at.done {
			continue
		}
		base := at.ns.definition(at.inc)
		if base.failed != nil {
			at.finish(nil, at.error(fmt.Errorf("inherits from a broken type: %w", root(base.failed))))
			continue
		}
		at.finish(at.merged(base.resolved))
	}
	return d.resolved, d.failed
}

// root is the first reason in a chain of broken types, so that the message does
// not grow with the chain.
func root(err error) error {
	for {
		var e *Error
		if !errors.As(errors.Unwrap(err), &e) {
			return err
		}
		err = e
	}
}

func (d *definition) finish(t *Type, err error) { d.done, d.resolved, d.failed = true, t, err }

func (d *definition) error(err error) error {
	return &Error{Namespace: d.ns.Name, Version: d.ns.Version, Source: d.source, Type: d.name, Err: err}
}

// merged is the type on top of its base, which may be nil.
func (d *definition) merged(base *Type) (*Type, error) {
	t := &Type{
		Namespace: d.ns.Name, Version: d.ns.Version, Source: d.source, Name: d.name, Base: base, Kind: d.kind,
		Group: d.group, Dataset: d.dataset,
	}
	if base != nil && base.Kind != d.kind {
		return nil, d.error(fmt.Errorf("is a %v and inherits from %s, a %v", d.kind, strictjson.Quote(base.Name), base.Kind))
	}
	if base != nil {
		if t.depth = base.depth + 1; t.depth > maxChain {
			return nil, d.error(fmt.Errorf("%w: inherits through more than %d types", ErrLimit, maxChain))
		}
	}
	m := &d.ns.catalog.merge
	m.odd = nil
	if d.kind == GroupKind {
		t.Doc = d.group.Doc
		if base != nil {
			t.Group = m.group(d.group, base.Group)
		}
	} else {
		t.Doc = d.dataset.Doc
		if base != nil {
			t.Dataset = m.dataset(d.dataset, base.Dataset)
		}
	}
	if err := m.limit(); err != nil {
		return nil, d.error(err)
	}
	d.inherited = nil
	for _, o := range m.odd {
		d.inherited = append(d.inherited, &Error{
			Namespace: d.ns.Name, Version: d.ns.Version, Source: d.source, Type: d.name, Member: o.member, Err: o.err,
		})
	}
	return t, nil
}
