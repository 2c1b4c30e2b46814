package api

import (
	"context"
	"encoding/json"
	"path"
	"strconv"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/serve/source"
)

// Node is what is told of a group or an array.
type Node struct {
	Source      string          `json:"source"`
	Path        string          `json:"path"`
	Name        string          `json:"name"`
	NodeType    string          `json:"node_type"` // group or array
	Format      string          `json:"format"`
	Title       string          `json:"title"` // what people call the format
	Kind        Kind            `json:"kind"`
	Views       []Kind          `json:"views"` // what it can be shown as, its kind first
	Type        string          `json:"type,omitempty"`
	Label       string          `json:"label,omitempty"`
	Description string          `json:"description,omitempty"`
	Fact        string          `json:"fact"`
	Link        *source.Link    `json:"link,omitempty"` // that led here
	Array       *ArrayInfo      `json:"array,omitempty"`
	Image       *ImageInfo      `json:"image,omitempty"`
	Series      *SeriesInfo     `json:"series,omitempty"`
	Table       *TableInfo      `json:"table,omitempty"`
	Spikes      *SpikesInfo     `json:"spikes,omitempty"`
	Attributes  json.RawMessage `json:"attributes"`
	Links       []AttributeLink `json:"links"`
	About       []AboutLine     `json:"about"`
	Problems    []Problem       `json:"problems"`
	Children    *int            `json:"children,omitempty"` // of groups, where that is known
}

// AttributeLink is a reference among attributes.
type AttributeLink struct {
	At     string      `json:"at"` // a JSON pointer into the attributes
	Target source.Link `json:"target"`
}

// AboutLine is something that is said of a node, in words.
type AboutLine struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// member fills in what nodes of some kinds have besides, and passes over others. An error
// is told among the node's problems.
type member func(s *server, ctx context.Context, sp *spot, n *Node) error

// members are all that there are.
func members() []member {
	return []member{
		(*server).arrayMember, (*server).imageMember, (*server).aboutMember, (*server).linkMember, (*server).childrenMember,
		(*server).seriesMember, (*server).tableMember, (*server).spikesMember,
	}
}

func (s *server) node(r *request) error {
	sp, err := r.spot()
	if err != nil {
		return err
	}
	n, err := s.describe(r.Context(), sp)
	if err != nil {
		return err
	}
	return r.json(n)
}

// describe tells all of a node.
func (s *server) describe(ctx context.Context, sp *spot) (*Node, error) {
	n := &Node{
		Source: sp.source.Name(), Path: sp.path, Name: path.Base(sp.path), NodeType: "group",
		Links: []AttributeLink{}, About: []AboutLine{}, Problems: []Problem{},
	}
	if sp.path == "/" {
		n.Name = sp.source.Name()
	}
	n.Format, n.Title = s.format(ctx, sp)
	n.Views = s.views(ctx, sp)
	n.Kind = n.Views[0]
	n.Fact = s.fact(ctx, sp, n.Kind)
	n.Attributes = attributesOf(sp.node)
	n.Label, n.Description = s.names(sp)
	if c, ok := sp.subject.Object.(convention.Classed); ok {
		n.Type = c.Type()
	}
	for _, fill := range members() {
		if err := fill(s, ctx, sp, n); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			n.tell(sp, err)
		}
	}
	return n, nil
}

// tell adds a problem.
func (n *Node) tell(sp *spot, err error) {
	_, p := ProblemOf(sp.fail(err))
	n.Problems = append(n.Problems, p)
}

// attributesOf are those of a node as they are stored, but for NaN and infinities, which
// JSON has not and which become texts.
func attributesOf(n zarr.Node) json.RawMessage {
	raw, err := n.Attributes().MarshalJSON()
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return strictjson.QuoteBare(raw)
}

// names are what people call a node, by its attributes.
func (s *server) names(sp *spot) (label, description string) {
	attrs := sp.node.Attributes()
	text := func(name string) string {
		text, err := strictjson.String(attrs.Raw(name))
		if err != nil {
			return ""
		}
		return text
	}
	for _, name := range []string{"long_name", "title"} {
		if label == "" {
			label = text(name)
		}
	}
	if _, ok := sp.node.(*zarr.Group); ok && label == "" {
		if m := s.multiscales(sp.node); m != nil {
			label = m.Name
		}
	}
	return words.Cut(words.OneLine(label), 200), text("description")
}

