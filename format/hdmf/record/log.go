package record

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/store"
)

// log keeps spikes that are in no column yet beside the table: in a value that is
// stored with a commit and no earlier, and what is too long for it in others, which
// count if that one says so. When a column is written anew, what it lacks goes into
// values of other names, so that nothing is overwritten that counts.
//
// The first value is a line of JSON, then records, as all others are. A record is the
// number of a unit and that of its spikes, 32 bits each, and the times as 64-bit floats,
// all in little endian.
type log struct {
	store store.Store
	dir   string // of the table, with a slash
	state state
	text  []byte // records that are in no other value
	value []byte // memory
	new   bool   // there is more than is stored
	old   []string
}

// state says which values count.
type state struct {
	Generation int `json:"generation"` // of the column that lacks the spikes
	Values     int `json:"values"`     // besides the first
}

const (
	segment = 16 << 10 // bytes from which on records go into a value of their own
	logName = ".omnizarr-spikes."
	maxLog  = 1 << 30 // bytes of a value
)

// openLog reads what an interrupted recording has left of a column, into fresh.
func openLog(ctx context.Context, beside store.Store, column *write.Tail, fresh *lists) (*log, error) {
	l := &log{store: beside, dir: path.Dir(column.Path())[1:] + "/", state: state{Generation: column.Generation()}}
	first := l.dir + write.Pending
	text, _, err := l.store.Get(ctx, first, store.UpTo(maxLog), nil)
	switch {
	case errors.Is(err, store.ErrNotExist):
		return l, l.strays(ctx)
	case err != nil:
		return nil, err
	}
	line, records, ok := bytes.Cut(text, []byte{'\n'})
	if !ok || json.Unmarshal(line, &l.state) != nil {
		return nil, fmt.Errorf("%s does not say which spikes an interrupted recording left", first)
	}
	if l.state.Generation != column.Generation() {
		return nil, fmt.Errorf("%s is of another column: remove it if its spikes are not needed", first)
	}
	for k := range l.state.Values {
		text, _, err := l.store.Get(ctx, l.key(k), store.UpTo(maxLog), nil)
		if err == nil {
			err = read(text, fresh)
		}
		if err != nil {
			return nil, fmt.Errorf("spikes that an interrupted recording left in %s: %w", l.key(k), err)
		}
	}
	if err := read(records, fresh); err != nil {
		return nil, fmt.Errorf("spikes that an interrupted recording left in %s: %w", first, err)
	}
	l.text = records
	return l, l.strays(ctx)
}

// strays finds values that do not count.
func (l *log) strays(ctx context.Context) error {
	for e, err := range l.store.List(ctx, l.dir, "/") {
		if err != nil {
			return err
		}
		name, ok := strings.CutPrefix(e.Key, l.dir+logName)
		if !ok || e.IsPrefix {
			continue
		}
		gen, number, _ := strings.Cut(name, ".")
		k, err := strconv.Atoi(number)
		if err != nil || gen != strconv.Itoa(l.state.Generation) || k < 0 || k >= l.state.Values {
			l.old = append(l.old, e.Key)
		}
	}
	return nil
}

var errCut = errors.New("a record is cut")

// each takes records apart: the unit of each, and its times as bytes.
func each(text []byte, f func(unit int, times []byte) error) error {
	for len(text) > 0 {
		if len(text) < 8 {
			return errCut
		}
		unit, n := int(binary.LittleEndian.Uint32(text)), int(binary.LittleEndian.Uint32(text[4:]))
		if text = text[8:]; n > len(text)/8 {
			return errCut
		}
		if err := f(unit, text[:8*n]); err != nil {
			return err
		}
		text = text[8*n:]
	}
	return nil
}

// tally counts the spikes of records.
func tally(text []byte) (n int, err error) {
	err = each(text, func(_ int, times []byte) error { n += len(times) / 8; return nil })
	return n, err
}

// read adds the spikes of records.
func read(text []byte, into *lists) error {
	return each(text, func(unit int, times []byte) error {
		if unit >= len(into.of) {
			return fmt.Errorf("there is no unit in row %d of %d", unit, len(into.of))
		}
		for into.n += len(times) / 8; len(times) > 0; times = times[8:] {
			into.of[unit] = append(into.of[unit], math.Float64frombits(binary.LittleEndian.Uint64(times)))
		}
		return nil
	})
}

func (l *log) key(k int) string {
	return fmt.Sprintf("%s%s%d.%d", l.dir, logName, l.state.Generation, k)
}

// add appends a record.
func (l *log) add(unit int, times []float64) {
	if len(times) == 0 {
		return
	}
	l.text = binary.LittleEndian.AppendUint32(l.text, uint32(unit))
	l.text = binary.LittleEndian.AppendUint32(l.text, uint32(len(times)))
	for _, t := range times {
		l.text = binary.LittleEndian.AppendUint64(l.text, math.Float64bits(t))
	}
	l.new = true
}

// put stores what was added, which counts with the next commit.
func (l *log) put(ctx context.Context) error {
	if !l.new {
		return nil
	}
	first := l.dir + write.Pending
	if len(l.text) == 0 && l.state.Values == 0 {
		l.new = false
		return l.store.Delete(ctx, first)
	}
	next := l.state
	if len(l.text) >= segment {
		key := l.key(next.Values)
		l.old = slices.DeleteFunc(l.old, func(old string) bool { return old == key })
		if _, err := l.store.Put(ctx, key, l.text, store.PutOptions{}); err != nil {
			return err
		}
		next.Values++
	}
	line, err := json.Marshal(next)
	if err != nil {
		return err
	}
	l.value = append(append(l.value[:0], line...), '\n')
	if next == l.state {
		l.value = append(l.value, l.text...)
	}
	if _, err := l.store.Put(ctx, first, l.value, store.PutOptions{}); err != nil {
		return err
	}
	if next != l.state {
		l.text = l.text[:0]
	}
	l.state, l.new = next, false
	return nil
}

// restart begins anew for a column of another generation, which lacks what is fresh.
func (l *log) restart(gen int, fresh *lists) {
	for k := range l.state.Values {
		l.old = append(l.old, l.key(k))
	}
	l.state, l.text = state{Generation: gen}, l.text[:0]
	for unit, times := range fresh.of {
		l.add(unit, times)
	}
	l.new = true
}

// forget removes what is in the column that counts now. What stays is tried again.
func (l *log) forget(ctx context.Context) {
	l.old = slices.DeleteFunc(l.old, func(key string) bool { return l.store.Delete(ctx, key) == nil })
}

// Recover writes what an interrupted recording has left beside tables into their
// columns: spikes that were committed, and that other programs do not see. It removes
// chunks of columns that were written anew. Who goes on to record need not call it. It
// is nothing for files that were closed, and for those of the layout V2.
func Recover(ctx context.Context, url string, opts Options) (err error) {
	r, err := open(ctx, url, opts)
	if err != nil {
		return err
	}
	defer func() {
		if err == nil {
			err = r.Close()
		} else {
			err = errors.Join(err, r.Discard())
		}
	}()
	if r.edit.File().Layout() != hdmf.V3 {
		return nil
	}
	found, err := FindLeft(ctx, r.edit.Store(), opts.Edit.Zarr...)
	if err != nil {
		return err
	}
	opened := map[string]bool{}
	for _, left := range found {
		table := left.Path
		if !left.Pending {
			table = path.Dir(table)
		}
		if opened[table] {
			continue
		}
		opened[table] = true
		if _, err := r.Spikes(ctx, table); err != nil {
			return err
		}
	}
	return nil
}
