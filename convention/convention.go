// Package convention shows what nodes mean beyond Zarr. A convention such as HDMF
// makes files of hierarchies: their nodes are objects with types, links and
// references, tables and series of samples. Programs that look at any of them ask a
// Subject, which may have an Object, and need not know which convention it is of.
package convention

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/rows"
)

// Convention knows files of its kind.
type Convention interface {
	// Name is what the format of its objects is called.
	Name() string
	// May reports whether a node may be part of a file, by what the node itself says. An
	// error says that it could not be found out, and the same goes for IsFile.
	May(ctx context.Context, n zarr.Node) (bool, error)
	// IsFile reports whether a group looks like a whole file, and whether that is
	// sure, so that none around it need be looked for.
	IsFile(ctx context.Context, g *zarr.Group) (looks, sure bool, err error)
	// Open gives the object at a path of a file. Options are for files that it refers
	// to. Closing the object closes the file.
	Open(ctx context.Context, file *zarr.Group, at string, opts ...zarr.Option) (Object, error)
}

// Object is what a convention makes of a node. Some do more: see Tabular and
// Referring.
type Object interface {
	// Convention knows it.
	Convention() Convention
	// Node is the object as the engine has it. It may lie in another file than the one
	// that was opened, behind a link.
	Node() zarr.Node
	// IsFile reports whether it is a whole file.
	IsFile() bool
	// Info is what the object is, as a JSON document.
	Info(ctx context.Context) any
	// About tells the same to people.
	About(ctx context.Context) *About
	// Detail is what a tree says behind its name.
	Detail() string
	// Attributes are those of the object, with references spelled as the neutral
	// document does.
	Attributes(ctx context.Context) []meta.Member
	// Elements says what those of a dataset are, nil for a group.
	Elements() *Elements
	// Walk yields what lies below, each before what it holds, and links. What cannot be
	// read is yielded as its error, and the iteration goes on.
	Walk(ctx context.Context) iter.Seq2[Entry, error]
	// Schemas are what a whole file says about its own types, nil if it does not.
	Schemas(ctx context.Context) *Schemas
	// Close gives up the file.
	Close() error
}

// About is what people want to know of an object.
type About struct {
	Lines []Line
	Lists []List
	// Whole says that there is nothing to add: it is more than what the node alone
	// tells.
	Whole bool
	// Attributes are the names of those that were not told of, unless it is whole.
	Attributes []string
	// Notes are things that are not as they should be.
	Notes []string
	// Broken is what could not be read.
	Broken []error
}

// Line is one thing that is said.
type Line struct{ Name, Text string }

// List has objects, one in a row.
type List struct {
	Title string
	Rows  [][3]string // path, type, words
}

// Entry is what lies below a subject: a node, or a link.
type Entry struct {
	// Path is where, from "/" on, which is the subject.
	Path   string
	Node   zarr.Node // nil for a link
	Object Object    // nil outside of conventions, and for a link
	Link   Link      // nil for a node
}

// Link is a name that stands for an object elsewhere.
type Link interface {
	// String names what it leads to as it is stored.
	String() string
	// Target finds what it leads to. With an error, the target is as it is stored.
	Target(ctx context.Context) (Target, error)
}

// Target is what a link or a reference leads to.
type Target struct {
	// File is the one that holds it, as seen from the file that refers: "." is the
	// same.
	File   string `json:"file"`
	Path   string `json:"path"`
	Region Region `json:"region,omitempty"` // nil for the whole object
	Kind   string `json:"-"`                // group or dataset, of one that was found
}

// String names it for people.
func (t Target) String() string {
	text := t.Path
	if t.File != "." && t.File != "" {
		text = t.File + ":" + t.Path
	}
	if t.Region != nil {
		text += t.Region.String()
	}
	return text
}

// Region is a part of a dataset.
type Region interface {
	fmt.Stringer
	json.Marshaler
}

// Schemas are those that a file carries.
type Schemas struct {
	// Path is where they are, without "/" in front; "" if the file does not say.
	Path string
	// Nodes lists those that they are stored in, and of which namespaces and versions
	// they are.
	Nodes func(ctx context.Context) (nodes []zarr.Node, versions []string)
	// Texts reads them.
	Texts func(ctx context.Context) ([]SchemaText, error)
}

// SchemaText is a document of a schema.
type SchemaText struct {
	Namespace, Version, Source, Text string
	Err                              error // why it cannot be read
}

// ErrNoRows says that an object has no rows.
var ErrNoRows = errors.New("neither an array nor a table nor a time series")

// Tabular is a group that may be shown as rows. Rows of what is none are ErrNoRows.
type Tabular interface {
	// Rows gives them. A slice selects rows and, of samples with channels, these, which
	// are columns if they are to be apart.
	Rows(ctx context.Context, slice string, apart bool) (*rows.Set, error)
}

// Referring is an object of a convention with links and references.
type Referring interface {
	// References yields those of the object and of all below it, followed. What cannot
	// be read is yielded as its error, and the iteration goes on.
	References(ctx context.Context) iter.Seq2[Reference, error]
}

// Resolving is an object of a convention with links that can be shown without any.
type Resolving interface {
	// Resolved gives the node as plain Zarr: what links lead to lies where the links
	// are, and references are paths. It is good until the object is closed.
	Resolved(ctx context.Context) (zarr.Node, error)
}

// Class is how an object is best shown.
type Class string

// The classes of objects; that of others is "".
const (
	SeriesClass Class = "series" // samples over time
	SpikesClass Class = "spikes" // a table with times of spikes by unit
	TableClass  Class = "table"
)

// Classed is an object that tells of what sort it is.
type Classed interface {
	// Title is what people call files of its convention, such as "NWB".
	Title() string
	// Type is what the convention calls objects of its kind, "" if it does not.
	Type() string
	Class(ctx context.Context) Class
}

// Sharing is an object of a convention that gives others of its file.
type Sharing interface {
	// At gives the object at a path of the file that holds this one, which may lead
	// through links. It is good until this one is closed, and is not closed itself.
	At(ctx context.Context, path string) (Object, error)
	// Path is where the object lies in that file, from "/" on.
	Path() string
}

// Reference is a link or a reference that was followed.
type Reference struct {
	Path      string `json:"path"`                // of the link, or of the object that refers
	Kind      string `json:"kind"`                // link, object or region
	Attribute string `json:"attribute,omitempty"` // that is the reference
	Inside    string `json:"inside,omitempty"`    // where in the value of the attribute, if it is not all of it
	Index     []int  `json:"index,omitzero"`      // of the element that is
	Field     string `json:"field,omitempty"`     // of a compound
	Source    string `json:"source"`
	Target    string `json:"target"`
	Region    Region `json:"region,omitempty"`
	Resolved  bool   `json:"resolved"`
	Reason    string `json:"reason,omitempty"` // why it is not
}
