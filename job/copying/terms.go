package copying

import (
	"encoding/json"
	"maps"
	"path"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
)

// Documents gives those of arrays, by their paths, with what they tell programs of
// their elements said as the format says it. What it has no words for is told in ours.
func (f Nodes) Documents(arrays map[string]*zarr.Array) (docs map[string]*meta.Array, lost []string, err error) {
	docs = make(map[string]*meta.Array, len(arrays))
	groups := besides(arrays)
	for _, at := range job.Paths(arrays) {
		a, unsaid := arrays[at], ""
		if docs[at], unsaid, err = f.terms(a, a.DataType(), groups[path.Dir(at)]); err != nil {
			return nil, nil, &zarr.Error{Op: "copy", URL: a.URL(), Err: err}
		}
		if unsaid != "" {
			lost = append(lost, at+": "+unsaid)
		}
	}
	return docs, lost, nil
}

// Said is what the groups of a copy say.
type Said struct {
	Groups map[string]*meta.Group // documents, by their paths
	// Notes are what is said in another form than before, and what is not.
	Notes []string
	names map[string][]string
}

// Groups gives the documents of groups, by their paths, with what they tell by
// conventions said as the format says it.
func (f Nodes) Groups(groups map[string]*zarr.Group) (Said, error) {
	s := Said{Groups: make(map[string]*meta.Group, len(groups)), names: map[string][]string{}}
	for at, g := range groups {
		s.Groups[at] = g.Metadata().Clone()
		if err := f.leave(g.Format(), s.Groups[at]); err != nil {
			return s, &zarr.Error{Op: "copy", URL: g.URL(), Err: err}
		}
	}
	to := std.Registry().Find(f.Format)
	if to == nil || to.Restate == nil {
		return s, nil
	}
	var all []string
	count := map[string]int{}
	for _, at := range job.Paths(groups) {
		if groups[at].Format() == f.Format {
			continue
		}
		done, kept, names := to.Restate(s.Groups, at)
		maps.Copy(s.names, names)
		if kept != "" {
			s.Notes = append(s.Notes, at+": "+kept)
		}
		if count[done]++; done != "" && count[done] == 1 {
			all = append(all, done)
		}
	}
	for _, done := range all {
		s.Notes = append(s.Notes, done+" in "+counted(int64(count[done]), "group"))
	}
	return s, nil
}

// Names are those that the groups give the dimensions of an array which has none, nil
// if they give none.
func (s Said) Names(at string, has []string, rank int) []string {
	if names := s.names[at]; len(names) == rank && strings.Join(has, "") == "" {
		return names
	}
	return nil
}

// Name gives the arrays of a copy such names.
func (s Said) Name(docs map[string]*meta.Array) {
	for at, m := range docs {
		if given := s.Names(at, names(m.DimensionNames), len(m.Shape)); given != nil {
			m.DimensionNames = make([]*string, len(given))
			for i := range given {
				m.DimensionNames[i] = &given[i]
			}
		}
	}
}

// terms gives the document of an array with what it tells programs of its elements
// said as the other format says it, and of the type that the copy has. What the
// format has no words for is told in ours.
func (f Nodes) terms(a *zarr.Array, typ dtype.Type, beside []*meta.Array) (m *meta.Array, lost string, err error) {
	m = a.Metadata().Clone()
	same, anew := a.Format() == f.Format, !dtype.Equal(typ, m.DataType)
	if same && !anew {
		return m, "", nil
	}
	if err := f.leave(a.Format(), m); err != nil {
		return nil, "", err
	}
	from, to := termsOf(a.Format()), termsOf(f.Format)
	said := from != nil && to != nil
	var what format.Meaning
	if said {
		what, said = from.Read(m, beside)
	}
	if !said {
		m.NoFill = m.NoFill && same
	}
	if anew {
		if m.FillValue, err = FillValue(a, typ); err != nil {
			return nil, "", err
		}
		what.Missing = convertMissing(what.Missing, m.DataType, typ)
		m.DataType = typ
	}
	if said {
		lost = to.Write(m, what)
	}
	return m, lost, nil
}

// leave takes out of a node of another format what it would mean something else by.
func (f Nodes) leave(from string, n meta.Node) error {
	if of := std.Registry().Find(from); of != nil && of.Leave != nil && from != f.Format {
		return of.Leave(n)
	}
	return nil
}

// termsOf are those of a format, nil if it has none.
func termsOf(name string) format.Terms {
	if f := std.Registry().Find(name); f != nil {
		return f.Terms
	}
	return nil
}

// convertMissing is a missing value in another type, nil if that has none such: no
// element is missing then, or the copy would fail.
func convertMissing(missing json.RawMessage, from, to dtype.Type) json.RawMessage {
	if missing == nil {
		return nil
	}
	from, to = format.MissingType(from), format.MissingType(to)
	elem, err := from.ParseFill(missing, nil)
	if err != nil {
		return nil
	}
	dst := nd.Make(to.Size(), 1)
	if Convert(to, dst, from, nd.Of(elem, from.Size(), 1)) != nil {
		return nil
	}
	fill, err := to.AppendFill(nil, dst.Data, nil)
	if err != nil {
		return nil
	}
	return fill
}

// besides gives the documents of the arrays in each group.
func besides(arrays map[string]*zarr.Array) map[string][]*meta.Array {
	out := map[string][]*meta.Array{}
	for at, a := range arrays {
		if at != "/" {
			out[path.Dir(at)] = append(out[path.Dir(at)], a.Metadata())
		}
	}
	return out
}

// names are those of dimensions as an ArraySpec has them.
func names(list []*string) []string {
	if list == nil {
		return nil
	}
	out := make([]string, len(list))
	for i, name := range list {
		if name != nil {
			out[i] = *name
		}
	}
	return out
}
