package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// objects are the values of arrays of objects, in the spelling that digests
// have. None is a list, which numcodecs takes apart.
var objects = []string{
	`null`, `true`, `0`, `-17`, `123456789012`, `1.5`, `""`, `"grün"`, `"line\nbreak"`,
	`{}`, `{"a":1,"b":[null,false,"数据"]}`, `{"a":[1,[2,"x"]]}`,
}

// labels are those of the filter categorize in codecs.json.
var labels = []string{"a", "grün", "数据"}

// values fills a new array with values of a kind: those that a lossy filter
// gives back as they were, or those of arrays of objects. "" and "any" are any
// patterns of bits.
func values(kind string, t dtype.Type, shape []int, seed uint64) (nd.View, error) {
	if kind == "" || kind == "any" {
		return random(t, shape, seed), nil
	}
	r := rand.New(rand.NewPCG(seed, 20261116))
	v := nd.Make(t.Size(), shape...)
	v.Heap = &nd.Heap{}
	var err error
	v.Each(func(elem []byte) {
		fill, e := t.ParseFill(value(r, kind, t), v.Heap)
		if e != nil {
			err = fmt.Errorf("values %s: %w", kind, e)
			return
		}
		copy(elem, fill)
	})
	return v, err
}

// value is one value as fill values are spelled.
func value(r *rand.Rand, kind string, t dtype.Type) json.RawMessage {
	number := func(x float64) json.RawMessage {
		if k := t.Kind(); k == dtype.Int || k == dtype.Uint {
			x = math.Trunc(x)
		}
		return strconv.AppendFloat(nil, x, 'f', -1, 64)
	}
	text := func(s string) json.RawMessage {
		quoted, _ := json.Marshal(s) // text has a spelling
		return quoted
	}
	switch kind {
	case "zeros":
		return number(0)
	case "small":
		return number(float64(r.IntN(100)))
	case "quarters":
		return number(float64(r.IntN(800)-400) / 4)
	case "even":
		return number(float64(2 * (r.IntN(200) - 100)))
	case "powers":
		return number(math.Ldexp(1, r.IntN(16)-8))
	case "normal":
		return number(50 * r.NormFloat64())
	case "labels":
		return text(labels[r.IntN(len(labels))])
	case "words":
		return text(words[r.IntN(len(words))])
	case "binary":
		return text(base64.StdEncoding.EncodeToString([]byte(words[r.IntN(len(words))])))
	case "json":
		return json.RawMessage(objects[r.IntN(len(objects))])
	case "lists":
		items := make([]string, r.IntN(5))
		for i := range items {
			items[i] = strconv.Itoa(r.IntN(1000) - 500)
		}
		return json.RawMessage("[" + strings.Join(items, ",") + "]")
	}
	panic("no values " + kind)
}
