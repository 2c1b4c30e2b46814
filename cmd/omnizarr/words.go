package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/meta"
)

// typeName names a data type for people, with what its configuration adds.
func typeName(t dtype.Type) string {
	switch t.Kind() {
	case dtype.Struct:
		var fields []string
		for _, f := range dtype.Fields(t) {
			fields = append(fields, f.Name+" "+typeName(f.Type))
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
		return words.Times(shape) + " " + typeName(elem)
	case dtype.Object:
		return "JSON values"
	case dtype.List:
		return "lists of " + typeName(dtype.Inner(t))
	case dtype.Optional:
		return "optional " + typeName(dtype.Inner(t))
	case dtype.UTF32:
		return fmt.Sprintf("%s of %d characters", t.Name(), t.Size()/4)
	case dtype.Raw:
		return fmt.Sprintf("%s of %d bytes", t.Name(), t.Size())
	}
	return t.Name()
}

// codecWords tells a codecs list in words.
func (a *app) codecWords(codecs []meta.Extension) string {
	if text, ok := a.kinds.CodecWords(codecs, a.codecWord); ok {
		return text
	}
	words := make([]string, len(codecs))
	for i, c := range codecs {
		words[i] = a.codecWord(c)
	}
	return strings.Join(words, " → ")
}

func (a *app) codecWord(c meta.Extension) string {
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
			return "shards of (" + a.codecWords(inner) + ")"
		}
	}
	if config.Level != nil {
		return fmt.Sprintf("%s level %d", c.Name, *config.Level)
	}
	return c.Name
}
