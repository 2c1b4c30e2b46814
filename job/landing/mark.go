package landing

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/store"
)

// mark is the value zarr.Unfinished: which copy is being made, and how far it is.
type mark struct {
	Version   int                  `json:"omnizarr"`
	Source    string               `json:"source"`
	Request   json.RawMessage      `json:"request"`
	Documents string               `json:"documents"` // digest of those that are to be
	From      string               `json:"from"`      // digest of the source
	Overwrite bool                 `json:"overwrite,omitempty"`
	Clearing  bool                 `json:"clearing,omitempty"` // what lies there is still of what is replaced
	Done      map[string]*progress `json:"done,omitempty"`     // by array
	Boot      string               `json:"boot,omitempty"`     // see unflushed
	Team      *team                `json:"team,omitempty"`     // of a copy that several processes make
}

// record is the value zarr.Copied: of what a place is a copy. It names no place, so
// that it may be given away.
type record struct {
	Version int    `json:"omnizarr"`
	Source  string `json:"source"` // digests
	Request string `json:"request"`
	From    string `json:"from"`
	Copy    string `json:"copy"`
	// Files are the values that are part of no node, and their sizes.
	Files map[string]int64 `json:"files,omitempty"`
}

// version is that of both.
const version = 1

// maxMark bounds a mark that is read.
const maxMark = 64 << 20

// record is what remains of a mark, with a digest of the copy.
func (m *mark) record(wrote string) record {
	return record{Version: version, Source: digest(m.Source), Request: digest(string(m.Request), m.Documents), From: m.From, Copy: wrote}
}

// differs says in which way another mark is of another copy, "" if it is not.
func (m *mark) differs(other *mark) string {
	switch {
	case other.Version != version:
		return "it is none of this program"
	case m.Source != other.Source:
		return "it is of another source, " + other.Source
	case string(m.Request) != string(other.Request) || m.Documents != other.Documents:
		return "it was begun with other options"
	case m.From != other.From:
		return "the source has changed since it was begun"
	case other.Clearing:
		return "it was removing what it replaces"
	}
	return m.Team.differs(other.Team)
}

// differs says in which way a record is of another copy.
func (r record) differs(other *record) string {
	switch {
	case other.Version != version || r.Source != other.Source:
		return "a copy of another source"
	case r.Request != other.Request:
		return "a copy made with other options"
	case r.From != other.From:
		return "a copy of what the source was, which has changed since"
	}
	return ""
}

// identify says which copy this is.
func (l *Landing) identify(ctx context.Context) error {
	src := l.copy.Source
	request, err := json.Marshal(l.copy.Request)
	if err != nil {
		return err
	}
	l.mark = mark{Version: version, Source: store.Identity(src.Store(), src.Path()), Request: request, Overwrite: l.copy.Overwrite, Boot: l.unflushed(), Team: l.team}
	var texts []string
	for _, key := range l.held.Changes() {
		if !l.ground.inside(key) {
			continue // a group above, which may have been there
		}
		text, _, err := l.held.Get(ctx, key, store.All(), nil)
		if err != nil {
			return err
		}
		texts = append(texts, strings.TrimPrefix(key[len(l.Path()):], "/"), string(text))
	}
	l.mark.Documents = digest(texts...)
	l.mark.From, err = SourceDigest(ctx, src)
	return err
}

// SourceDigest tells whether a source has changed: by the tag of the file that it is,
// or by a listing of what it holds, or where there is neither by its documents alone.
func SourceDigest(ctx context.Context, src zarr.Node) (string, error) {
	if t, ok := store.As[store.Tagged](src.Store()); ok && t.Tag() != "" {
		return digest(t.Tag()), nil
	}
	d, err := listing(ctx, translate.Raw(src.Store()), src.Path(), true)
	if !errors.Is(err, store.ErrNoList) {
		return d, err
	}
	doc, _, err := src.Store().Get(ctx, path.Join(src.Path(), "zarr.json"), store.All(), nil)
	return digest(string(doc)), err
}

