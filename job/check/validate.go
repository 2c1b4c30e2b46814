package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/refs"
)

// Validation is what Validate found.
type Validation struct {
	OK bool `json:"ok"` // there are no problems; warnings do not count
	// Problems are in the order of their paths, and so are warnings: what a rule
	// allows but readers take differently, or what a convention only recommends.
	Problems []Violation `json:"problems"`
	Warnings []Violation `json:"warnings"`
}

// Violation is a rule that a node breaks. The rules are
//
//	metadata            the document as a whole: JSON, members, format
//	shape, data_type, chunk_grid, chunk_key_encoding, fill_value, codecs, …
//	                    a member of the document; codecs also where the codecs
//	                    are known but do not fit the array
//	consolidated        consolidated metadata that is bad or stale
//
// and those that formats and conventions add. Members of other documents than
// zarr.json have the rules of those in Zarr v3 that they stand for.
type Violation struct {
	Path    string `json:"path"` // of the node, "/" for the one that was given
	Rule    string `json:"rule"`
	Problem string `json:"problem"` // what is wrong
}

// ValidateOptions say how to validate; the zero value is fine.
type ValidateOptions struct {
	// Open are options for the nodes, such as the codecs that are known.
	Open []zarr.Option
	// Rules are those of formats, see kind.List.
	Rules []Rules
	// Further checks what nodes mean by a convention. It gets what was found, whose
	// paths are from the node on, and makes of it all that is to be reported.
	Further Further
	// File gives the check of a group below the node that is a file of a convention, and
	// what ends it; or nil. It is not asked for groups of files.
	File func(ctx context.Context, g *zarr.Group) (Further, func(), error)
	// Format is what nodes are to be taken for, also where they do not look like it.
	Format string
	// Formats are those that nodes can be of; the default is those of format/std.
	Formats *format.Registry
}

// Further is a check that Validate makes behind its own.
type Further = func(ctx context.Context, found *Validation) error

// Rules are what a format demands of the documents of nodes, and how the documents
// spell what rules are named after.
type Rules struct {
	Format string // that nodes have
	// Documents are the names that begin what is said of a document, and the rules
	// that are broken then: "" if a member tells.
	Documents map[string]string
	// Members are those of documents, and what rules they stand for.
	Members map[string]string
	// Node checks what reading a node is lenient about. The store has the documents as
	// they are.
	Node func(ctx context.Context, s store.Store, path string, tell func(rule, problem string))
	// Meaning checks what a node says beyond its format. It is called for every node
	// that opens, whatever its format is if Format is empty.
	Meaning func(ctx context.Context, n zarr.Node, found *Findings)
}

// Findings take what rules find out about a node.
type Findings struct {
	v    *validator
	path string
}

// Path is that of the node below the one that is validated, which is "/".
func (f *Findings) Path() string { return f.path }

// Problem says that a rule is broken, at a path below the node or, if below is
// empty, by the node itself.
func (f *Findings) Problem(below, rule, problem string) {
	f.v.problem(f.at(below), rule, problem)
}

// Warn says that readers may not take something as it was meant.
func (f *Findings) Warn(below, rule, problem string) {
	f.v.found.Warnings = append(f.v.found.Warnings, Violation{f.at(below), rule, problem})
}

func (f *Findings) at(below string) string {
	if below = strings.Trim(below, "/"); below == "" {
		return f.path
	}
	return join(f.path, below)
}

