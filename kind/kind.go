// Package kind says what can be done with a format or a convention beyond reading
// and writing it: copies are made in it, it has words for what it stores, commands
// and flags of its own. A Kind has a name; what it can do it says by the other
// interfaces here, which programs ask for. Importing a package registers nothing: a
// program makes a list of the kinds that it knows, and kind/std has those that come
// along.
package kind

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/virtual"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// Kind is a format or a convention. It may hold what its flags said, so that one
// program has its own values.
type Kind interface {
	// Name is what Node.Format calls it.
	Name() string
}

// Opener has a say in how nodes are opened.
type Opener interface {
	Kind
	// OpenFlags adds the flags for it.
	OpenFlags(flags *flag.FlagSet)
	// OpenOptions are what they said.
	OpenOptions() []zarr.Option
}

// Target is a kind that copies can be made in.
type Target interface {
	Kind
	// Formats are the names that copy --to takes.
	Formats() []string
	// Endings are how names of files and folders end that are to be of the first
	// format.
	Endings() []string
	// FormatFlags adds the flags that say how the copy is made.
	FormatFlags(flags *flag.FlagSet)
	// Format is one of them as the flags said. The error is for flags.
	Format(name string) (copying.Format, error)
}

// Versioned is a format that is a version of Zarr other than the third.
type Versioned interface {
	Kind
	ZarrFormat() int
}

// Worder has words for codecs that are of the format.
type Worder interface {
	Kind
	// CodecWords tells a codecs list in words, if it is one of the format. word is for
	// codecs that anybody may use.
	CodecWords(codecs []meta.Extension, word func(meta.Extension) string) (text string, ok bool)
}

// Ruler has rules for the documents of the format, which validate holds them to.
type Ruler interface {
	Kind
	Rules() check.Rules
}

// Inspector looks at what files of the format keep besides nodes, for verify.
type Inspector interface {
	Kind
	// Inspect is a job/check.Inspection; it passes over what it does not know.
	Inspect(ctx context.Context, root zarr.Node, tell func(path, problem string)) (more []string, err error)
}

// Finisher brings what writers of the format have left to its end, for verify and
// repair.
type Finisher interface {
	Kind
	check.Finisher
}

// Teller tells people what groups and arrays are that are no objects of a convention.
type Teller interface {
	Kind
	// About says what a node is, nil if the kind does not know it.
	About(ctx context.Context, n zarr.Node) *convention.About
}

// Coordinated knows coordinates of arrays.
type Coordinated interface {
	Kind
	// Coordinates is a coordinates.Source.
	Coordinates(ctx context.Context, a *zarr.Array) ([]coordinates.Axis, error)
}

// Convention is what nodes mean beyond their format.
type Convention interface {
	Kind
	convention.Convention
}

// Describer tells what nodes of its format say of images in the words that all
// programs have: those of OME-NGFF.
type Describer interface {
	Kind
	// Describe tells it of a node; ok is false if the node is not of the format.
	Describe(n zarr.Node) (d Description, ok bool)
}

// Description is what a node says of an image.
type Description struct {
	// Attributes are the node's own without what programs for the format alone look
	// for, and with the same in the words of all.
	Attributes *meta.Attributes
	// Name is what the image is called, or empty.
	Name string
	// Document is the OME-XML that the image came with, or empty.
	Document string
}

// Tabler knows groups that are tables, by what they say themselves.
type Tabler interface {
	Kind
	// Table gives the table that a group is; ok is false for other groups.
	Table(g *zarr.Group) (t convention.Tabular, ok bool)
}

// Checker checks what nodes mean by a convention.
type Checker interface {
	Kind
	// CheckFlags adds the flags for it.
	CheckFlags(flags *flag.FlagSet)
	// Further gives the check of the object at a URL, which is nil outside of
	// conventions. There is none for objects that the kind does not know; flags that
	// are for its own are an error then.
	Further(ctx context.Context, url string, object convention.Object, open []zarr.Option) (Further, error)
}

// Further is the check that job/check.Validate makes behind its own.
type Further = check.Further

// Copier copies files of a convention with all that they mean.
type Copier interface {
	Kind
	// CopyFlags adds the flags for it.
	CopyFlags(flags *flag.FlagSet)
	// Copy copies what it knows, and reports whether it did. Anything else is copied
	// node by node; flags that are for its own are an error then.
	Copy(ctx context.Context, r CopyRequest) (sum copying.Summary, done bool, err error)
}

