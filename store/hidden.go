package store

import (
	"context"
	"iter"
	"strings"
	"time"
)

// Hider is a store whose listings pass things over that lie in its place and are no
// values; use Hidden and Sweep.
type Hider interface {
	// Hidden yields them, below a prefix as List has it.
	Hidden(ctx context.Context, prefix string) iter.Seq2[HiddenEntry, error]
	// Sweep removes a Temporary one; one that is gone is no error.
	Sweep(ctx context.Context, key string) error
}

// HiddenEntry is something that a listing passes over.
type HiddenEntry struct {
	Key      string
	Why      Why
	Target   string    // of a link
	Modified time.Time // zero if unknown
	Owner    Owner     // of a temporary file
}

// Owner says whether who makes a temporary file is still there.
type Owner string

// What may be known of an owner. Where nothing is, as of other machines, the age tells.
const (
	OwnerUnknown Owner = ""
	OwnerAlive   Owner = "alive"
	OwnerGone    Owner = "gone"
)

// Why says what a hidden entry is.
type Why string

// What there can be in the place of a store besides values.
const (
	Temporary    Why = "temporary file"                       // of a writer, which may still be at it
	LeadsOut     Why = "symbolic link that leads out"         // of the store
	LeadsNowhere Why = "symbolic link that leads nowhere"     // inside the store
	NoFile       Why = "neither a file nor a folder nor link" // such as a device
)

// Hidden yields what the listing of a store passes over: nothing where there can be
// no such thing.
func Hidden(ctx context.Context, s Reader, prefix string) iter.Seq2[HiddenEntry, error] {
	if h, ok := As[Hider](s); ok {
		return h.Hidden(ctx, prefix)
	}
	return func(func(HiddenEntry, error) bool) {}
}

// Sweep removes a temporary value that Hidden gave.
func Sweep(ctx context.Context, s Writer, key string) error {
	if h, ok := As[Hider](s); ok {
		return h.Sweep(ctx, key)
	}
	return nil
}

// Hidden forwards.
func (r readOnly) Hidden(ctx context.Context, prefix string) iter.Seq2[HiddenEntry, error] {
	return Hidden(ctx, r.s, prefix)
}

// Sweep refuses.
func (r readOnly) Sweep(_ context.Context, key string) error {
	return WrapError("delete", r.URL(), key, ErrReadOnly)
}

// Hidden forwards.
func (b *sub) Hidden(ctx context.Context, prefix string) iter.Seq2[HiddenEntry, error] {
	return func(yield func(HiddenEntry, error) bool) {
		for e, err := range Hidden(ctx, b.s, b.prefix+prefix) {
			e.Key = strings.TrimPrefix(e.Key, b.prefix)
			if !yield(e, err) {
				return
			}
		}
	}
}

// Sweep forwards.
func (b *sub) Sweep(ctx context.Context, key string) error {
	k, err := b.inner("delete", key)
	if err != nil {
		return err
	}
	return Sweep(ctx, b.s, k)
}
