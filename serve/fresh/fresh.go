// Package fresh tells which stored values something was made of, so that what is kept of it
// goes by them: a chunk that is written anew, with the documents as they were, is noticed.
package fresh

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// State is what the chunks of a part of an array are now.
type State struct {
	// Tags changes when one of the chunks does. It is "" where that is not known: on other
	// machines, which would have to be asked for each, and for very many chunks.
	Tags string
	// Stored reports whether one of the chunks is there, or may be.
	Stored bool
}

const (
	// few chunks are looked at each time; those of an array that has more, once a second.
	few = 1024
	// Most is how many are looked at for one answer.
	Most = 1 << 16
	// each is about what it takes to look at one, times 20: so much of the time is spent on
	// it at most.
	each = 60 * time.Microsecond
	// mostKnown is how many answers are remembered.
	mostKnown = 1 << 14
)

// Chunks looks at chunks. The zero value is ready; its methods may be called by several
// goroutines.
type Chunks struct {
	mu    sync.Mutex
	known map[string]looked
}

// looked is what was seen at some time.
type looked struct {
	State
	until time.Time
}

// Of looks at the chunks that a box of an array lies in.
func (c *Chunks) Of(ctx context.Context, a *zarr.Array, box nd.Box) (State, error) {
	m := a.Metadata()
	first, count, total := make([]int, len(box.Start)), make([]int, len(box.Start)), 1
	all := 1 // chunks of the array, or more than few
	for i, n := range m.Grid.Count() {
		if box.Shape[i] <= 0 {
			return State{}, nil
		}
		first[i] = m.Grid.Find(i, box.Start[i])
		count[i] = m.Grid.Find(i, box.Start[i]+box.Shape[i]-1) - first[i] + 1
		if count[i] > Most/total { // a product may be more than an int holds
			return State{Stored: true}, nil
		}
		total *= count[i]
		all = min(all*min(n, few+1), few+1)
	}
	key := ""
	if all > few {
		key = fmt.Sprint(store.Identity(a.Store(), a.Path()), "\x00", a.URL(), "\x00", first, count)
		if s, ok := c.remembered(key); ok {
			return s, nil
		}
	}
	s, err := look(ctx, a, first, count)
	if err == nil && key != "" {
		c.remember(key, looked{s, time.Now().Add(max(time.Second, time.Duration(total)*each))})
	}
	return s, err
}

// Whole looks at all chunks of an array.
func (c *Chunks) Whole(ctx context.Context, a *zarr.Array) (State, error) {
	return c.Of(ctx, a, nd.Whole(a.Shape()))
}

func (c *Chunks) remembered(key string) (State, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l, ok := c.known[key]
	return l.State, ok && time.Now().Before(l.until)
}

func (c *Chunks) remember(key string, l looked) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= mostKnown {
		c.known = map[string]looked{}
	}
	c.known[key] = l
}

// look opens one chunk after the other, which of a file that is near costs little.
func look(ctx context.Context, a *zarr.Array, first, count []int) (State, error) {
	m, s, at := a.Metadata(), a.Store(), a.Path()
	if at != "" {
		at += "/"
	}
	sum := sha256.New()
	out := State{}
	index, key := make([]int, len(first)), []byte(at)
	for step := make([]int, len(first)); ; {
		for i := range step {
			index[i] = first[i] + step[i]
		}
		key = m.Keys.Append(key[:len(at)], index)
		o, err := store.Open(ctx, s, string(key))
		tag := "-"
		switch {
		case errors.Is(err, store.ErrNotExist):
		case err != nil:
			return State{}, err
		default:
			near := store.IsNear(o)
			tag, out.Stored = store.Tag(o), true
			if err := o.Close(); err != nil {
				return State{}, err
			}
			if !near {
				return State{Stored: true}, nil
			}
		}
		_, _ = io.WriteString(sum, tag)
		_, _ = io.WriteString(sum, "\n")
		if !nd.Next(step, count) {
			break
		}
	}
	out.Tags = hex.EncodeToString(sum.Sum(nil)[:12])
	return out, nil
}
