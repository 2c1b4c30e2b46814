package n5

import (
	"encoding/json"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// reverseImage reverses what has an entry for every axis in an attribute "ome": the
// axes of images, and the scales and translations of their levels. Everything
// else stays as it is, also what is none of OME-NGFF.
func reverseImage(raw json.RawMessage) json.RawMessage {
	return within(raw, map[string]change{"multiscales": each(func(image json.RawMessage) json.RawMessage {
		transforms := each(func(t json.RawMessage) json.RawMessage {
			return within(t, map[string]change{"scale": backwards, "translation": backwards})
		})
		return within(image, map[string]change{
			"axes":                      backwards,
			"coordinateTransformations": transforms,
			"datasets": each(func(level json.RawMessage) json.RawMessage {
				return within(level, map[string]change{"coordinateTransformations": transforms})
			}),
		})
	})})
}

// change makes another value of a value; one that is not what it expects it gives
// back.
type change func(json.RawMessage) json.RawMessage

// within changes members of an object.
func within(raw json.RawMessage, how map[string]change) json.RawMessage {
	if len(raw) == 0 || raw[0] != '{' {
		return raw
	}
	members, err := strictjson.Split(raw)
	if err != nil {
		return raw
	}
	for i, m := range members {
		if f := how[m.Name]; f != nil {
			members[i].Raw = f(m.Raw)
		}
	}
	return object(members)
}

// each changes the elements of a list.
func each(f change) change {
	return func(raw json.RawMessage) json.RawMessage {
		list, ok := elements(raw)
		if !ok {
			return raw
		}
		for i := range list {
			list[i] = f(list[i])
		}
		return join(list)
	}
}

// backwards turns a list round.
func backwards(raw json.RawMessage) json.RawMessage {
	list, ok := elements(raw)
	if !ok {
		return raw
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return join(list)
}

func elements(raw json.RawMessage) (list []json.RawMessage, ok bool) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, false
	}
	err := strictjson.Each(raw, func(_ int, elem json.RawMessage) error {
		list = append(list, elem)
		return nil
	})
	return list, err == nil
}

func join(list []json.RawMessage) json.RawMessage {
	out := []byte{'['}
	for i, elem := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, elem...)
	}
	return append(out, ']')
}
