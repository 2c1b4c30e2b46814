package api

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/rows"
	"github.com/omnizarr/zarr/serve/table"
)

// TableInfo is what is told of a table.
type TableInfo struct {
	Rows    int            `json:"rows"`
	Columns []table.Column `json:"columns"`
}

// mostVersions is how many columns are looked at for changes.
const mostVersions = 64

// table gives the table that a node is; table.ErrNone if it is none.
func (s *server) table(ctx context.Context, sp *spot) (*table.Table, error) {
	set, err := table.Of(ctx, sp.subject, s.kinds)
	if err != nil {
		return nil, err
	}
	versions, err := s.tagsBelow(ctx, sp)
	if err != nil {
		return nil, err
	}
	versions += fmt.Sprint(set.Rows.Count)
	for i, f := range set.Fields {
		if at := s.columnPath(ctx, sp, f.Path); at != "" && i < mostVersions {
			versions += " " + s.stampOf(ctx, sp, at)
		}
	}
	return table.New(set, table.Options{Cache: s.cache, Key: sp.key("table", versions), Link: func(ref rows.Ref) any {
		to := sp.source.Link(ctx, sp.path, convention.Target{File: ref.File, Path: ref.Path})
		to.Row, to.Text = ref.Row, ref.Text
		if ref.Broken != "" {
			to.Path, to.Broken = "", ref.Broken
		}
		return to
	}}), nil
}

// columnPath is where the array of a column lies in the source, "" if it does not.
func (s *server) columnPath(ctx context.Context, sp *spot, at string) string {
	if at == "" {
		return ""
	}
	if sp.subject.Object == nil {
		// Of what is no object of a file the path is that in the store, which the
		// node's own path ends with.
		if below, ok := strings.CutPrefix(at, "/"+sp.node.Path()); ok {
			return path.Join(sp.path, below)
		}
		return ""
	}
	to := sp.source.Link(ctx, sp.path, convention.Target{File: ".", Path: at})
	if to.Broken != "" || to.Source != sp.source.Name() {
		return ""
	}
	return to.Path
}

// tableMember tells of tables.
func (s *server) tableMember(ctx context.Context, sp *spot, n *Node) error {
	if !slices.Contains(n.Views, TableKind) {
		return nil
	}
	t, err := s.table(ctx, sp)
	if errors.Is(err, table.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	info := &TableInfo{Rows: t.Rows(), Columns: t.Columns()}
	for i, c := range info.Columns {
		info.Columns[i].Path = s.columnPath(ctx, sp, c.Path)
	}
	n.Table = info
	return nil
}

// tableOf gives the table that a request is about.
func (s *server) tableOf(r *request) (*spot, *table.Table, error) {
	sp, err := r.spot()
	if err != nil {
		return nil, nil, err
	}
	t, err := s.table(r.Context(), sp)
	if err != nil {
		return nil, nil, sp.fail(tableFault(err))
	}
	return sp, t, nil
}

func (s *server) serveRows(r *request) error {
	sp, t, err := s.tableOf(r)
	if err != nil {
		return err
	}
	q := table.Query{Sort: r.text("sort"), Filter: r.text("filter")}
	if q.Offset, err = r.integer("offset", 0, 0, 1<<62); err != nil {
		return err
	}
	if q.Columns, err = r.names("columns"); err != nil {
		return err
	}
	switch as := r.text("as"); as {
	case "", "json":
	case "csv":
		return s.serveCSV(r, sp, t, q)
	default:
		return wrong("as=%s: must be json or csv", short(as))
	}
	if r.text("row") != "" {
		row, err := r.integer("row", 0, 0, 1<<62)
		if err != nil {
			return err
		}
		if len(q.Columns) != 1 {
			return wrong("row=%d: name the one column that is wanted of it", row)
		}
		p, err := t.Cell(r.Context(), row, q.Columns[0])
		if err != nil {
			return sp.fail(tableFault(err))
		}
		return r.json(p)
	}
	if q.Limit, err = r.integer("limit", 100, 0, table.MaxLimit); err != nil {
		return err
	}
	p, err := t.Page(r.Context(), q)
	if err != nil {
		return sp.fail(tableFault(err))
	}
	return r.json(p)
}

// serveCSV answers with rows as a file of comma-separated values.
func (s *server) serveCSV(r *request, sp *spot, t *table.Table, q table.Query) (err error) {
	if q.Limit, err = r.integer("limit", 0, 0, 1<<62); err != nil {
		return err
	}
	write, err := t.CSV(r.Context(), q)
	if err != nil {
		return sp.fail(tableFault(err))
	}
	h := r.w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache")
	name := path.Base(sp.path)
	if sp.path == "/" {
		name = sp.source.Name()
	}
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name + ".csv"}))
	if r.Method == http.MethodHead {
		return nil
	}
	out := &begun{ResponseWriter: r.w}
	err = write(out)
	if err != nil && !out.yes {
		h.Del("Content-Disposition")
		return sp.fail(tableFault(err))
	}
	if err == nil {
		err = out.end()
	}
	if err != nil {
		panic(http.ErrAbortHandler) // so that what is there is not taken for all
	}
	return nil
}

// begun holds the first bytes back, so that what fails early can be told, and knows
// whether anything was sent.
type begun struct {
	http.ResponseWriter
	held []byte
	yes  bool
}

// mostHeld is how many bytes are held back.
const mostHeld = 32 << 10

func (b *begun) Write(p []byte) (int, error) {
	if !b.yes && len(b.held)+len(p) <= mostHeld {
		b.held = append(b.held, p...)
		return len(p), nil
	}
	if err := b.end(); err != nil {
		return 0, err
	}
	return b.ResponseWriter.Write(p)
}

// end sends what is held back.
func (b *begun) end() error {
	held := b.held
	b.yes, b.held = true, nil
	if len(held) == 0 {
		return nil
	}
	_, err := b.ResponseWriter.Write(held)
	return err
}

// names is a parameter that lists names with commas between them; those that have commas
// stand in double quotes.
func (r *request) names(name string) ([]string, error) {
	text := r.text(name)
	if text == "" {
		return nil, nil
	}
	c := csv.NewReader(strings.NewReader(text))
	c.LazyQuotes = true
	out, err := c.Read()
	if err != nil {
		return nil, wrong("%s=%s: must be names with commas between them", name, short(text))
	}
	return out, nil
}

// tableFault says how errors of tables are told.
func tableFault(err error) error {
	switch {
	case errors.Is(err, table.ErrNone), errors.Is(err, table.ErrTooMuch):
		return unsupported("%v", err)
	case errors.Is(err, table.ErrRequest):
		return wrong("%v", err)
	case errors.Is(err, table.ErrTooLarge):
		return tooLarge("%v", err)
	}
	return err
}
