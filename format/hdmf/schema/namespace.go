package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Namespace is one version of a namespace.
type Namespace struct {
	Name, Version string
	FullName      string
	Doc           string
	Author        []string
	Contact       []string

	catalog  *Catalog
	schema   []include
	types    map[string]*definition // its own
	names    []string               // of its own types, in the order of the texts
	twice    []*definition          // types that were there before
	found    map[string]*definition // what was looked up, of included namespaces too
	problems problems
}

// include is one entry of a namespace's schema: a source, or another namespace.
type include struct {
	place     string // "schema[3]"
	source    string
	namespace string
	version   string          // of the namespace, "" for the latest
	only      map[string]bool // the types to take; nil takes all
}

// Includes lists the namespaces whose types this one has too.
func (n *Namespace) Includes() []string {
	var out []string
	for _, e := range n.schema {
		if e.namespace != "" && !slices.Contains(out, e.namespace) {
			out = append(out, e.namespace)
		}
	}
	return out
}

// Types lists the names of the types that the namespace defines itself, sorted.
func (n *Namespace) Types() []string { return slices.Sorted(slices.Values(n.names)) }

// Type looks up a type that the namespace defines or includes. The reason is
// ErrUnknown if there is none; any other error tells why the type cannot be used.
func (n *Namespace) Type(name string) (*Type, error) {
	if n == nil || n.catalog == nil {
		return nil, &Error{Type: name, Err: ErrUnknown}
	}
	n.catalog.mu.Lock()
	defer n.catalog.mu.Unlock()
	return n.resolve(name)
}

func (n *Namespace) error(source string, err error) *Error {
	return &Error{Namespace: n.Name, Version: n.Version, Source: source, Err: err}
}

// described is an error about a member of the text that describes the namespace.
func (n *Namespace) described(member string, err error) *Error {
	e := n.error(descriptor, err)
	e.Member, e.Err = under(member, err)
	return e
}

func (n *Namespace) problem(err *Error) { n.problems.add(err) }

// descriptor is the name of the text that describes a namespace.
const descriptor = "namespace"

// read takes the texts apart. Its error says why there is no namespace at all.
func (n *Namespace) read(sources map[string]string) error {
	text, ok := sources[descriptor]
	if !ok {
		return n.error(descriptor, errors.New("is missing"))
	}
	if err := n.describe(text); err != nil {
		return n.described("", err)
	}
	n.types = map[string]*definition{}
	read := map[string]bool{}
	for i, e := range n.schema {
		if e.source == "" {
			continue
		}
		text, ok := findSource(sources, e.source)
		if !ok {
			n.problem(n.error(e.source, errors.New("is missing")))
			continue
		}
		if read[e.source] {
			n.problem(n.error(e.source, errors.New("is named twice by the namespace")))
			continue
		}
		read[e.source] = true
		n.load(i, e, text)
	}
	return nil
}

// load reads the types of one source.
func (n *Namespace) load(entry int, e include, text string) {
	p := parser{ns: n, source: e.source, only: e.only, entry: entry}
	if err := p.parse(text); err != nil {
		n.problem(p.at("", err))
	}
	for _, d := range p.defs {
		if n.types[d.name] != nil {
			n.twice = append(n.twice, d)
			continue
		}
		n.types[d.name] = d
		n.names = append(n.names, d.name)
	}
	for _, name := range slices.Sorted(maps.Keys(e.only)) {
		if d := n.types[name]; d == nil || d.source != e.source {
			n.problem(&Error{Namespace: n.Name, Version: n.Version, Source: e.source, Type: name, Err: ErrUnknown})
		}
	}
}

// findSource looks up a text. Names of files may have lost their ending when they
// were cached.
func findSource(sources map[string]string, name string) (string, bool) {
	if text, ok := sources[name]; ok {
		return text, true
	}
	for _, ending := range [...]string{".yaml", ".yml", ".json"} {
		if short, had := strings.CutSuffix(name, ending); had {
			text, ok := sources[short]
			return text, ok
		}
	}
	return "", false
}

