package meta

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr/internal/strictjson"
)

const consolidatedMember = "consolidated_metadata"

// Consolidated holds the documents of all nodes below a group, so that one
// document tells about the whole hierarchy. Documents stay raw until Get asks
// for one. It may be read by several goroutines, but not while one changes it.
type Consolidated struct {
	// Ignored are the paths of the document that no node can have, such as
	// "../up". They are not written again.
	Ignored []string
	// Extra are further members, in the order of the document.
	Extra []Member
	// Origin is what another format made this of, which is nil once it was
	// changed.
	Origin any

	nodes []entry // in path order
	reg   Registry
}

type entry struct {
	path string
	raw  json.RawMessage
	load func() (Node, error) // where there is no raw
}

// NewConsolidated makes consolidated metadata of nodes, whose paths are relative
// to the group that will hold it. The consolidated metadata of groups among
// them is left out.
func NewConsolidated(nodes map[string]Node) (*Consolidated, error) {
	c := &Consolidated{nodes: make([]entry, 0, len(nodes))}
	for path, node := range nodes {
		e, err := newEntry(path, node)
		if err != nil {
			return nil, err
		}
		c.nodes = append(c.nodes, e)
	}
	c.sort()
	return c, nil
}

// Know says what names in the documents mean, where it is not what meta itself
// knows. It returns c.
func (c *Consolidated) Know(reg Registry) *Consolidated {
	c.reg = reg
	return c
}

// LazyConsolidated is NewConsolidated for documents of another format, which are
// translated when they are asked for. The paths must be valid.
func LazyConsolidated(nodes map[string]func() (Node, error), origin any) *Consolidated {
	c := &Consolidated{Origin: origin, nodes: make([]entry, 0, len(nodes))}
	for path, load := range nodes {
		c.nodes = append(c.nodes, entry{path: path, load: load})
	}
	c.sort()
	return c
}

func newEntry(path string, node Node) (entry, error) {
	if err := CheckPath(path); err != nil {
		return entry{}, err
	}
	raw, err := node.append(nil, true)
	return entry{path: path, raw: raw}, strictjson.AtMember(path, err)
}

// node reads the document.
func (e entry) node(reg Registry) (Node, error) {
	if e.raw == nil {
		return e.load()
	}
	return Parse(e.raw, reg)
}

// document is the node as JSON.
func (e entry) document() (json.RawMessage, error) {
	if e.raw != nil {
		return e.raw, nil
	}
	n, err := e.load()
	if err != nil {
		return nil, err
	}
	return n.append(nil, true)
}

// parseConsolidated reads the member of a group. It is skipped when it is of an
// unknown kind but need not be understood.
func parseConsolidated(raw json.RawMessage, reg Registry) (c *Consolidated, skipped bool, err error) {
	if strictjson.IsNull(raw) {
		return nil, false, nil
	}
	members, err := strictjson.Split(raw)
	if err != nil {
		return nil, false, err
	}
	c = &Consolidated{reg: reg}
	kind, must := "", true
	var metadata json.RawMessage
	for _, m := range members {
		var err error
		switch m.Name {
		case "kind":
			kind, err = strictjson.String(m.Raw)
		case "must_understand":
			must, err = strictjson.Bool(m.Raw)
		case "metadata":
			metadata = m.Raw
		default:
			err = strictjson.Validate(m.Raw, strictjson.Options{})
			c.Extra = append(c.Extra, m)
		}
		if err != nil {
			return nil, false, strictjson.AtMember(m.Name, err)
		}
	}
	if kind != "inline" {
		if !must {
			return nil, true, strictjson.Validate(raw, strictjson.Options{})
		}
		return nil, false, strictjson.Errorf("kind", "unknown kind %s must be understood", strictjson.Quote(kind))
	}
	if metadata == nil {
		return nil, false, missing("metadata")
	}
	return c, false, strictjson.At("metadata", c.parseNodes(metadata))
}

func (c *Consolidated) parseNodes(raw json.RawMessage) error {
	members, err := strictjson.Split(raw)
	if err != nil {
		return err
	}
	c.nodes = make([]entry, 0, len(members))
	for _, m := range members {
		if CheckPath(m.Name) != nil {
			c.Ignored = append(c.Ignored, m.Name)
			continue
		}
		c.nodes = append(c.nodes, entry{path: m.Name, raw: m.Raw})
	}
	c.sort()
	return nil
}

func (c *Consolidated) sort() {
	slices.SortFunc(c.nodes, func(a, b entry) int { return ComparePaths(a.path, b.path) })
}

// Len is the number of nodes.
func (c *Consolidated) Len() int {
	if c == nil {
		return 0
	}
	return len(c.nodes)
}

// Get reads the document of a node; an absent one is fs.ErrNotExist. Groups
// come without consolidated metadata: Sub tells what lies below them.
func (c *Consolidated) Get(path string) (Node, error) {
	i, ok := c.search(path)
	if !ok {
		return nil, fmt.Errorf("no node %s in the consolidated metadata: %w", strictjson.Quote(path), fs.ErrNotExist)
	}
	n, err := c.nodes[i].node(c.reg)
	if err != nil {
		return nil, strictjson.At(consolidatedMember+".metadata", strictjson.AtMember(path, err))
	}
	if g, ok := n.(*Group); ok {
		g.Consolidated = nil
	}
	return n, nil
}

