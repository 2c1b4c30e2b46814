// Package format says what a format is: a way of storing arrays, in folders of
// documents and chunks or in one file. A Format tells how it is recognised, and how
// it is shown as Zarr; a Registry holds those that a program knows. Nothing above
// knows of any format in particular: what comes along is in format/std, and a
// program that has another adds it to a Registry of its own.
//
//	reg := std.Registry()
//	reg.Register(grid.Describe())
//	n, err := zarr.Open(ctx, "heights.grid", zarr.Formats(reg))
package format

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/refs"
)

// Format is one way of storing arrays. It has a Folder or a File.
type Format struct {
	// Name is what pipelines, options and Node.Format call it, such as "zarr2":
	// lower-case letters and digits, a letter first.
	Name string
	// Title is what people call one, such as "a TIFF file".
	Title string
	// Folder is for formats whose hierarchies are folders of values.
	Folder *Folder
	// File is for formats whose hierarchies are one value each.
	File *File
	// Options are those that can be given for the format.
	Options []Option
	// Omit is the one of them by which whatever of a node cannot be copied, such as a
	// reference that leads nowhere, is left out of what is read; a method Omitted of the
	// store tells of it then. nil: there is none.
	Omit Option
	// Conventions are those whose metadata nodes are shown with, beyond what is
	// stored, such as "OME-NGFF".
	Conventions []string
	// Terms are those of its documents, nil if it has none.
	Terms Terms
	// Leave takes out of a node that is copied to another format, and may be changed,
	// what would mean something else there. nil: there is no such thing.
	Leave func(n meta.Node) error
	// Restate says what a group that is copied from another format says by conventions
	// whose form goes by the format, such as OME-NGFF, in the form for this one. The
	// group is one of groups, the documents of all of the hierarchy by their paths, and
	// is changed. done is what became of it, in words, or ""; kept why something stays
	// in the form that it has; names those that dimensions of arrays have to have in the
	// new form, by the paths of the arrays. nil: there is no such form.
	Restate func(groups map[string]*meta.Group, at string) (done, kept string, names map[string][]string)
}

// Folder is a format whose nodes are folders with documents.
type Folder struct {
	// Endings are how the names of hierarchies end, such as ".n5": a new one with
	// such a name is of this format, unless that is Mixed, since any of those may be wanted.
	Endings []string
	// Documents are how the documents of nodes are called.
	Documents translate.Names
	// Mixed says that a node of this format can lie beside, above and below nodes of
	// others that are Mixed: its own documents tell what it is. The nodes of other
	// formats are known only together with those around them, and a URL that leads
	// into such a hierarchy is opened at its top.
	Mixed bool
	// Nodes gives the nodes that a store keeps in documents of the format.
	Nodes func(s store.Store, env Env) translate.Documents
	// Look reports whether a folder in which there is no node of a Mixed format is
	// one of this format, going by names and the documents in it. LookFurther may
	// look at what lies below. Either may be nil; a format that is not Mixed is found by them alone.
	Look, LookFurther func(ctx context.Context, s store.Store, path string) bool
}

// File is a format in which one value holds a whole hierarchy.
type File struct {
	// Endings are how the names of such files end, such as ".tif". A file with such
	// a name is opened without a look at its first bytes.
	Endings []string
	// Starts reports whether a file that begins with head can be of this format.
	// There are up to HeadBytes of it. Where it is nil, files are known by their names
	// alone.
	Starts func(head []byte) bool
	// Open gives the nodes in the file, as a store of Zarr keys. If that is an
	// io.Closer, it is closed with the node that was opened.
	Open func(ctx context.Context, s store.Store, key string, env Env) (store.Store, error)
}

// HeadBytes is how many bytes Starts sees of a file that has as many.
const HeadBytes = 8

// Option is something that a format can be asked for. Other formats pass over it.
type Option interface {
	// Format is the name of the format.
	Format() string
}

// Env is what a format is given to work with.
type Env struct {
	// Options are those that the user gave, also for other formats.
	Options []Option
	// Metadata knows the data types and grids that documents can have.
	Metadata meta.Registry
	// Files gives those that a value in a folder of a store may refer to, which are
	// not more than the user allows. The format closes it when it is done.
	Files func(s store.Store, folder string) Files
}

// Files are what a value may refer to.
type Files interface {
	refs.Files
	io.Closer
}

// Has reports whether an option was given.
func (e Env) Has(o Option) bool { return slices.Contains(e.Options, o) }

// hasEnding reports whether a name ends like one of these, and is more than that.
func hasEnding(name string, endings []string) bool {
	return slices.ContainsFunc(endings, func(end string) bool {
		return len(name) > len(end) && strings.EqualFold(name[len(name)-len(end):], end)
	})
}