// describe reads the text that describes the namespace.
func (n *Namespace) describe(text string) error {
	doc, err := strictjson.Object([]byte(text), strictjson.Options{MaxBytes: maxSource, MaxDepth: maxNesting, NaN: true})
	if err != nil {
		return err
	}
	var entry []strictjson.Member
	for _, m := range doc {
		if m.Name != "namespaces" {
			continue
		}
		err := strictjson.Each(m.Raw, func(i int, elem json.RawMessage) error {
			members, err := strictjson.Split(elem)
			if err == nil && entry == nil && textOf(members, "name") == n.Name {
				entry = members
			}
			return err
		})
		if err != nil {
			return strictjson.AtMember(m.Name, err)
		}
	}
	if entry == nil {
		return strictjson.Errorf("namespaces", "has none of the name %s", strictjson.Quote(n.Name))
	}
	if v := textOf(entry, "version"); v != "" && v != n.Version {
		n.problem(n.error(descriptor, fmt.Errorf("says that the version is %s", strictjson.Quote(v))))
	}
	n.FullName, n.Doc = textOf(entry, "full_name"), textOf(entry, "doc")
	for _, m := range entry {
		switch m.Name {
		case "author":
			n.Author = texts(m.Raw)
		case "contact":
			n.Contact = texts(m.Raw)
		case "schema":
			n.readSchema(m.Raw)
		}
	}
	return nil
}

// maxEntries is how many sources and namespaces one namespace may name.
const maxEntries = 4096

// readSchema reads which sources and other namespaces belong to the namespace. An
// entry that makes no sense is a problem, and the others hold.
func (n *Namespace) readSchema(raw json.RawMessage) {
	err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		if i >= maxEntries {
			return fmt.Errorf("%w: more than %d entries", ErrLimit, maxEntries)
		}
		place := fmt.Sprintf("schema[%d]", i)
		e, err := parseInclude(elem)
		if err != nil {
			n.problem(n.described(place, err))
			return nil
		}
		e.place = place
		n.schema = append(n.schema, e)
		return nil
	})
	if err != nil {
		n.problem(n.described("schema", err))
	}
}

func parseInclude(raw json.RawMessage) (include, error) {
	var e include
	members, err := strictjson.Split(raw)
	if err != nil {
		return e, err
	}
	for _, m := range members {
		switch m.Name {
		case "source":
			e.source, err = optionalText(m.Raw)
		case "namespace":
			e.namespace, err = optionalText(m.Raw)
		case "version":
			e.version, err = optionalText(m.Raw)
		case "data_types", "neurodata_types":
			if strictjson.IsNull(m.Raw) {
				continue
			}
			e.only = map[string]bool{}
			err = strictjson.Each(m.Raw, func(i int, elem json.RawMessage) error {
				name, err := strictjson.String(elem)
				e.only[name] = true
				return err
			})
		}
		if err != nil {
			return e, strictjson.AtMember(m.Name, err)
		}
	}
	if e.source != "" {
		e.namespace = "" // a source is what counts, as in hdmf
	} else if e.namespace == "" {
		return e, errors.New("names neither a source nor a namespace")
	}
	return e, nil
}

// textOf is the text of a member, "" if it has none.
func textOf(members []strictjson.Member, name string) string {
	for _, m := range members {
		if m.Name == name {
			text, _ := strictjson.String(m.Raw)
			return text
		}
	}
	return ""
}

// texts reads one text or several; what is none is left out.
func texts(raw json.RawMessage) []string {
	if text, err := strictjson.String(raw); err == nil {
		return []string{text}
	}
	var out []string
	_ = strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		if text, err := strictjson.String(elem); err == nil {
			out = append(out, text)
		}
		return nil
	})
	return out
}
