package kind

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/meta"
)

// TypeWords names a data type for people, with what its configuration adds.
func TypeWords(t dtype.Type) string {
	switch t.Kind() {
	case dtype.Struct:
		var fields []string
		for _, f := range dtype.Fields(t) {
			fields = append(fields, f.Name+" "+TypeWords(f.Type))
		}
		return "struct of " + strings.Join(fields, ", ")
	case dtype.Time, dtype.Duration:
		if unit, scale, ok := dtype.TimeUnit(t); ok {
			if scale != 1 {
				unit = fmt.Sprint(scale, " ", unit)
			}
			return fmt.Sprintf("%s [%s]", strings.TrimPrefix(t.Name(), "numpy."), unit)
		}
	case dtype.Subarray:
		elem, shape := dtype.Elements(t)
		return words.Times(shape) + " " + TypeWords(elem)
	case dtype.Object:
		return "JSON values"
	case dtype.List:
		return "lists of " + TypeWords(dtype.Inner(t))
	case dtype.Optional:
		return "optional " + TypeWords(dtype.Inner(t))
	case dtype.UTF32:
		return fmt.Sprintf("%s of %d characters", t.Name(), t.Size()/4)
	case dtype.Raw:
		return fmt.Sprintf("%s of %d bytes", t.Name(), t.Size())
	}
	return t.Name()
}

// Codecs tells a codecs list in words.
func (l List) Codecs(codecs []meta.Extension) string { return l.nested(codecs, mostNested) }

// Codec tells one in words.
func (l List) Codec(c meta.Extension) string { return l.codec(c, mostNested) }

// mostNested is how deep codecs are told that lie in others, which nobody has more than two
// of.
const mostNested = 4

func (l List) nested(codecs []meta.Extension, depth int) string {
	one := func(c meta.Extension) string { return l.codec(c, depth) }
	if text, ok := l.CodecWords(codecs, one); ok {
		return text
	}
	words := make([]string, len(codecs))
	for i, c := range codecs {
		words[i] = one(c)
	}
	return strings.Join(words, " → ")
}

func (l List) codec(c meta.Extension, depth int) string {
	if c.Name == "sharding_indexed" && depth == 0 {
		return "shards of (…)"
	}
	var config struct {
		Endian  string          `json:"endian"`
		Level   *int            `json:"level"`
		Order   any             `json:"order"`
		Codecs  json.RawMessage `json:"codecs"`
		CName   string          `json:"cname"`
		CLevel  int             `json:"clevel"`
		Shuffle any             `json:"shuffle"`
	}
	if json.Unmarshal(c.Configuration, &config) != nil {
		return c.Name
	}
	switch c.Name {
	case "bytes":
		if config.Endian != "" {
			return config.Endian + "-endian bytes"
		}
	case "blosc":
		return fmt.Sprintf("blosc (%v, %s level %d)", config.Shuffle, config.CName, config.CLevel)
	case "transpose":
		return "transposed to axes " + strings.Trim(fmt.Sprint(config.Order), "[]")
	case "sharding_indexed":
		if inner, err := meta.ParseCodecs(config.Codecs); err == nil {
			return "shards of (" + l.nested(inner, depth-1) + ")"
		}
	}
	if config.Level != nil {
		return fmt.Sprintf("%s level %d", c.Name, *config.Level)
	}
	return c.Name
}