// listing is a digest of the keys below a path and the sizes of their values, and of
// what tells of changes. What copies keep for themselves does not count.
func listing(ctx context.Context, s store.Reader, at string, tags bool) (string, error) {
	prefix := ""
	if at != "" {
		prefix = at + "/"
	}
	h := sha256.New()
	for e, err := range s.List(ctx, prefix, "") {
		if err != nil {
			return "", err
		}
		key := e.Key[len(prefix):]
		if isOwn(key) {
			continue
		}
		tag := ""
		if tags {
			tag = e.ETag
		}
		fmt.Fprintf(h, "%q %d %q\n", key, e.Size, tag)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

func digest(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%d %s\n", len(t), t)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// progress is which blocks of an array are done.
type progress struct {
	Grid string `json:"grid"` // how the array is cut into blocks
	Done ranges `json:"blocks"`
}

// ranges are numbers in order, as pairs of a first one and the one behind the last.
type ranges [][2]int

func (r ranges) has(n int) bool {
	i, found := r.find(n)
	return found || i > 0 && n < r[i-1][1]
}

// find gives the first pair that begins at n or behind it, and whether it does at n.
func (r ranges) find(n int) (int, bool) {
	return slices.BinarySearchFunc(r, n, func(p [2]int, n int) int { return cmp.Compare(p[0], n) })
}

func (r *ranges) add(n int) {
	if r.has(n) {
		return
	}
	i, _ := r.find(n)
	before := i > 0 && (*r)[i-1][1] == n
	behind := i < len(*r) && (*r)[i][0] == n+1
	switch {
	case before && behind:
		(*r)[i-1][1] = (*r)[i][1]
		*r = slices.Delete(*r, i, i+1)
	case before:
		(*r)[i-1][1] = n + 1
	case behind:
		(*r)[i][0] = n
	default:
		*r = slices.Insert(*r, i, [2]int{n, n + 1})
	}
}

// MarshalText is such as "0-5,7".
func (r ranges) MarshalText() ([]byte, error) {
	var out []byte
	for i, p := range r {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(out, int64(p[0]), 10)
		if p[1] > p[0]+1 {
			out = strconv.AppendInt(append(out, '-'), int64(p[1]-1), 10)
		}
	}
	return out, nil
}

// UnmarshalText reads the same.
func (r *ranges) UnmarshalText(text []byte) error {
	*r = nil
	if len(text) == 0 {
		return nil
	}
	for part := range strings.SplitSeq(string(text), ",") {
		first, last, isRange := strings.Cut(part, "-")
		from, err := strconv.Atoi(first)
		to := from
		if isRange && err == nil {
			to, err = strconv.Atoi(last)
		}
		if err != nil || from < 0 || to < from || len(*r) > 0 && from <= (*r)[len(*r)-1][1] {
			return fmt.Errorf("blocks %q", part)
		}
		*r = append(*r, [2]int{from, to + 1})
	}
	return nil
}

// Done reports whether a block of an array was done before an interruption. Grid is
// how the array is cut into blocks: those of another grid do not count.
func (l *Landing) Done(array, grid string, block int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.mark.Done[array]
	return p != nil && p.Grid == grid && p.Done.has(block)
}

// How often the mark is stored while blocks are done.
const (
	saveNear = 200 * time.Millisecond
	saveFar  = 2 * time.Second
)

// Mark says that a block of an array is done, and all its chunks are stored.
func (l *Landing) Mark(ctx context.Context, array, grid string, block int) error {
	if l.team != nil {
		return nil // its mark is written once; what is stored tells what is done
	}
	l.mu.Lock()
	p := l.mark.Done[array]
	if p == nil || p.Grid != grid {
		p = &progress{Grid: grid}
		if l.mark.Done == nil {
			l.mark.Done = map[string]*progress{}
		}
		l.mark.Done[array] = p
	}
	p.Done.add(block)
	every := saveFar
	if l.ground.Near() {
		every = saveNear
	}
	now := time.Now()
	due := now.Sub(l.saved) >= every
	if due {
		l.saved = now
	}
	l.mu.Unlock()
	if !due {
		return nil
	}
	return l.save(ctx)
}

// save stores the mark.
func (l *Landing) save(ctx context.Context) error {
	l.put.Lock() // an older one does not come behind a newer one
	defer l.put.Unlock()
	l.mu.Lock()
	text, err := json.Marshal(&l.mark)
	l.mu.Unlock()
	if err == nil {
		_, err = l.base.Put(ctx, path.Join(l.made, zarr.Unfinished), append(text, '\n'), store.PutOptions{})
	}
	return err
}

// putJSON stores a small value of this package.
func (l *Landing) putJSON(ctx context.Context, folder, name string, v any) error {
	text, err := json.Marshal(v)
	if err == nil {
		_, err = l.base.Put(ctx, path.Join(folder, name), append(text, '\n'), store.PutOptions{})
	}
	return err
}
