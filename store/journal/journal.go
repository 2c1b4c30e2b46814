// Package journal changes several values of a store at once, where the store itself
// changes only one at a time. What is to be changed is stored as one value beside
// them, the journal; then each is changed, and the journal is removed. Who finds a
// journal knows that all its changes are decided: Finish makes those that are
// missing, and Over shows them as made.
package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/held"
)

// Name is the key of the journal.
const Name = ".omnizarr-edit"

// Journal is changes that are made together.
type Journal struct {
	Changes []Change // in the order in which they are made
}

// Change is what becomes of one value.
type Change struct {
	Key  string
	Data []byte // the new value; nil if there is to be none
	Was  string // the held.Version of the old one
}

// version is that of the new value.
func (c *Change) version() string { return held.Version(c.Data != nil, c.Data) }

var (
	// ErrUnknown says that a journal is of another version of this program.
	ErrUnknown = errors.New("the journal " + Name + " of an interrupted commit is of another version of Omnizarr, which can complete it")
	// ErrChanged says that a commit which was interrupted cannot be completed, since
	// somebody has changed what it changes.
	ErrChanged = errors.New("was changed by another program after a commit was interrupted that changes it too; remove " + Name + " to give that commit up")
)

// A journal is a line of JSON, a header, and behind it the new values one after the
// other.
type header struct {
	Version int     `json:"omnizarr_edit"`
	Changes []entry `json:"changes"`
	Values  string  `json:"values"` // the held.Version of all that is behind the header
}

type entry struct {
	Key  string `json:"key"`
	Size int    `json:"size"` // -1 if there is to be no value
	Was  string `json:"was"`
}

const current = 1

// maxBytes bounds a journal that is read.
const maxBytes = 1 << 30

// Append spells the journal behind dst.
func (j *Journal) Append(dst []byte) ([]byte, error) {
	h := header{Version: current, Changes: make([]entry, len(j.Changes))}
	values := make([][]byte, len(j.Changes))
	size := 0
	for i, c := range j.Changes {
		h.Changes[i] = entry{c.Key, len(c.Data), c.Was}
		if c.Data == nil {
			h.Changes[i].Size = -1
		}
		values[i] = c.Data
		size += len(c.Data)
	}
	h.Values = held.Version(true, values...)
	text, err := json.Marshal(h)
	if err != nil {
		return dst, err
	}
	dst = append(append(slices.Grow(dst, len(text)+1+size), text...), '\n')
	for _, v := range values {
		dst = append(dst, v...)
	}
	return dst, nil
}

// Parse reads a journal. One that is not whole, as a loss of power may leave it, is
// nil: it was never there. The changes refer to text.
func Parse(text []byte) (*Journal, error) {
	line, values, whole := bytes.Cut(text, []byte{'\n'})
	members, err := strictjson.Object(line, strictjson.Options{MaxBytes: maxBytes})
	if err != nil {
		return nil, nil
	}
	var h header
	if !slices.ContainsFunc(members, func(m strictjson.Member) bool {
		return m.Name == "omnizarr_edit" && string(m.Raw) == fmt.Sprint(current)
	}) {
		return nil, ErrUnknown
	}
	if err := strictjson.Decode(line, &h); err != nil || !whole || h.Values != held.Version(true, values) {
		return nil, nil
	}
	j := &Journal{}
	for _, e := range h.Changes {
		if err := store.CheckKey(e.Key); err != nil {
			return nil, err
		}
		c := Change{Key: e.Key, Was: e.Was}
		if e.Size >= 0 {
			if e.Size > len(values) {
				return nil, nil
			}
			c.Data, values = values[:e.Size:e.Size], values[e.Size:]
			if c.Data == nil {
				c.Data = []byte{}
			}
		}
		j.Changes = append(j.Changes, c)
	}
	return j, nil
}

// Read gives the journal of a store, nil if there is none.
func Read(ctx context.Context, s store.Reader) (*Journal, error) {
	j, _, err := read(ctx, s)
	return j, err
}

