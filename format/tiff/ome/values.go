package ome

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fromLatin1 reads text that is not UTF-8 as ISO 8859-1, in which old programs
// write "µm".
func fromLatin1(text string) string {
	b := make([]byte, 0, len(text)+len(text)/8)
	for i := range len(text) {
		b = utf8.AppendRune(b, rune(text[i]))
	}
	return string(b)
}

// attribute finds an attribute that has no namespace.
func attribute(e xml.StartElement, name string) (string, bool) {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value, true
		}
	}
	return "", false
}

func valueOf(e xml.StartElement, name string) string {
	v, _ := attribute(e, name)
	return v
}

// integer reads an attribute that is a number from 0 on, or gives the default.
func integer(e xml.StartElement, name string, missing int) (int, error) {
	text, ok := attribute(e, name)
	if !ok {
		return missing, nil
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < 0 || n > math.MaxInt32 {
		return missing, fmt.Errorf("%s is %s, not a number up to %d", name, excerpt(text), math.MaxInt32)
	}
	return int(n), nil
}

// quantity reads an attribute and its unit. What is no positive number counts
// as unknown, for it does not matter to the pixels.
func quantity(e xml.StartElement, name, unit string) Quantity {
	v, err := strconv.ParseFloat(strings.TrimSpace(valueOf(e, name)), 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return Quantity{}
	}
	if u := strings.TrimSpace(valueOf(e, name+"Unit")); u != "" {
		unit = u
	}
	return Quantity{Value: v, Unit: unit}
}