// Set adds the document of a node or replaces it.
func (c *Consolidated) Set(path string, node Node) error {
	e, err := newEntry(path, node)
	if err != nil {
		return err
	}
	c.Origin = nil
	i, ok := c.search(path)
	if !ok {
		c.nodes = slices.Insert(c.nodes, i, entry{})
	}
	c.nodes[i] = e
	return nil
}

// Delete removes a node and all nodes below it.
func (c *Consolidated) Delete(path string) {
	c.Origin = nil
	first, end := c.under(path)
	if i, ok := c.search(path); ok {
		first = i
	}
	c.nodes = slices.Delete(c.nodes, first, end)
}

// Paths yields the nodes below a path in path order; "" stands for all.
func (c *Consolidated) Paths(below string) iter.Seq[string] {
	return func(yield func(string) bool) {
		first, end := c.under(below)
		for i := first; i < end; i++ {
			if !yield(c.nodes[i].path) {
				return
			}
		}
	}
}

// Children yields the nodes directly below a path; "" stands for the group that
// holds the consolidated metadata.
func (c *Consolidated) Children(of string) iter.Seq[string] {
	return func(yield func(string) bool) {
		skip := len(of) + 1
		if of == "" {
			skip = 0
		}
		for i, end := c.under(of); i < end; {
			path := c.nodes[i].path
			if slash := strings.IndexByte(path[skip:], '/'); slash >= 0 {
				path = path[:skip+slash] // a node whose parent is not listed
			} else if !yield(path) {
				return
			}
			_, i = c.under(path)
		}
	}
}

// Sub returns what lies below a path, with paths relative to it.
func (c *Consolidated) Sub(path string) *Consolidated {
	first, end := c.under(path)
	sub := &Consolidated{reg: c.reg, nodes: slices.Clone(c.nodes[first:end])}
	if path != "" {
		for i := range sub.nodes {
			sub.nodes[i].path = sub.nodes[i].path[len(path)+1:]
		}
	}
	return sub
}

// Clone returns a copy that can be changed by itself.
func (c *Consolidated) Clone() *Consolidated {
	if c == nil {
		return nil
	}
	return &Consolidated{slices.Clone(c.Ignored), slices.Clone(c.Extra), c.Origin, slices.Clone(c.nodes), c.reg}
}

// search finds a node, or where it would be.
func (c *Consolidated) search(path string) (int, bool) {
	return slices.BinarySearchFunc(c.nodes, path, func(e entry, path string) int {
		return ComparePaths(e.path, path)
	})
}

// under returns the range of nodes below path, without path itself. They are
// neighbours, since "/" is the first character of the order.
func (c *Consolidated) under(path string) (first, end int) {
	if path == "" {
		return 0, len(c.nodes)
	}
	path += "/"
	first, _ = c.search(path)
	n := sort.Search(len(c.nodes)-first, func(i int) bool {
		return !strings.HasPrefix(c.nodes[first+i].path, path)
	})
	return first, first + n
}

// append appends the member's value as compact JSON.
func (c *Consolidated) append(dst []byte) ([]byte, error) {
	dst = append(dst, `{"kind":"inline","must_understand":false,"metadata":{`...)
	for i, e := range c.nodes {
		if i > 0 {
			dst = append(dst, ',')
		}
		raw, err := e.document()
		if err != nil {
			return dst, strictjson.AtMember(e.path, err)
		}
		dst = append(strictjson.AppendString(dst, e.path), ':')
		dst = append(dst, raw...)
	}
	dst = append(dst, '}')
	for i, m := range c.Extra {
		if slices.Contains([]string{"kind", "must_understand", "metadata"}, m.Name) || containsName(c.Extra[:i], m.Name) {
			return dst, fmt.Errorf("extra member %s is there already", strictjson.Step(m.Name))
		}
		if err := strictjson.Validate(m.Raw, strictjson.Options{}); err != nil {
			return dst, strictjson.AtMember(m.Name, err)
		}
		dst = append(dst, ',')
		dst = append(strictjson.AppendString(dst, m.Name), ':')
		dst = append(dst, m.Raw...)
	}
	return append(dst, '}'), nil
}

// ComparePaths orders paths so that a node comes right before the nodes below
// it: "/" is the first character of all.
func ComparePaths(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if x, y := a[i], b[i]; x != y {
			if x == '/' || y != '/' && x < y {
				return -1
			}
			return 1
		}
	}
	return len(a) - len(b)
}

var errPath = errors.New("not the path of a node: parts must be UTF-8 without NUL, not empty and not only dots")

// CheckPath says whether a node below another one may have this path: parts
// in UTF-8 with "/" between them, none of them empty, only dots or with a NUL.
func CheckPath(path string) error {
	if !utf8.ValidString(path) {
		return strictjson.AtMember(path, errPath)
	}
	for part := range strings.SplitSeq(path, "/") {
		if strings.Trim(part, ".") == "" || strings.IndexByte(part, 0) >= 0 {
			return strictjson.AtMember(path, errPath)
		}
	}
	return nil
}