// CopyPlanner is a Copier that can tell what a copy will do.
type CopyPlanner interface {
	Copier
	// Planned is the format that the plan is that of, nil if the copy is none of its own.
	Planned(r CopyRequest) (copying.Format, error)
}

// CopyForeteller is a Copier whose copies have more to tell beforehand than the plan of
// their nodes.
type CopyForeteller interface {
	Copier
	// PlanFurther adds to the plan of a copy what it will do besides.
	PlanFurther(ctx context.Context, r CopyRequest, plan *copying.Plan) error
}

// CopyRequest is a copy that a user asks for.
type CopyRequest struct {
	Source    *convention.Subject
	From, URL string // of the source and of the copy
	Options   copying.Options
	Laid      []string // the flags that lay arrays out anew, of those that were given
}

// usage is an error about how a program was called.
type usage struct{ error }

// Usagef is an error about flags and arguments, not about data.
func Usagef(format string, args ...any) error { return usage{fmt.Errorf(format, args...)} }

// IsUsage reports whether an error is such.
func IsUsage(err error) bool {
	var u usage
	return errors.As(err, &u)
}

// Binder knows nodes that mean something else when their documents are those of another
// format, and nothing else of them is changed.
type Binder interface {
	Kind
	// Bound tells why, "" if it does not know the node. An error says that it could not be
	// found out.
	Bound(ctx context.Context, n zarr.Node) (string, error)
}

// Sampler shows the format to people who want to try it.
type Sampler interface {
	Kind
	// Sample writes a sample into the folder of a hierarchy that has a volume of
	// uint16 of three axes at cells/volume.
	Sample(ctx context.Context, root *zarr.Group, dir string, opts []zarr.Option) (Sample, error)
}

// Sample is one that was made.
type Sample struct {
	Group *zarr.Group // nil if nothing was
	Title string      // what it is
	Name  string      // of it, and what is to be said of that
	Try   [][]string  // commands to call next, by their words
}

// Exhibitor has something to show: data that look like what people have in the format.
type Exhibitor interface {
	Kind
	// Exhibited is the name of the file or folder.
	Exhibited() string
	// Exhibit writes it into a folder, over what an earlier call wrote.
	Exhibit(ctx context.Context, dir string, opts []zarr.Option) (Exhibit, error)
}

// Exhibit is what was written.
type Exhibit struct {
	Name  string // of the file or folder
	Title string // what it is, in a few words
	Array string // an array in it, as a path that begins with "/", and
	Slice string // a part of that which is worth to be read
}

// Helper adds to what the help of a command says.
type Helper interface {
	Kind
	// Help gives a paragraph and examples, either of which may be empty. The program
	// as a whole is the command "".
	Help(command string) (paragraph, examples string)
}

// Commander has commands of its own: work on a hierarchy in place.
type Commander interface {
	Kind
	Commands() []*Command
}

// Command is work on what a URL names.
type Command struct {
	Name, Short, Long, Example string
	// Items is what its progress counts, "" if it is done in no time.
	Items string
	Flags func(flags *flag.FlagSet)
	// Check says what is wrong with the flags.
	Check func() error
	// ReadOnly reports whether nothing is to be changed.
	ReadOnly func() bool
	Run      func(ctx context.Context, s store.Store, path string, env Env) (Result, error)
}

// Env is what a command is run with.
type Env struct {
	Workers  int
	Progress func(job.Progress)
	Open     []zarr.Option // for nodes
	// Bound tells why a node means something else with documents of another format, ""
	// if it does not.
	Bound func(ctx context.Context, n zarr.Node) (string, error)
}

// Result is what a command did. It is printed as JSON, or as lines for people.
type Result interface{ Lines() []string }

// List is the kinds that a program knows.
type List []Kind

// All gives those of a list that can do something.
func All[K Kind](l List) []K {
	var out []K
	for _, k := range l {
		if can, ok := k.(K); ok {
			out = append(out, can)
		}
	}
	return out
}

// Target finds the kind that makes copies of a name, nil if there is none.
func (l List) Target(name string) Target {
	for _, t := range All[Target](l) {
		if slices.Contains(t.Formats(), name) {
			return t
		}
	}
	return nil
}

