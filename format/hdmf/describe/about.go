package describe

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/nd"
)

// Info is what an object of an HDMF file is.
type Info struct {
	File       string   `json:"file"`
	Path       string   `json:"path"`
	Layout     string   `json:"layout"`
	Namespace  string   `json:"namespace,omitempty"`
	Type       string   `json:"type,omitempty"`
	ObjectID   string   `json:"object_id,omitempty"`
	Namespaces []string `json:"namespaces,omitempty"` // of the cached schemas, with versions; of the root
}

// Info is what the object is: an *Info.
func (o *Object) Info(ctx context.Context) any {
	f, t := o.object.File(), o.object.Type()
	doc := &Info{File: f.URL(), Path: o.object.Path(), Layout: f.Layout().String(), Namespace: t.Namespace, Type: t.Name, ObjectID: o.object.ID()}
	if o.IsFile() {
		_, doc.Namespaces = schemaNodes(ctx, f)
	}
	return doc
}

// About tells people what the object is: a session, if it is a whole file.
func (o *Object) About(ctx context.Context) *convention.About {
	t := &teller{opened: o.opened}
	if o.IsFile() {
		t.session(ctx, o)
	} else {
		t.object(ctx, o.object)
	}
	return &t.about
}

// teller gathers what is told.
type teller struct {
	opened *hdmf.File
	about  convention.About
}

func (t *teller) line(name, format string, args ...any) {
	t.about.Lines = append(t.about.Lines, convention.Line{Name: name, Text: fmt.Sprintf(format, args...)})
}

// mostText is how many characters of a text are shown.
const mostText = 200

// mostElements is how many elements a list of texts may have to be shown.
const mostElements = 4096

// scalarText is the text of a dataset of at most so many elements, "" if there is
// none.
func scalarText(ctx context.Context, f *hdmf.File, at string, most int) string {
	o, err := f.Object(ctx, at)
	d, ok := o.(*hdmf.Dataset)
	if err != nil || !ok {
		return ""
	}
	if n, ok := nd.Len(d.Array().Shape()); !ok || n > most {
		return ""
	}
	v, err := d.Read(ctx, zarr.All())
	if err != nil {
		return ""
	}
	var parts []string
	for i := range v.Len() {
		switch v.Kind {
		case hdmf.Text, hdmf.Bytes:
			parts = append(parts, v.Text(i))
		case hdmf.Number:
			raw, err := v.JSON(i)
			if err != nil {
				return ""
			}
			parts = append(parts, string(raw))
		}
	}
	return words.Cut(words.Compact([]byte(strings.Join(parts, "; "))), mostText)
}

// sessionTexts are the datasets of NWB files that tell what a session is.
var sessionTexts = []struct {
	name, path string
	most       int // elements that it may have
}{
	{"identifier", "/identifier", 1},
	{"session", "/general/session_id", 1},
	{"description", "/session_description", 1},
	{"started", "/session_start_time", 1},
	{"experiment", "/general/experiment_description", 1},
	{"by", "/general/experimenter", mostElements},
	{"lab", "/general/lab", 1},
	{"institution", "/general/institution", 1},
	{"keywords", "/general/keywords", mostElements},
}

// subjectTexts are those that tell who was recorded.
var subjectTexts = []string{"subject_id", "species", "strain", "genotype", "sex", "age", "date_of_birth", "weight", "description"}

