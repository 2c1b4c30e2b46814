package record

import (
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

	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/store"
)

// log keeps spikes that are in no column yet beside the table: values of records, one
// behind the other, and a state that says which of them count, which is stored with a
// commit and no earlier. A value gets longer up to segment bytes; then another is
// begun. When a column is written anew, what it lacks goes into values of another
// name, so that nothing is overwritten that counts.
//
// A record is the number of a unit and that of its spikes, 32 bits each, and the times
// as 64-bit floats, all in little endian.
type log struct {
	store store.Store
	dir   string // of the table, with a slash
	state state
	text  []byte // the value that gets longer
	new   bool   // there is more than the state says
	old   []string
}

// state says which values count.
type state struct {
	Generation int `json:"generation"` // of the column that lacks the spikes
	Whole      int `json:"whole"`      // values that count wholly
	Bytes      int `json:"bytes"`      // of the next one
}

const (
	segment = 16 << 10
	logName = ".omnizarr-spikes."
	maxLog  = 1 << 30 // bytes of a value
)

// openLog reads what an interrupted recording has left of a column, into fresh.
func openLog(ctx context.Context, column *write.Tail, fresh *lists) (*log, error) {
	l := &log{store: column.Store(), dir: path.Dir(column.Path())[1:] + "/"}
	text, _, err := l.store.Get(ctx, l.dir+write.Pending, store.UpTo(1<<10), nil)
	if err == nil {
		err = json.Unmarshal(text, &l.state)
	} else if errors.Is(err, store.ErrNotExist) {
		l.state.Generation, err = column.Generation(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", l.dir, write.Pending, err)
	}
	if gen := column.Generation(); l.state.Generation != gen {
		return nil, fmt.Errorf("%s%s: is of another column: remove it if its spikes are not needed", l.dir, write.Pending)
	}
	for k := 0; k < l.state.Whole || k == l.state.Whole && l.state.Bytes > 0; k++ {
		text, _, err := l.store.Get(ctx, l.key(k), store.UpTo(maxLog), nil)
		if k == l.state.Whole && err == nil {
			if l.state.Bytes > len(text) {
				err = errors.New("is cut")
			} else {
				text = text[:l.state.Bytes]
				l.text = text
			}
		}
		if err == nil {
			err = read(text, fresh)
		}
		if err != nil {
			return nil, fmt.Errorf("spikes that an interrupted recording left in %s: %w", l.key(k), err)
		}
	}
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
		if err != nil || gen != strconv.Itoa(l.state.Generation) || k < 0 || k > l.state.Whole {
			l.old = append(l.old, e.Key)
		}
	}
	return nil
}

// read takes records apart.
func read(text []byte, into *lists) error {
	for len(text) > 0 {
		if len(text) < 8 {
			return errors.New("a record is cut")
		}
		unit, n := int(binary.LittleEndian.Uint32(text)), int(binary.LittleEndian.Uint32(text[4:]))
		if text = text[8:]; n > len(text)/8 {
			return errors.New("a record is cut")
		}
		if unit >= len(into.of) {
			return fmt.Errorf("there is no unit in row %d of %d", unit, len(into.of))
		}
		for range n {
			into.of[unit] = append(into.of[unit], math.Float64frombits(binary.LittleEndian.Uint64(text)))
			text = text[8:]
		}
		into.n += n
	}
	return nil
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

// put stores what was added, and what counts with the next commit.
func (l *log) put(ctx context.Context) error {
	if !l.new {
		return nil
	}
	if len(l.text) == 0 && l.state.Whole == 0 {
		l.new = false
		return l.store.Delete(ctx, l.dir+write.Pending)
	}
	key := l.key(l.state.Whole)
	l.old = slices.DeleteFunc(l.old, func(old string) bool { return old == key })
	if _, err := l.store.Put(ctx, key, l.text, store.PutOptions{}); err != nil {
		return err
	}
	next := l.state
	if next.Bytes = len(l.text); next.Bytes >= segment {
		next.Whole, next.Bytes = next.Whole+1, 0
	}
	text, err := json.Marshal(next)
	if err == nil {
		_, err = l.store.Put(ctx, l.dir+write.Pending, text, store.PutOptions{})
	}
	if err != nil {
		return err
	}
	if l.state = next; next.Bytes == 0 {
		l.text = l.text[:0]
	}
	l.new = false
	return nil
}

// restart begins anew for a column of another generation, which lacks what is fresh.
func (l *log) restart(gen int, fresh *lists) {
	for k := range l.state.Whole + 1 {
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
