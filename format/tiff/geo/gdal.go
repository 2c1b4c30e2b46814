package geo

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Item is an item of GDAL's metadata.
type Item struct {
	Name   string
	Value  string
	Sample int    // the band that it belongs to; -1: the image
	Role   string // such as "offset" and "scale"; may be empty
	Domain string // may be empty
}

const (
	maxText  = 64 << 20 // bytes of metadata
	maxItems = 1 << 16
	maxDepth = 16
)

// parseMetadata reads the XML of tag 42112. Items in nested elements are those
// of the image too.
func parseMetadata(text string) ([]Item, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("GDAL metadata of %d bytes, more than %d", len(text), maxText)
	}
	d := xml.NewDecoder(strings.NewReader(strings.ToValidUTF8(text, "\ufffd")))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var items []Item
	var value strings.Builder // comments may cut the text into pieces
	open := -1                // the depth of the item that is open
	for depth := 0; ; {
		t, err := d.Token()
		if err == io.EOF {
			return items, nil
		}
		if err != nil {
			return items, fmt.Errorf("GDAL metadata: %w", err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return items, fmt.Errorf("GDAL metadata is nested deeper than %d levels", maxDepth)
			}
			if t.Name.Local == "Item" && open < 0 {
				if len(items) == maxItems {
					return items, fmt.Errorf("GDAL metadata has more than %d items", maxItems)
				}
				items = append(items, newItem(t))
				open = depth
			}
		case xml.EndElement:
			if depth == open {
				items[len(items)-1].Value = unescape.Replace(value.String())
				value.Reset()
				open = -1
			}
			depth--
		case xml.CharData:
			if depth == open {
				value.Write(t)
			}
		}
	}
}

// GDAL escapes the values of items before it writes them as XML, and undoes both
// when it reads them.
var (
	unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&quot;", `"`, "&apos;", "'")
	twice    = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", `"`, "&quot;")
)

func newItem(e xml.StartElement) Item {
	item := Item{Sample: -1}
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "name":
			item.Name = a.Value
		case "role":
			item.Role = a.Value
		case "domain":
			item.Domain = a.Value
		case "sample":
			if n, err := strconv.ParseInt(a.Value, 10, 32); err == nil && n >= 0 {
				item.Sample = int(n)
			}
		}
	}
	return item
}

// marshalMetadata writes the XML of tag 42112.
func marshalMetadata(items []Item) (string, error) {
	var b bytes.Buffer
	b.WriteString("<GDALMetadata>\n")
	for _, item := range items {
		if item.Name == "" {
			return "", errors.New("an item of the GDAL metadata has no name")
		}
		b.WriteString("  <Item")
		for _, a := range [...][2]string{{"name", item.Name}, {"sample", strconv.Itoa(item.Sample)}, {"role", item.Role}, {"domain", item.Domain}} {
			if a[1] == "" || a[0] == "sample" && item.Sample < 0 {
				continue
			}
			b.WriteString(" " + a[0] + `="`)
			escape(&b, a[1])
			b.WriteByte('"')
		}
		b.WriteByte('>')
		escape(&b, twice.Replace(item.Value))
		b.WriteString("</Item>\n")
	}
	b.WriteString("</GDALMetadata>\n")
	return b.String(), nil
}

// escape writes text; a buffer takes everything.
func escape(b *bytes.Buffer, s string) { _ = xml.EscapeText(b, []byte(s)) }