// session tells what a file holds.
func (t *teller) session(ctx context.Context, o *Object) {
	t.about.Whole = true
	f := o.object.File()
	typ := f.Root().Type()
	what := "HDMF"
	if attr, ok := f.Root().Attribute("nwb_version"); ok {
		what = "NWB " + words.Cut(words.Bare(attr.Raw), mostText)
	}
	if typ.Name != "" {
		what += ", " + typ.String()
	}
	if f.Plain() {
		t.line("file", "HDF5")
	} else {
		t.line("file", "%s, on %s", what, f.Zarr().Format())
	}
	for _, m := range sessionTexts {
		if text := scalarText(ctx, f, m.path, m.most); text != "" {
			t.line(m.name, "%s", text)
		}
	}
	var about []string
	for _, name := range subjectTexts {
		if text := scalarText(ctx, f, "/general/subject/"+name, 1); text != "" {
			about = append(about, strings.ReplaceAll(name, "_", " ")+" "+text)
		}
	}
	if about != nil {
		t.line("subject", "%s", strings.Join(about, ", "))
	}
	if id := f.ID(); id != "" {
		t.line("object id", "%s", id)
	}
	var entries []convention.Entry
	entries, t.about.Broken = convention.Below(ctx, &convention.Subject{Node: o.Node(), Object: o})
	found := sortObjects(entries)
	if found.devices != nil {
		t.line("devices", "%s", strings.Join(found.devices, ", "))
	}
	if electrodes, err := f.Table(ctx, "/general/extracellular_ephys/electrodes"); err == nil {
		t.line("electrodes", "%d", electrodes.Rows())
	}
	if _, list := schemaNodes(ctx, f); list != nil {
		t.line("schemas", "%s", strings.Join(list, ", "))
	}
	t.line("holds", "%s, %s, %s", words.Counted(found.groups, "group"), words.Counted(found.datasets, "dataset"), words.Counted(found.links, "link"))
	t.list(ctx, "series", found.series, seriesWords)
	t.list(ctx, "tables", found.tables, t.tableWords)
}

// sorted are the objects of a file that info tells of.
type sorted struct {
	devices                 []string
	series, tables          []*hdmf.Group
	groups, datasets, links int
}

func sortObjects(entries []convention.Entry) (out sorted) {
	held := map[string]bool{}
	for _, e := range entries {
		held[e.Path] = true
	}
	for _, e := range entries {
		var g *hdmf.Group
		o, ok := e.Object.(*Object)
		if ok {
			g, ok = o.object.(*hdmf.Group)
		}
		switch {
		case e.Link != nil:
			out.links++
		case !ok:
			out.datasets++
		default:
			out.groups++
			if g.Type().Name == "Device" || path.Dir(e.Path) == "/general/devices" {
				out.devices = append(out.devices, g.Name())
			}
			if held[e.Path+"/data"] && (held[e.Path+"/timestamps"] || held[e.Path+"/starting_time"]) {
				out.series = append(out.series, g)
			}
			if hdmf.IsTable(g) {
				out.tables = append(out.tables, g)
			}
		}
	}
	return out
}

// list tells of objects, one in a row.
func (t *teller) list(ctx context.Context, title string, list []*hdmf.Group, told func(context.Context, *hdmf.Group) string) {
	if len(list) == 0 {
		return
	}
	out := convention.List{Title: title}
	for _, g := range list {
		out.Rows = append(out.Rows, [3]string{g.Path(), g.Type().Name, told(ctx, g)})
	}
	t.about.Lists = append(t.about.Lists, out)
}

// seriesWords tells of a time series: shape, rate, duration, unit.
func seriesWords(ctx context.Context, g *hdmf.Group) string {
	s, err := hdmf.OpenSeries(ctx, g)
	if err != nil {
		return "cannot be opened: " + reasonOf(err)
	}
	told := []string{words.Times(s.Data().Shape()) + " " + typeWords(s.Data())}
	duration, err := s.Duration(ctx)
	if rate, ok := s.Rate(); ok {
		told = append(told, fmt.Sprintf("%.6g Hz", rate))
	} else if err == nil && duration > 0 && s.Len() > 1 && s.Timestamps().Shape()[0] == s.Len() {
		told = append(told, fmt.Sprintf("about %.4g Hz", float64(s.Len()-1)/duration))
	}
	if err == nil {
		told = append(told, seconds(duration))
	}
	if unit := unitOf(s); unit != "" {
		told = append(told, "in "+unit)
	}
	return strings.Join(told, ", ")
}

// seconds writes a duration.
func seconds(d float64) string {
	switch {
	case d >= 2*3600:
		return fmt.Sprintf("%.4g h", d/3600)
	case d >= 120:
		return fmt.Sprintf("%.4g min", d/60)
	}
	return fmt.Sprintf("%.4g s", d)
}

// problemNotes tell what is wrong with a table.
func problemNotes(g *hdmf.Group, problems []error) (notes []string) {
	for i, err := range problems {
		if i == mostProblems {
			return append(notes, fmt.Sprintf("%s: %s more", g.Path(), words.Counted(len(problems)-i, "problem")))
		}
		notes = append(notes, g.Path()+": "+err.Error())
	}
	return notes
}

// mostProblems is how many of a table are told.
const mostProblems = 100

