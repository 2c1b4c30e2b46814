package nwb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/schema"
	"github.com/omnizarr/zarr/format/hdmf/write"
)

// Session is what every file says of the session that it holds.
type Session struct {
	Identifier  string // of this session among all
	Description string
	// Start is when the session began. Times in the file count from it.
	Start time.Time
	// Fields are all else that the schema has for a file, by their paths, such as
	// "general/experimenter".
	Fields Fields
}

// Fields are what an object holds, by the names that its schema has for attributes,
// datasets, groups and links. A name with slashes is one in a group below; that of an
// attribute of a dataset stands behind a dot ("data.unit"), or by itself where only
// one dataset has such an attribute ("unit").
//
// A value is a number, a bool, a text, a time.Time, a slice of these or of slices
// (all of one length, but in the columns of tables), a write.Data, or a
// *write.Dataset, which may say how it is cut and compressed. Ints become what the
// schema asks for. References make links and references, Rows a region of a table,
// Fields a group, and an Object one of a type of its own.
type Fields map[string]any

// Object is an object that lies in another, as the value of a field.
type Object struct {
	Type   string
	Fields Fields
}

// File is a file that is being put together. It is for one goroutine.
type File struct {
	texts   []hdmf.SchemaText
	catalog *schema.Catalog
	root    *write.Group
	specs   map[string][]*schema.GroupSpec // what is asked of every group, by path
	rows    map[string]int                 // of tables that have columns, by path
	errs    []error
}

// New begins a file for a session.
func New(schemas []hdmf.SchemaText, s Session) *File {
	f := &File{texts: schemas, specs: map[string][]*schema.GroupSpec{}, rows: map[string]int{}}
	f.catalog = hdmf.Catalog(schemas, func(_ hdmf.SchemaText, err error) { f.errs = append(f.errs, err) })
	t, err := f.typeOf("NWBFile")
	if err != nil {
		f.errs = append(f.errs, fmt.Errorf("there is no schema of NWB: %w", err))
		f.root = newGroup(nil)
		return f
	}
	f.root = newGroup(t)
	f.specs["/"] = []*schema.GroupSpec{t.Group}
	fields := maps.Clone(s.Fields)
	if fields == nil {
		fields = Fields{}
	}
	for name, v := range (Fields{
		"identifier": s.Identifier, "session_description": s.Description, "session_start_time": s.Start,
		"timestamps_reference_time": s.Start, "file_create_date": time.Now(),
	}) {
		if _, given := fields[name]; !given {
			fields[name] = v
		}
	}
	if s.Start.IsZero() {
		f.fail("/", errors.New("session_start_time: the session has no Start"))
	}
	f.fail("/", f.set("/", f.root, fields))
	return f
}

// Add makes an object of a type with fields, and gives a reference to it, by which
// others link and refer to it. The group above it has been added, or is one that the
// schema has by name, such as /general/devices. The type is that of NWB, or of
// whichever namespace has one of the name, or "namespace.Type"; "" is the one that
// the schema has for that place. The field "data" of a dataset is its own value.
func (f *File) Add(at, typ string, fields Fields) hdmf.Reference {
	at = path.Clean("/" + at)
	f.fail(at, f.add(at, typ, fields))
	return hdmf.Reference{Path: at}
}

// Set gives fields to a group that is there, or that the schema has by name, such as
// /general.
func (f *File) Set(at string, fields Fields) {
	at = path.Clean("/" + at)
	g, err := f.group(at)
	if err == nil {
		err = f.set(at, g, fields)
	}
	f.fail(at, err)
}

// Tree is the file as write.Create takes it, filled in as far as the schemas say.
// The error tells all that went wrong.
func (f *File) Tree() (*write.Group, error) {
	if err := errors.Join(f.errs...); err != nil {
		return nil, err
	}
	if err := f.complete("/", f.root); err != nil {
		return nil, err
	}
	return f.root, nil
}

// Create makes the file at a URL, with its schemas. The options are those of
// write.Create.
func (f *File) Create(ctx context.Context, url string, opts write.Options) error {
	root, err := f.Tree()
	if err != nil {
		return fmt.Errorf("create %s: %w", url, err)
	}
	opts.Schemas = f.texts
	return write.Create(ctx, url, root, opts)
}

// maxErrors bounds what is remembered of what went wrong.
const maxErrors = 100

func (f *File) fail(at string, err error) {
	if err != nil && len(f.errs) < maxErrors {
		f.errs = append(f.errs, fmt.Errorf("%s: %w", at, err))
	}
}

func newGroup(t *schema.Type) *write.Group {
	return &write.Group{Object: objectOf(t), Groups: map[string]*write.Group{}, Datasets: map[string]*write.Dataset{}, Links: map[string]hdmf.Reference{}}
}

func objectOf(t *schema.Type) write.Object {
	o := write.Object{Attributes: map[string]any{}}
	if t != nil {
		o.Type = hdmf.Type{Namespace: t.Namespace, Name: t.Name}
	}
	return o
}

// core is the namespace of NWB.
const core = "core"

// typeOf finds a type by its name.
func (f *File) typeOf(name string) (*schema.Type, error) {
	if space, short, ok := strings.Cut(name, "."); ok {
		return f.catalog.Type(space, short)
	}
	t, err := f.catalog.Type(core, name)
	if !errors.Is(err, schema.ErrUnknown) {
		return t, err
	}
	var found []*schema.Type
	for _, n := range f.catalog.Namespaces() {
		if f.catalog.Latest(n.Name) != n {
			continue
		}
		t, err := n.Type(name)
		if errors.Is(err, schema.ErrUnknown) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !slices.Contains(found, t) {
			found = append(found, t)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("type %q is in none of the schemas", name)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("several schemas have a type %q: say %s.%s or %s.%s", name, found[0].Namespace, name, found[1].Namespace, name)
}
