package record

import (
	"context"
	"encoding/binary"
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

// log keeps spikes that are in no column yet beside the table, in values that are
// called after the generation of the column which lacks them: a column of another
// generation has them. A value gets longer up to segment bytes; then another is begun.
//
// It is a list of records: the number of the unit and of its spikes, 32 bits each, and
// the times as 64-bit floats, all in little endian.
type log struct {
	store store.Store
	dir   string // of the table, with a slash
	gen   int
	k     int    // the number of the value that gets longer
	text  []byte // that value
	new   bool   // it is not stored as it is
	keys  []string
	old   []string // values that are to be removed when the next commit is done
}

const (
	segment = 64 << 10
	logName = ".omnizarr-spikes."
	maxLog  = 1 << 30 // bytes of a value
)

// openLog reads what an interrupted recording has left of a column, into fresh.
func openLog(ctx context.Context, column *write.Tail, fresh *lists) (*log, error) {
	l := &log{store: column.Store(), dir: path.Dir(column.Path())[1:] + "/", gen: column.Generation()}
	var numbers []int
	for e, err := range l.store.List(ctx, l.dir, "/") {
		if err != nil {
			return nil, err
		}
		name, ok := strings.CutPrefix(e.Key, l.dir+logName)
		if !ok || e.IsPrefix {
			continue
		}
		gen, number, _ := strings.Cut(name, ".")
		k, err := strconv.Atoi(number)
		if gen != strconv.Itoa(l.gen) || err != nil || k < 0 || l.key(k) != e.Key {
			l.old = append(l.old, e.Key)
			continue
		}
		numbers = append(numbers, k)
	}
	slices.Sort(numbers)
	for _, k := range numbers {
		text, _, err := l.store.Get(ctx, l.key(k), store.UpTo(maxLog), nil)
		if err == nil {
			err = read(text, fresh)
		}
		if err != nil {
			return nil, fmt.Errorf("spikes that an interrupted recording left in %s: %w", l.key(k), err)
		}
		l.keys, l.k = append(l.keys, l.key(k)), k+1
	}
	return l, nil
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

func (l *log) key(k int) string { return fmt.Sprintf("%s%s%d.%d", l.dir, logName, l.gen, k) }

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

// put stores what was added.
func (l *log) put(ctx context.Context) error {
	if !l.new {
		return nil
	}
	key := l.key(l.k)
	if _, err := l.store.Put(ctx, key, l.text, store.PutOptions{}); err != nil {
		return err
	}
	if !slices.Contains(l.keys, key) {
		l.keys = append(l.keys, key)
	}
	if l.new = false; len(l.text) >= segment {
		l.k, l.text = l.k+1, l.text[:0]
	}
	return nil
}

// restart begins anew for a column of another generation, which lacks what is fresh.
func (l *log) restart(ctx context.Context, gen int, fresh *lists) error {
	was := l.gen
	l.gen = gen
	again := l.key(0)
	again = again[:len(again)-1]
	for _, key := range l.old {
		if strings.HasPrefix(key, again) {
			if err := l.store.Delete(ctx, key); err != nil {
				l.gen = was
				return err
			}
		}
	}
	l.old = slices.DeleteFunc(l.old, func(key string) bool { return strings.HasPrefix(key, again) })
	l.old = append(l.old, l.keys...)
	l.keys, l.k, l.text, l.new = nil, 0, l.text[:0], false
	for unit, times := range fresh.of {
		l.add(unit, times)
	}
	return nil
}

// forget removes what is in the column that counts now. What stays is tried again.
func (l *log) forget(ctx context.Context) {
	l.old = slices.DeleteFunc(l.old, func(key string) bool { return l.store.Delete(ctx, key) == nil })
}
