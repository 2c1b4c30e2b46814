package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/nd"
)

// objectInfo is what info says of an object of an HDMF file.
type objectInfo struct {
	File       string   `json:"file"`
	Path       string   `json:"path"`
	Layout     string   `json:"layout"`
	Namespace  string   `json:"namespace,omitempty"`
	Type       string   `json:"type,omitempty"`
	ObjectID   string   `json:"object_id,omitempty"`
	Namespaces []string `json:"namespaces,omitempty"` // of the cached schemas, with versions; of the root
}

// describeObject gives it, nil outside of HDMF files.
func describeObject(ctx context.Context, s *subject) *objectInfo {
	if s.object == nil {
		return nil
	}
	f, t := s.object.File(), s.object.Type()
	doc := &objectInfo{File: f.URL(), Path: s.object.Path(), Layout: f.Layout().String(), Namespace: t.Namespace, Type: t.Name, ObjectID: s.object.ID()}
	if s.isRoot() {
		doc.Namespaces = schemaVersions(ctx, s)
	}
	return doc
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
	return cutText(compact([]byte(strings.Join(parts, "; "))), mostText)
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

// printSession tells what a file holds.
func (a *app) printSession(ctx context.Context, s *subject) error {
	f := s.object.File()
	t := f.Root().Type()
	what := "HDMF"
	if attr, ok := f.Root().Attribute("nwb_version"); ok {
		what = "NWB " + cutText(bareText(attr.Raw), mostText)
	}
	if t.Name != "" {
		what += ", " + t.String()
	}
	a.line("file", "%s, on %s", what, f.Zarr().Format())
	for _, m := range sessionTexts {
		if text := scalarText(ctx, f, m.path, m.most); text != "" {
			a.line(m.name, "%s", text)
		}
	}
	var about []string
	for _, name := range subjectTexts {
		if text := scalarText(ctx, f, "/general/subject/"+name, 1); text != "" {
			about = append(about, strings.ReplaceAll(name, "_", " ")+" "+text)
		}
	}
	if about != nil {
		a.line("subject", "%s", strings.Join(about, ", "))
	}
	if id := f.ID(); id != "" {
		a.line("object id", "%s", id)
	}
	nodes, broken := below(ctx, s)
	found := sortObjects(nodes)
	if found.devices != nil {
		a.line("devices", "%s", strings.Join(found.devices, ", "))
	}
	if o, err := f.Object(ctx, "/general/extracellular_ephys/electrodes"); err == nil {
		a.printElectrodes(ctx, o)
	}
	if list := schemaVersions(ctx, s); list != nil {
		a.line("schemas", "%s", strings.Join(list, ", "))
	}
	a.line("holds", "%s, %s, %s", counted(found.groups, "group"), counted(found.datasets, "dataset"), counted(found.links, "link"))
	a.printList(ctx, "series", found.series, seriesWords)
	a.printList(ctx, "tables", found.tables, a.tableWords)
	return a.tellBroken(broken)
}

// sorted are the objects of a file that info tells of.
type sorted struct {
	devices                 []string
	series, tables          []*hdmf.Group
	groups, datasets, links int
}

func sortObjects(nodes []treeNode) (out sorted) {
	held := map[string]bool{}
	for _, t := range nodes {
		held[t.Path] = true
	}
	for _, t := range nodes {
		g, ok := t.object.(*hdmf.Group)
		switch {
		case t.link != nil:
			out.links++
		case !ok:
			out.datasets++
		default:
			out.groups++
			if g.Type().Name == "Device" || path.Dir(t.Path) == "/general/devices" {
				out.devices = append(out.devices, g.Name())
			}
			if held[t.Path+"/data"] && (held[t.Path+"/timestamps"] || held[t.Path+"/starting_time"]) {
				out.series = append(out.series, g)
			}
			if hdmf.IsTable(g) {
				out.tables = append(out.tables, g)
			}
		}
	}
	return out
}

func (a *app) printElectrodes(ctx context.Context, o hdmf.Object) {
	g, ok := o.(*hdmf.Group)
	if !ok {
		return
	}
	if t, err := hdmf.OpenTable(ctx, g); err == nil {
		a.line("electrodes", "%d", t.Rows())
	}
}

// printList tells of objects, one in a line.
func (a *app) printList(ctx context.Context, title string, list []*hdmf.Group, words func(context.Context, *hdmf.Group) string) {
	if len(list) == 0 {
		return
	}
	a.printf("  %s\n", title)
	width, wide := 0, 0
	for _, g := range list {
		width, wide = max(width, len([]rune(visible(g.Path())))), max(wide, len([]rune(visible(g.Type().Name))))
	}
	for _, g := range list {
		a.printf("    %s  %s  %s\n", padded(visible(g.Path()), width), padded(visible(g.Type().Name), wide), words(ctx, g))
	}
}

func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(width-len([]rune(s)), 0))
}