// aboutMember tells what the convention or the format has to say.
func (s *server) aboutMember(ctx context.Context, sp *spot, n *Node) error {
	var about *convention.About
	if sp.subject.Object != nil {
		about = sp.subject.Object.About(ctx)
	} else {
		// A folder of stores is nothing that a convention describes, and to look for
		// one would be to open them all.
		if folder, err := sp.source.Folder(ctx, sp.path); err != nil || folder {
			return err
		}
		about = s.kinds.About(ctx, sp.node)
	}
	if about == nil {
		return nil
	}
	for _, line := range about.Lines {
		if line.Name == "holds" && !sp.subject.IsFile() {
			continue // which the tree shows
		}
		n.About = append(n.About, AboutLine{line.Name, line.Text})
	}
	for _, note := range about.Notes {
		n.About = append(n.About, AboutLine{"note", note})
	}
	for _, err := range about.Broken {
		n.tell(sp, err)
	}
	return nil
}

// childrenMember counts what lies directly below a group.
func (s *server) childrenMember(ctx context.Context, sp *spot, n *Node) error {
	if n.NodeType != "group" {
		return nil
	}
	names, err := sp.source.Names(ctx, sp.path)
	if err != nil {
		return err
	}
	count := len(names)
	n.Children = &count
	if n.Fact == "" {
		n.Fact = counted(count, "item")
	}
	return nil
}

// linkMember tells where a node really lies that a link led to, and where references
// among its attributes lead.
func (s *server) linkMember(ctx context.Context, sp *spot, n *Node) error {
	o := sp.subject.Object
	if o == nil {
		return nil
	}
	n.Link = s.linkTo(ctx, sp)
	for _, m := range o.Attributes(ctx) {
		n.Links = appendLinks(ctx, n.Links, sp, "/"+escapePointer(m.Name), m.Raw)
	}
	return nil
}

// linkTo is where an object lies that was reached by a link, nil if it lies at the path.
func (s *server) linkTo(ctx context.Context, sp *spot) *source.Link {
	o, ok := sp.subject.Object.(convention.Sharing)
	if !ok {
		return nil
	}
	parts, err := sp.source.Parts(ctx, sp.path)
	if err != nil {
		return nil
	}
	t := convention.Target{File: ".", Path: o.Path()}
	root, err := sp.source.Subject(ctx, parts.Hierarchy)
	if err == nil {
		if place := zarr.Place(ctx, sp.subject.Node); place != zarr.Place(ctx, root.Node) {
			t.File = place
		}
	}
	if t.File == "." && o.Path() == parts.File {
		return nil
	}
	link := sp.source.Link(ctx, sp.path, t)
	return &link
}

// mostLinks is how many references of a node are told.
const mostLinks = 1000

// appendLinks finds references in the value of an attribute.
func appendLinks(ctx context.Context, links []AttributeLink, sp *spot, at string, raw json.RawMessage) []AttributeLink {
	if len(links) >= mostLinks {
		return links
	}
	var list []json.RawMessage
	if strictjson.Decode(raw, &list) == nil && list != nil {
		for i, elem := range list {
			links = appendLinks(ctx, links, sp, at+"/"+strconv.Itoa(i), elem)
		}
		return links
	}
	members, err := strictjson.Split(raw)
	if err != nil {
		return links
	}
	for _, m := range members {
		switch m.Name {
		case "$ref":
			var t struct {
				File, Path string
			}
			if strictjson.Decode(m.Raw, &t) == nil {
				links = append(links, AttributeLink{at, sp.source.Link(ctx, sp.path, convention.Target{File: t.File, Path: t.Path})})
			}
		case "$dangling":
			why, _ := strictjson.String(m.Raw)
			links = append(links, AttributeLink{at, source.Link{Source: sp.source.Name(), Text: "leads nowhere", Broken: why}})
		default:
			links = appendLinks(ctx, links, sp, at+"/"+escapePointer(m.Name), m.Raw)
		}
	}
	return links
}