// tableWords tells of a table: rows and columns. What is wrong with it is noted.
func (t *teller) tableWords(ctx context.Context, g *hdmf.Group) string {
	table, err := hdmf.OpenTable(ctx, g)
	if err != nil {
		return "cannot be opened: " + reasonOf(err)
	}
	t.about.Notes = append(t.about.Notes, problemNotes(g, table.Problems())...)
	var columns []string
	for _, c := range table.Columns() {
		columns = append(columns, c.Name())
	}
	told := words.Counted(table.Rows(), "row")
	if columns != nil {
		told += ": " + words.Cut(strings.Join(columns, ", "), mostText)
	}
	if list := table.Categories(); len(list) > 0 {
		told += "; and of " + words.Cut(strings.Join(list, ", "), mostText)
	}
	return told
}

// reasonOf is an error without the name of the object that it is about.
func reasonOf(err error) string {
	var known *zarr.Error
	if errors.As(err, &known) {
		err = known.Err
	}
	return words.OneLine(err.Error())
}

// object tells what an object of a file is.
func (t *teller) object(ctx context.Context, o hdmf.Object) {
	if o.File() != t.opened {
		t.line("is", "%s of %s", o.Path(), o.File().URL())
	}
	if typ := o.Type(); typ.Name != "" {
		t.line("type", "%s", typ)
	}
	if id := o.ID(); id != "" {
		t.line("object id", "%s", id)
	}
	if attr, ok := o.Attribute("description"); ok {
		t.line("description", "%s", words.Cut(words.OneLine(words.Bare(attr.Raw)), mostText))
	}
	for _, attr := range o.Attributes() {
		for i, r := range attr.References {
			if i == 3 {
				t.line("refers to", "%d more (%s)", len(attr.References)-i, attr.Name)
				break
			}
			t.reference(ctx, o.File(), attr.Name, r)
		}
	}
	switch o := o.(type) {
	case *hdmf.Group:
		t.group(ctx, o)
	case *hdmf.Dataset:
		if what := typeWords(o); o.DType().Kind >= hdmf.ObjectRef {
			t.line("elements", "%s", what)
		}
	}
	t.about.Attributes = otherAttributes(o)
}

// otherAttributes are those of an object that object says nothing of.
func otherAttributes(o hdmf.Object) (names []string) {
	for _, attr := range o.Attributes() {
		switch attr.Name {
		case "namespace", "neurodata_type", "data_type", "object_id", "description":
		default:
			if len(attr.References) == 0 {
				names = append(names, attr.Name)
			}
		}
	}
	return names
}

func (t *teller) reference(ctx context.Context, holder *hdmf.File, name string, r hdmf.Reference) {
	text := r.String()
	if o, err := holder.Resolve(ctx, r); err != nil {
		text += ", which leads nowhere: " + why(err)
	} else if typ := o.Type(); typ.Name != "" {
		text += ", " + typ.Name
	}
	t.line("refers to", "%s (%s)", text, name)
}

// mostMembers is how many members of a group are listed.
const mostMembers = 24

// group tells what a group holds.
func (t *teller) group(ctx context.Context, g *hdmf.Group) {
	if hdmf.IsTable(g) {
		t.line("table", "%s", t.tableWords(ctx, g))
	}
	if hdmf.IsSeries(ctx, g) {
		t.line("series", "%s", seriesWords(ctx, g))
	}
	n := 0
	for m, err := range g.Members(ctx) {
		if n++; err != nil || n > mostMembers {
			continue
		}
		switch o := m.Object.(type) {
		case nil:
			text := m.Link.Reference.String()
			if _, err := m.Link.Target(ctx); err != nil {
				text += ", which leads nowhere: " + why(err)
			}
			t.line("holds", "%s -> %s", m.Name, text)
		case *hdmf.Dataset:
			t.line("holds", "%s  %s %s", m.Name, words.Times(o.Shape()), typeWords(o))
		default:
			t.line("holds", "%s  %s", m.Name, o.Type().Name)
		}
	}
	if n > mostMembers {
		t.line("holds", "%d more", n-mostMembers)
	}
}

// unitOf is the unit of a series, "" if it says that it has none.
func unitOf(s *hdmf.Series) string {
	switch strings.ToLower(s.Unit) {
	case "", "1", "n/a", "n.a.", "na", "none", "unknown", "no unit":
		return ""
	}
	return s.Unit
}