// Formats lists what copies can be made in.
func (l List) Formats() (names []string) {
	for _, t := range All[Target](l) {
		names = append(names, t.Formats()...)
	}
	return names
}

// Piped is the format that the last part of a pipeline asks for, as zarr3 in
// em|zarr3:raw, or empty.
func (l List) Piped(url string) string {
	bar := strings.LastIndexByte(url, '|')
	scheme, _, _ := strings.Cut(url[bar+1:], ":")
	if bar < 0 || l.Target(scheme) == nil {
		return ""
	}
	return scheme
}

// Named is the format that the name of a new file or folder asks for by its ending,
// or empty.
func (l List) Named(url string) string {
	if strings.Contains(url, "|") {
		return ""
	}
	name := strings.ToLower(strings.TrimRight(url, "/"))
	for _, t := range All[Target](l) {
		if slices.ContainsFunc(t.Endings(), func(end string) bool { return strings.HasSuffix(name, end) }) {
			return t.Formats()[0]
		}
	}
	return ""
}

// Conventions are those that nodes are looked at by.
func (l List) Conventions() (out []convention.Convention) {
	for _, k := range All[Convention](l) {
		out = append(out, k)
	}
	return out
}

// About is what the kinds know of a node, nil if that is nothing.
func (l List) About(ctx context.Context, n zarr.Node) *convention.About {
	for _, k := range All[Teller](l) {
		if about := k.About(ctx, n); about != nil {
			return about
		}
	}
	return nil
}

// Coordinates are where coordinates are looked for beside those that any array may
// have.
func (l List) Coordinates() (out []coordinates.Source) {
	for _, k := range All[Coordinated](l) {
		out = append(out, k.Coordinates)
	}
	return out
}

// Table gives the table that a subject is; ok is false if it is none.
func (l List) Table(s *convention.Subject) (convention.Tabular, bool) {
	if t, ok := s.Object.(convention.Tabular); ok {
		return t, true
	}
	if g, ok := s.Node.(*zarr.Group); ok {
		for _, k := range All[Tabler](l) {
			if t, ok := k.Table(g); ok {
				return t, true
			}
		}
	}
	return nil, false
}

// Bound tells why a node means something else with documents of another format, "" if
// no kind says so.
func (l List) Bound(ctx context.Context, n zarr.Node) (string, error) {
	for _, k := range All[Binder](l) {
		if why, err := k.Bound(ctx, n); why != "" || err != nil {
			return why, err
		}
	}
	return "", nil
}

// ZarrFormat is the version of Zarr that nodes of a format are.
func (l List) ZarrFormat(format string) int {
	for _, v := range All[Versioned](l) {
		if v.Name() == format {
			return v.ZarrFormat()
		}
	}
	return 3
}

// CodecWords tells a codecs list in the words of the format that it is of.
func (l List) CodecWords(codecs []meta.Extension, word func(meta.Extension) string) (string, bool) {
	for _, w := range All[Worder](l) {
		if text, ok := w.CodecWords(codecs, word); ok {
			return text, true
		}
	}
	return "", false
}

// Rules are those of all formats.
func (l List) Rules() (rules []check.Rules) {
	for _, k := range All[Ruler](l) {
		rules = append(rules, k.Rules())
	}
	return rules
}

// Finishers are those of all formats.
func (l List) Finishers() (out []check.Finisher) {
	for _, k := range All[Finisher](l) {
		out = append(out, k)
	}
	return out
}

// Inspections are those of all formats.
func (l List) Inspections() (out []check.Inspection) {
	for _, k := range All[Inspector](l) {
		out = append(out, k.Inspect)
	}
	return out
}

// Translators are the kinds that make chunks readable for Python.
func (l List) Translators() (out []virtual.Translator) {
	for _, k := range l {
		if t, ok := k.(virtual.Translator); ok {
			out = append(out, t)
		}
	}
	return out
}

// Choice checks the value of a flag that has to be one of some.
func Choice(flag, value string, of []string) error {
	if slices.Contains(of, value) {
		return nil
	}
	text := fmt.Sprintf("--%s %s: must be one of %s", flag, value, strings.Join(of, ", "))
	if near := words.Near(value, of); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return errors.New(text)
}