// Validate checks the metadata of the node at a path of a store and of everything
// below it; chunks are not read. It goes on after problems. The error is only for
// work that could not be done to its end.
func Validate(ctx context.Context, s store.Store, path string, opts ValidateOptions) (Validation, error) {
	v := &validator{root: strings.Trim(path, "/"), rules: opts.Rules, formats: opts.Formats, file: opts.File,
		found: Validation{Problems: []Violation{}, Warnings: []Violation{}}}
	if v.formats == nil {
		v.formats = std.Registry()
	}
	v.open = append(slices.Clone(opts.Open), zarr.BypassConsolidated(), zarr.ReadOnly())
	v.find(ctx, s, opts.Format)
	err := v.folder(ctx, v.root, 0)
	if err == nil && v.nodes == 0 {
		err = zarr.ErrNoNode
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil && opts.Further != nil {
		err = opts.Further(ctx, &v.found)
	}
	for _, list := range [][]Violation{v.found.Problems, v.found.Warnings} {
		slices.SortStableFunc(list, func(a, b Violation) int {
			return cmp.Or(meta.ComparePaths(a.Path, b.Path), strings.Compare(a.Rule, b.Rule))
		})
	}
	v.found.OK = len(v.found.Problems) == 0
	return v.found, err
}

type validator struct {
	store   *translate.Store // shows nodes of all formats as Zarr v3
	rules   []Rules
	formats *format.Registry
	root    string
	open    []zarr.Option
	file    func(ctx context.Context, g *zarr.Group) (Further, func(), error) // nil inside of files
	nodes   int
	found   Validation
}

func (v *validator) problem(path, rule, text string) {
	v.found.Problems = append(v.found.Problems, Violation{path, rule, text})
}

// at is how a report names the node at a path of the store.
func (v *validator) at(path string) string {
	return "/" + strings.Trim(strings.TrimPrefix(path, v.root), "/")
}

// maxDepth ends walks that go in circles, as symbolic links can make them.
const maxDepth = 64

// folder validates the node at a path, if there is one, and what lies below it.
func (v *validator) folder(ctx context.Context, path string, depth int) error {
	if depth > maxDepth {
		v.problem(v.at(path), "metadata", fmt.Sprintf("more than %d groups inside each other", maxDepth))
		return nil
	}
	prefix := ""
	if path != "" {
		prefix = path + "/"
	}
	text, info, err := v.store.Get(ctx, prefix+job.Document, store.UpTo(meta.MaxBytes), nil)
	var group *zarr.Group
	problems, warnings := len(v.found.Problems), len(v.found.Warnings)
	switch {
	case err == nil:
		v.nodes++
		v.lenient(ctx, path, info.Format)
		var isArray bool
		if group, isArray = v.document(ctx, path, text); isArray {
			return nil
		}
	case errors.Is(err, store.ErrNotExist):
		if depth > 0 {
			break
		}
		if _, _, err := v.store.Get(ctx, prefix+zarr.Unfinished, store.UpTo(meta.MaxBytes), nil); err == nil {
			return &zarr.Error{Op: "open", URL: store.JoinURL(v.store.URL(), path), Err: zarr.ErrUnfinished}
		}
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		v.nodes++
		_, why := job.Reason(err)
		rule, why := v.ruleOf(why)
		v.problem(v.at(path), rule, why)
	}
	if group == nil || depth == 0 || v.file == nil {
		return v.below(ctx, prefix, group, depth)
	}
	further, end, err := v.file(ctx, group)
	if err != nil {
		return err
	}
	defer end()
	if further == nil {
		return v.below(ctx, prefix, group, depth)
	}
	// What is found in a file is reported by it as if it were validated alone.
	file := *v
	file.root, file.file = path, nil
	file.found = Validation{Problems: moved(v.found.Problems[problems:], v.at(path), "/"), Warnings: moved(v.found.Warnings[warnings:], v.at(path), "/")}
	if err = file.below(ctx, prefix, group, depth); err == nil {
		err = further(ctx, &file.found)
	}
	v.nodes = file.nodes
	v.found.Problems = append(v.found.Problems[:problems], moved(file.found.Problems, "/", v.at(path))...)
	v.found.Warnings = append(v.found.Warnings[:warnings], moved(file.found.Warnings, "/", v.at(path))...)
	return err
}

// moved are violations whose paths are from another node on.
func moved(list []Violation, from, to string) []Violation {
	list = slices.Clone(list)
	for i := range list {
		list[i].Path = "/" + strings.Trim(to+"/"+strings.Trim(strings.TrimPrefix(list[i].Path, from), "/"), "/")
	}
	return list
}

// below validates what lies below a node whose keys have a prefix. The group is nil if
// it is none.
func (v *validator) below(ctx context.Context, prefix string, group *zarr.Group, depth int) error {
	listed := true
	for entry, err := range v.store.List(ctx, prefix, "/") {
		if errors.Is(err, store.ErrNoList) {
			listed = false
			break
		}
		if err != nil {
			return err
		}
		if entry.IsPrefix {
			if err := v.folder(ctx, strings.TrimSuffix(entry.Key, "/"), depth+1); err != nil {
				return err
			}
		}
	}
	if group == nil {
		return nil
	}
	return v.consolidated(ctx, group, listed)
}

// consolidated compares a group's consolidated metadata with the nodes. Where the
// store cannot list, it also says which nodes there are.
func (v *validator) consolidated(ctx context.Context, g *zarr.Group, listed bool) error {
	c := g.Metadata().Consolidated
	if c == nil {
		return ctx.Err()
	}
	root, err := zarr.OpenStore(ctx, v.store, v.root, append(slices.Clone(v.open), zarr.ImplicitGroup())...)
	if err != nil {
		root = g // the root itself is broken, which has been told
	}
	consolidated(ctx, root, g, listed, nil, func(path, text string) { v.problem(path, "consolidated", text) })
	if listed {
		return ctx.Err()
	}
	for path := range c.Paths("") {
		key := strings.Trim(g.Path()+"/"+path, "/")
		text, _, err := v.store.Get(ctx, key+"/"+job.Document, store.UpTo(meta.MaxBytes), nil)
		if err == nil {
			v.document(ctx, key, text)
		}
	}
	return ctx.Err()
}

// document validates one document. It returns the group that it describes, or
// whether it is that of an array.
func (v *validator) document(ctx context.Context, path string, text []byte) (*zarr.Group, bool) {
	members, _ := strictjson.Object(text, strictjson.Options{NaNIn: []string{"attributes", "consolidated_metadata"}})
	isArray := false
	for _, m := range members {
		isArray = isArray || m.Name == "node_type" && string(m.Raw) == `"array"`
	}
	n, err := zarr.OpenStore(ctx, v.store, path, v.open...)
	if a, ok := n.(*zarr.Array); ok && err == nil {
		if err = job.CodecError(a); err == nil {
			// As making the array does; codecs that only the options know are not tried.
			if _, err = job.Completed(a, a.Metadata().Codecs); errors.Is(err, zarr.ErrCodec) {
				err = nil
			}
		}
	}
	if err != nil {
		_, why := job.Reason(err)
		rule, why := v.ruleOf(why)
		if rule != "codecs" || !v.codecs(v.at(path), members) {
			v.problem(v.at(path), rule, why)
		}
	} else {
		v.meaning(ctx, path, n)
	}
	g, _ := n.(*zarr.Group)
	return g, isArray
}

// memberRules are the members of documents that are rules of their own.
var memberRules = []string{"shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs",
	"attributes", "dimension_names", "storage_transformers"}

// ruleOf finds the rule in what is wrong with a document: the member that the
// text begins with.
func (v *validator) ruleOf(text string) (rule, rest string) {
	text = strings.TrimPrefix(text, job.Document+": ")
	for _, r := range v.rules {
		for name, rule := range r.Documents {
			if below, ok := strings.CutPrefix(text, name+": "); ok && rule != "" {
				return rule, text
			} else if ok {
				text = below
			}
		}
	}
	n := strings.IndexFunc(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
	if n <= 0 {
		return "metadata", text
	}
	switch member := text[:n]; {
	case member == "consolidated_metadata":
		return "consolidated", text
	case member == "codec":
		return "codecs", text
	case slices.Contains(memberRules, member):
		return member, strings.TrimPrefix(text, member+": ")
	}
	for _, r := range v.rules {
		if rule := r.Members[text[:n]]; rule != "" {
			return rule, text
		}
	}
	return "metadata", text
}

// lenient checks what reading a node of a format is lenient about.
func (v *validator) lenient(ctx context.Context, path, format string) {
	for _, r := range v.rules {
		if r.Format == format && r.Node != nil {
			r.Node(ctx, v.store.Unwrap(), path, func(rule, problem string) { v.problem(v.at(path), rule, problem) })
		}
	}
}

// meaning checks what a node says beyond its format.
func (v *validator) meaning(ctx context.Context, path string, n zarr.Node) {
	for _, r := range v.rules {
		if r.Meaning != nil && (r.Format == "" || r.Format == n.Format()) {
			r.Meaning(ctx, n, &Findings{v, v.at(path)})
		}
	}
}

// find sets the store of the validator, found out by looking as opening a node does.
func (v *validator) find(ctx context.Context, s store.Store, as string) {
	if f := v.formats.Find(as); f != nil && f.Folder != nil && !f.Folder.Mixed {
		v.store = v.formats.Open(s, f.Name, format.Env{})
		return
	}
	if v.store, _ = s.(*translate.Store); v.store != nil {
		return
	}
	if n, err := zarr.OpenStore(ctx, s, v.root, v.open...); err == nil {
		v.store, _ = n.Store().(*translate.Store)
	} else if _, _, gone := s.Get(ctx, path.Join(v.root, job.Document), store.Part(0, 0), nil); gone != nil {
		if f, err := v.formats.Look(ctx, s, v.root, false); err == nil && f != nil {
			v.store = v.formats.Open(s, f.Name, format.Env{}) // broken
		}
	}
	if v.store == nil {
		v.store = v.formats.Open(s, "", format.Env{Metadata: meta.Registry{Transformers: []string{refs.Transformer}}})
	}
}
