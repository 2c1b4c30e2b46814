package ngff

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// Members are those of an object that this package does not know. They are kept as
// they are, and written back.
type Members []meta.Member

// reader takes the value of a member.
type reader = func(raw json.RawMessage) error

// split reads the members of an object, each with its reader, and gives the others.
// A member that is null counts as absent.
func split(raw json.RawMessage, known map[string]reader) (rest Members, err error) {
	members, err := strictjson.Split(raw)
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		read, ok := known[m.Name]
		switch {
		case !ok:
			rest = append(rest, m)
		case !strictjson.IsNull(m.Raw):
			if err := read(m.Raw); err != nil {
				return nil, strictjson.AtMember(m.Name, err)
			}
		}
	}
	return rest, nil
}

// maxItems bounds the lists of a document.
const maxItems = 1 << 16

// list reads an array of objects.
func list[T any](dst *[]T, item func(raw json.RawMessage) (T, error)) reader {
	return func(raw json.RawMessage) error {
		*dst = []T{}
		return strictjson.Each(raw, func(i int, elem json.RawMessage) error {
			if i == maxItems {
				return fmt.Errorf("more than %d of them", maxItems)
			}
			v, err := item(elem)
			*dst = append(*dst, v)
			return err
		})
	}
}

func text(dst *string) reader {
	return func(raw json.RawMessage) (err error) {
		*dst, err = strictjson.String(raw)
		return err
	}
}

func number(dst *float64) reader {
	return func(raw json.RawMessage) (err error) {
		*dst, err = parseNumber(raw)
		return err
	}
}

func parseNumber(raw json.RawMessage) (float64, error) {
	x, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return 0, fmt.Errorf("must be a number, not %s", strictjson.Describe(raw))
	}
	return x, nil
}

// integer reads one that is at least low; it may be spelled as a float.
func integer(dst *int, low int) reader {
	return func(raw json.RawMessage) error {
		x, err := parseNumber(raw)
		if err == nil && (x != float64(int(x)) || x > 1<<53) {
			err = fmt.Errorf("%s is no integer", strictjson.Excerpt(raw))
		}
		if err == nil && int(x) < low {
			err = fmt.Errorf("%d is less than %d", int(x), low)
		}
		*dst = int(x)
		return err
	}
}

// object is written with its members in order.
type object struct {
	out []byte
	err error
}

// set adds a member.
func (o *object) set(name string, value any) {
	raw, err := strictjson.Marshal(value, false)
	if err != nil && o.err == nil {
		o.err = strictjson.AtMember(name, err)
	}
	if o.out == nil {
		o.out = []byte{'{'}
	} else {
		o.out = append(o.out, ',')
	}
	o.out = append(append(strictjson.AppendString(o.out, name), ':'), raw...)
}

// optional adds a text, unless it is empty.
func (o *object) optional(name, value string) {
	if value != "" {
		o.set(name, value)
	}
}

// end adds the members that are not known, and gives the object.
func (o *object) end(rest Members) (json.RawMessage, error) {
	for _, m := range rest {
		o.set(m.Name, m.Raw)
	}
	if o.out == nil {
		o.out = []byte{'{'}
	}
	return append(o.out, '}'), o.err
}

// raws gives the JSON of every item.
func raws[T any](items []T, marshal func(*T) (json.RawMessage, error)) ([]json.RawMessage, error) {
	out := make([]json.RawMessage, len(items))
	for i := range items {
		var err error
		if out[i], err = marshal(&items[i]); err != nil {
			return nil, strictjson.AtIndex(i, err)
		}
	}
	return out, nil
}

// checkName refuses names that are no part of a path, or not of letters and digits
// alone if they must be.
func checkName(name string) error {
	if name == "" {
		return errors.New("it is empty")
	}
	for _, r := range name {
		if !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return fmt.Errorf("%s has other characters than letters and digits", strictjson.Quote(name))
		}
	}
	return nil
}
