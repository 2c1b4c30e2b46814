package dump

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// partSize is how many bytes of elements are in memory at once.
const partSize = 128 << 20

// Nodes describes a group and everything below it, or an array, in path order, each
// when it is asked for. What cannot be read is yielded as its error: with a node that
// says so, or without one if it could not even be opened.
func Nodes(ctx context.Context, s *convention.Subject) iter.Seq2[*Node, error] {
	return func(yield func(*Node, error) bool) {
		entries, broken := convention.Below(ctx, s)
		for _, err := range broken {
			if !yield(nil, err) {
				return
			}
		}
		if _, ok := s.Node.(*zarr.Group); ok {
			entries = append([]convention.Entry{{Path: "/", Node: s.Node, Object: s.Object}}, entries...)
		}
		members := map[string][]string{}
		for _, e := range entries {
			if cut := strings.LastIndexByte(e.Path, '/'); e.Path != "/" {
				up := max(e.Path[:cut], "/")
				members[up] = append(members[up], e.Path[cut+1:])
			}
		}
		for _, e := range entries {
			n, err := node(ctx, e, members[e.Path])
			n.Path = e.Path
			if !yield(n, err) || ctx.Err() != nil {
				return
			}
		}
	}
}

// WriteJSON writes the whole document. What could not be read is in it as far as it
// is known, and given as errors.
func WriteJSON(ctx context.Context, w io.Writer, s *convention.Subject) (broken []error, err error) {
	fmt.Fprint(w, "{\n")
	if s.IsFile() {
		doc, err := SchemasOf(ctx, s.Object)
		if err != nil {
			broken = append(broken, err)
		}
		raw, err := strictjson.Marshal(doc, false)
		if err != nil {
			return broken, err
		}
		fmt.Fprintf(w, "\"specifications\": %s,\n", raw)
	}
	fmt.Fprint(w, "\"nodes\": {")
	comma := ""
	for n, err := range Nodes(ctx, s) {
		if ctx.Err() != nil {
			return broken, ctx.Err()
		}
		if err != nil {
			broken = append(broken, err)
		}
		if n == nil {
			continue
		}
		raw, err := strictjson.Marshal(n, false)
		if err != nil {
			return broken, err
		}
		fmt.Fprintf(w, "%s\n%s: %s", comma, strictjson.AppendString(nil, n.Path), raw)
		comma = ","
	}
	_, err = fmt.Fprint(w, "\n}\n}\n")
	return broken, err
}

// node describes a node by its content.
func node(ctx context.Context, e convention.Entry, members []string) (*Node, error) {
	if e.Link != nil {
		return linkNode(ctx, e.Link), nil
	}
	attrs, err := attributesOf(ctx, e)
	if err != nil {
		return &Node{Kind: "unknown", Error: err.Error()}, &zarr.Error{Op: "dump", URL: e.Node.URL(), Err: err}
	}
	arr, ok := e.Node.(*zarr.Array)
	if !ok {
		slices.Sort(members)
		members = append([]string{}, members...)
		return &Node{Kind: "group", Attributes: attrs, Members: &members}, nil
	}
	m := arr.Metadata()
	shape := append([]int{}, m.Shape...)
	scalar := len(shape) == 0
	doc := &Node{Kind: "dataset", Attributes: attrs, Scalar: &scalar, StoredShape: shape, Shape: shape}
	if doc.StoredChunks = InnerChunks(m.Codecs); doc.StoredChunks == nil {
		doc.StoredChunks = append([]int{}, m.Grid.Uniform()...)
	}
	c := newColumn("", m.DataType, 0)
	if e.Object != nil {
		meant := e.Object.Elements()
		scalar, doc.Shape, doc.StoredType = meant.Scalar, meant.Shape, meant.Stored
		c = columnOf(ctx, m.DataType, meant)
	}
	count := 0
	for v, err := range arr.Stream(ctx, zarr.All(), partSize) {
		if err == nil {
			err = c.add(v)
		}
		if err != nil {
			doc.DType, doc.Error = c.dtype(), err.Error()
			return doc, err
		}
		count += v.Len()
	}
	doc.Column = c.result(count <= mostValues)
	return doc, nil
}

// linkNode describes a link, and what it leads to.
func linkNode(ctx context.Context, l convention.Link) *Node {
	target, err := l.Target(ctx)
	doc := &Node{Kind: "link", Target: &target, TargetKind: target.Kind}
	if err != nil {
		doc.Error = err.Error()
	}
	return doc
}

// InnerChunks is the shape of the chunks inside shards, nil without shards.
func InnerChunks(codecs []meta.Extension) []int {
	for _, c := range codecs {
		var config struct {
			ChunkShape []int `json:"chunk_shape"`
		}
		if c.Name == "sharding_indexed" && json.Unmarshal(c.Configuration, &config) == nil {
			return config.ChunkShape
		}
	}
	return nil
}

// Schemas are the sums of the schemas that a file carries, by namespace, version and
// source.
type Schemas struct {
	Location   *string                                 `json:"location"`
	Namespaces map[string]map[string]map[string]string `json:"namespaces"`
}

// SchemasOf describes the schemas of a file. What cannot be read is left out, and the
// error says so.
func SchemasOf(ctx context.Context, file convention.Object) (*Schemas, error) {
	doc := &Schemas{Namespaces: map[string]map[string]map[string]string{}}
	carried := file.Schemas(ctx)
	if carried == nil {
		return doc, nil
	}
	if carried.Path != "" {
		doc.Location = &carried.Path
	}
	texts, err := carried.Texts(ctx)
	for _, t := range texts {
		if t.Err != nil {
			err = t.Err
			continue
		}
		versions := doc.Namespaces[t.Namespace]
		if versions == nil {
			versions = map[string]map[string]string{}
			doc.Namespaces[t.Namespace] = versions
		}
		if versions[t.Version] == nil {
			versions[t.Version] = map[string]string{}
		}
		sum := sha256.Sum256([]byte(t.Text))
		versions[t.Version][t.Source] = hex.EncodeToString(sum[:])
	}
	return doc, err
}