// seriesWords tells of a time series: shape, rate, duration, unit.
func seriesWords(ctx context.Context, g *hdmf.Group) string {
	s, err := hdmf.OpenSeries(ctx, g)
	if err != nil {
		return "cannot be opened: " + reasonOf(err)
	}
	words := []string{times(s.Data().Shape()) + " " + hdmfTypeName(s.Data())}
	duration, err := s.Duration(ctx)
	if rate, ok := s.Rate(); ok {
		words = append(words, fmt.Sprintf("%.6g Hz", rate))
	} else if err == nil && duration > 0 && s.Len() > 1 && s.Timestamps().Shape()[0] == s.Len() {
		words = append(words, fmt.Sprintf("about %.4g Hz", float64(s.Len()-1)/duration))
	}
	if err == nil {
		words = append(words, seconds(duration))
	}
	if unit := unitOf(s); unit != "" {
		words = append(words, "in "+unit)
	}
	return strings.Join(words, ", ")
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

// tellProblems notes what is wrong with a table.
func (a *app) tellProblems(g *hdmf.Group, problems []error) {
	for i, err := range problems {
		if i == mostProblems {
			a.note(fmt.Sprintf("%s: %s more", g.Path(), counted(len(problems)-i, "problem")))
			return
		}
		a.note(g.Path() + ": " + err.Error())
	}
}

// mostProblems is how many of a table are told.
const mostProblems = 100

// tableWords tells of a table: rows and columns. What is wrong with it is noted.
func (a *app) tableWords(ctx context.Context, g *hdmf.Group) string {
	t, err := hdmf.OpenTable(ctx, g)
	if err != nil {
		return "cannot be opened: " + reasonOf(err)
	}
	a.tellProblems(g, t.Problems())
	var columns []string
	for _, c := range t.Columns() {
		columns = append(columns, c.Name())
	}
	words := counted(t.Rows(), "row")
	if columns != nil {
		words += ": " + cutText(strings.Join(columns, ", "), mostText)
	}
	if list := t.Categories(); len(list) > 0 {
		words += "; and of " + cutText(strings.Join(list, ", "), mostText)
	}
	return words
}

// reasonOf is an error without the name of the object that it is about.
func reasonOf(err error) string {
	var known *zarr.Error
	if errors.As(err, &known) {
		err = known.Err
	}
	return oneLine(err.Error())
}

// printObject tells what an object of a file is.
func (a *app) printObject(ctx context.Context, s *subject) {
	o := s.object
	if o.File() != s.opened {
		a.line("is", "%s of %s", o.Path(), o.File().URL())
	}
	if t := o.Type(); t.Name != "" {
		a.line("type", "%s", t)
	}
	if id := o.ID(); id != "" {
		a.line("object id", "%s", id)
	}
	if attr, ok := o.Attribute("description"); ok {
		a.line("description", "%s", cutText(oneLine(bareText(attr.Raw)), mostText))
	}
	for _, attr := range o.Attributes() {
		for i, r := range attr.References {
			if i == 3 {
				a.line("refers to", "%d more (%s)", len(attr.References)-i, attr.Name)
				break
			}
			a.printReference(ctx, o.File(), attr.Name, r)
		}
	}
	switch o := o.(type) {
	case *hdmf.Group:
		a.printGroup(ctx, o)
	case *hdmf.Dataset:
		if what := hdmfTypeName(o); o.DType().Kind >= hdmf.ObjectRef {
			a.line("elements", "%s", what)
		}
	}
}

// otherAttributes are those of an object that printObject says nothing of.
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

func (a *app) printReference(ctx context.Context, holder *hdmf.File, name string, r hdmf.Reference) {
	text := r.String()
	if o, err := holder.Resolve(ctx, r); err != nil {
		text += ", which leads nowhere: " + why(err)
	} else if t := o.Type(); t.Name != "" {
		text += ", " + t.Name
	}
	a.line("refers to", "%s (%s)", text, name)
}

// mostMembers is how many members of a group are listed.
const mostMembers = 24

// printGroup tells what a group holds.
func (a *app) printGroup(ctx context.Context, g *hdmf.Group) {
	if hdmf.IsTable(g) {
		a.line("table", "%s", a.tableWords(ctx, g))
	}
	if hdmf.IsSeries(ctx, g) {
		a.line("series", "%s", seriesWords(ctx, g))
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
			a.line("holds", "%s -> %s", m.Name, text)
		case *hdmf.Dataset:
			a.line("holds", "%s  %s %s", m.Name, times(o.Shape()), hdmfTypeName(o))
		default:
			a.line("holds", "%s  %s", m.Name, o.Type().Name)
		}
	}
	if n > mostMembers {
		a.line("holds", "%d more", n-mostMembers)
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