// read tells a journal that is not whole from none.
func read(ctx context.Context, s store.Reader) (j *Journal, there bool, err error) {
	text, _, err := s.Get(ctx, Name, store.UpTo(maxBytes), nil)
	if errors.Is(err, store.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	j, err = Parse(text)
	return j, true, store.WrapError("read", s.URL(), Name, err)
}

// Do makes the changes, and tells of each that it is made; done may be nil. They are
// decided: after an error somebody must make the others. With flush a loss of power
// leaves each value old or new; to wait for that takes its time, so that those behind
// the first are made some at once.
func (j *Journal) Do(ctx context.Context, s store.Writer, flush bool, done func(c *Change, info store.Info)) error {
	change := func(c *Change) error {
		var info store.Info
		var err error
		if c.Data == nil {
			err = s.Delete(ctx, c.Key)
		} else {
			info, err = s.Put(ctx, c.Key, c.Data, store.PutOptions{Flush: flush})
		}
		if err == nil && done != nil {
			done(c, info)
		}
		return err
	}
	var all errgroup.Group
	all.SetLimit(atOnce)
	for i := range j.Changes {
		if c := &j.Changes[i]; i > 0 && flush {
			all.Go(func() error { return change(c) })
		} else if err := change(c); err != nil {
			return err
		}
	}
	return all.Wait()
}

// atOnce is how many values are flushed at once, which a disk joins into few writes.
const atOnce = 8

// Finish completes what a journal of the store says, if there is one, and reports
// whether there was. ErrChanged says that somebody else has changed a value
// meanwhile; then nothing is done. Only who has the store alone may call it.
func Finish(ctx context.Context, s store.Store) (bool, error) {
	j, there, err := read(ctx, s)
	if err != nil || !there {
		return false, err
	}
	if j == nil {
		return false, s.Delete(ctx, Name)
	}
	open, err := j.Left(ctx, s)
	if err != nil {
		return false, err
	}
	err = store.Sync(ctx, s, []string{Name})
	if err == nil {
		err = open.Do(ctx, s, true, nil)
	}
	if err == nil {
		err = Sync(ctx, s, j)
	}
	if err == nil {
		err = s.Delete(ctx, Name)
	}
	if err == nil {
		err = store.Sync(ctx, s, []string{Name})
	}
	return err == nil, err
}

// Left is what is left to be done. ErrChanged says that it cannot be.
func (j *Journal) Left(ctx context.Context, s store.Reader) (*Journal, error) {
	left := &Journal{}
	for _, c := range j.Changes {
		made, err := c.made(ctx, s)
		if err != nil {
			return nil, err
		}
		if !made {
			left.Changes = append(left.Changes, c)
		}
	}
	return left, nil
}

// Sync makes what the journal has changed survive a loss of power.
func Sync(ctx context.Context, s store.Writer, j *Journal) error {
	keys := make([]string, len(j.Changes))
	for i, c := range j.Changes {
		keys[i] = c.Key
	}
	return store.Sync(ctx, s, keys)
}

// made reports whether a change has been made.
func (c *Change) made(ctx context.Context, s store.Reader) (bool, error) {
	now, _, err := s.Get(ctx, c.Key, store.UpTo(maxBytes), nil)
	if err != nil && !errors.Is(err, store.ErrNotExist) {
		return false, err
	}
	switch held.Version(err == nil, now) {
	case c.version():
		return true, nil
	case c.Was:
		return false, nil
	}
	return false, store.WrapError("complete", s.URL(), c.Key, ErrChanged)
}

// Committed shows a store as it is after a commit that some values do not tell of yet;
// nil if there is none, or none that can be understood: then what is stored is all that
// there is to read.
func Committed(ctx context.Context, s store.Store) store.Store {
	j, err := Read(ctx, s)
	if err != nil || j == nil {
		return nil
	}
	whole, err := Over(ctx, s, j)
	if err != nil {
		return nil
	}
	return whole
}

// Over shows a store as it is when the changes of a journal are made and the journal is
// gone, for reading.
func Over(ctx context.Context, s store.Store, j *Journal) (store.Store, error) {
	changed := map[string]bool{Name: true}
	for _, c := range j.Changes {
		changed[c.Key] = true
	}
	h := held.New(s, func(key string) bool { return changed[key] }, nil)
	err := j.Do(ctx, h, false, nil)
	if err == nil {
		err = h.Delete(ctx, Name)
	}
	if err != nil {
		return nil, err
	}
	return store.ReadOnly(h), nil
}
