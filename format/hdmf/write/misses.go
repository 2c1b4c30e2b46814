package write

import (
	"context"
	"path"
	"strings"
	"sync"

	"github.com/omnizarr/zarr/format/hdmf"
)

// misses finds objects that are referred to, and remembers of groups in which much
// is not found what they hold: a file may have millions of references that lead
// nowhere, and asking the store for each takes long.
type misses struct {
	source *hdmf.File

	mu     sync.Mutex
	groups map[string]*shelf // by source and path
	names  int               // in all of them
}

// shelf is what is known of a group, or of a path where none is.
type shelf struct {
	misses int
	listed bool            // names tells all that is there
	names  map[string]bool // nil if nothing is
}

const (
	// manyMisses is after how many a group is listed.
	manyMisses = 32
	// maxShelves and maxNames bound what is remembered.
	maxShelves = 1 << 12
	maxNames   = 1 << 18
)

// resolve finds an object, nil if there is none. sure says that there is none, and
// that nobody had to look for it.
func (m *misses) resolve(ctx context.Context, source, at string) (o hdmf.Object, sure bool) {
	at = path.Clean("/" + at)
	if m.gone(source, at) {
		return nil, true
	}
	o, err := m.source.Resolve(ctx, hdmf.Reference{Source: source, Path: at})
	if err == nil {
		return o, false
	}
	for at != "/" && ctx.Err() == nil {
		at = path.Dir(at)
		m.missed(ctx, source, at)
	}
	return nil, false
}

// gone says whether a path leads through a group that is known not to hold the
// next part of it.
func (m *misses) gone(source, at string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.groups) > 0 && at != "/" {
		above := path.Dir(at)
		if s := m.groups[source+"\x00"+above]; s != nil && s.listed && !s.names[at[strings.LastIndexByte(at, '/')+1:]] {
			return true
		}
		at = above
	}
	return false
}

// missed counts that something at or below a path was not found.
func (m *misses) missed(ctx context.Context, source, at string) {
	key := source + "\x00" + at
	m.mu.Lock()
	if m.groups == nil || len(m.groups) >= maxShelves && m.groups[key] == nil {
		m.groups, m.names = map[string]*shelf{}, 0
	}
	s := m.groups[key]
	if s == nil {
		s = &shelf{}
		m.groups[key] = s
	}
	s.misses++
	look := s.misses == manyMisses
	room := maxNames - m.names
	m.mu.Unlock()
	if !look {
		return
	}
	names, ok := m.list(ctx, source, at, room)
	m.mu.Lock()
	defer m.mu.Unlock()
	s.names, s.listed = names, ok
	m.names += len(names)
}

// list gives the names in a group; ok says that they are all.
func (m *misses) list(ctx context.Context, source, at string, room int) (names map[string]bool, ok bool) {
	o, err := m.source.Resolve(ctx, hdmf.Reference{Source: source, Path: at})
	g, isGroup := o.(*hdmf.Group)
	if err != nil || !isGroup {
		return nil, ctx.Err() == nil && err == nil // a dataset holds nothing
	}
	names = map[string]bool{}
	for member, err := range g.Members(ctx) {
		if err != nil || len(names) >= room {
			return nil, false
		}
		names[member.Name] = true
	}
	if g.Path() == "/" { // the cached schemas are no members
		first, _, _ := strings.Cut(strings.TrimPrefix(g.File().SchemaPath(), "/"), "/")
		names[first] = true
	}
	return names, ctx.Err() == nil
}
