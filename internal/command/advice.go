package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	codecs "github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/meta"
)

// advised is an error with what to do about it.
type advised struct {
	error
	text string
}

func (e advised) Error() string { return e.text }
func (e advised) Unwrap() error { return e.error }

// advise adds to the error of opening something that is not there what there is, and
// what may be meant.
func (a *app) advise(ctx context.Context, err error) error {
	if near := meant(err); len(near) > 0 {
		return advised{err, err.Error() + "; did you mean " + strings.Join(near, " or ") + "?"}
	}
	known, ok := errors.AsType[*zarr.Error](err)
	if !ok || known.Op != "open" || ctx.Err() != nil || strings.Contains(known.URL, "|") {
		return err
	}
	path := localPath(known.URL)
	at := known.URL
	if path != "" {
		at = shortPath(path)
	}
	text := func(what, more string) error {
		return advised{err, fmt.Sprintf("open %s: %s; %s", at, what, more)}
	}
	switch {
	case errors.Is(err, zarr.ErrNotArray):
		if n, err := a.node(ctx, known.URL); err == nil {
			defer n.Close()
			return text("is a group, not an array", "it "+holds(nodeNames(ctx, n.(*zarr.Group)), "", "node"))
		}
	case errors.Is(err, zarr.ErrFormat):
		if more := a.chunkOf(ctx, known.URL); more != "" {
			return text(known.Err.Error(), more)
		}
	case !errors.Is(err, fs.ErrNotExist):
	case isFolder(path):
		if more := folder(path); more != "" {
			return text(known.Err.Error(), more)
		}
	default:
		if more := a.above(ctx, known.URL); more != "" {
			return text("there is no such node", more)
		}
		if more := around(path); more != "" {
			return text("no such file or folder", more)
		}
	}
	return err
}

func isFolder(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && path != "" && fi.IsDir()
}

// node opens a node that says itself that it is one: a folder which may be one, going
// by what lies below it, is none.
func (a *app) node(ctx context.Context, at string) (zarr.Node, error) {
	formats := std.Registry()
	if path := localPath(at); isFolder(path) && formats.NamedIn(at) == nil &&
		!slices.ContainsFunc(formats.Documents(), func(name string) bool { _, err := os.Stat(filepath.Join(path, name)); return err == nil }) {
		return nil, zarr.ErrNoNode
	}
	return zarr.Open(ctx, at, a.options(zarr.ReadOnly())...)
}

// localPath is the path that a URL of a file names, "" for other URLs.
func localPath(at string) string {
	if u, err := url.Parse(at); err == nil && u.Scheme == "file" {
		if runtime.GOOS == "windows" {
			return filepath.FromSlash(strings.TrimPrefix(u.Path, "/"))
		}
		return u.Path
	}
	if strings.Contains(at, "://") || strings.HasPrefix(at, "mem:") {
		return ""
	}
	return at
}

// cutURL cuts the last part of the path off a URL or path.
func cutURL(at string) (above, name string) {
	at = strings.TrimRight(at, "/")
	i := strings.LastIndexAny(at, "/"+string(filepath.Separator))
	if i <= 0 || strings.HasSuffix(at[:i], ":/") {
		return "", at
	}
	name = at[i+1:]
	if plain, err := url.PathUnescape(name); err == nil && strings.Contains(at, "://") {
		name = plain
	}
	return at[:i], name
}

// mostAbove is how many parts of a path are taken away to find a node that is there.
const mostAbove = 6

// above finds the nearest node above one that is not there, and says what it holds.
func (a *app) above(ctx context.Context, at string) string {
	for range mostAbove {
		up, name := cutURL(at)
		if up == "" || strings.Contains(name, "?") {
			return ""
		}
		n, err := a.node(ctx, up)
		if err != nil {
			at = up
			continue
		}
		defer n.Close()
		if path := localPath(up); path != "" {
			up = shortPath(path)
		}
		g, ok := n.(*zarr.Group)
		if !ok {
			return up + " is an array, with no nodes inside"
		}
		return up + " " + holds(nodeNames(ctx, g), name, "node")
	}
	return ""
}

// nodeNames are the names of the nodes in a group.
func nodeNames(ctx context.Context, g *zarr.Group) (names []string) {
	for n, err := range g.Children(ctx) {
		if err == nil {
			_, name := cutURL("/" + n.Path())
			names = append(names, strings.TrimPrefix(name, "/"))
		}
		if len(names) > 1000 {
			break
		}
	}
	slices.SortFunc(names, meta.ComparePaths)
	return names
}

// holds says what there is, and what may be meant by a name.
func holds(names []string, name, noun string) string {
	const most = 12
	if len(names) == 0 {
		return "has no " + noun + "s in it"
	}
	text := "has " + words.Counted(len(names), noun) + ": "
	if isNumbered(names) && len(names) > 3 {
		return text + fmt.Sprintf("0 to %d", len(names)-1)
	}
	shown := names[:min(len(names), most)]
	text += strings.Join(shown, ", ")
	if len(shown) < len(names) {
		text += ", …"
	}
	if near := words.Near(name, names); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return text
}

// meant are the names of codecs and data types that may be meant by one that is not
// known.
func meant(err error) []string {
	if c, ok := errors.AsType[*codec.Error](err); ok && errors.Is(c.Err, codec.ErrUnknown) {
		return words.Near(c.Codec, codecs.Registry().Names())
	}
	_, text, ok := strings.Cut(fmt.Sprint(err), dtype.ErrUnknown.Error()+" ")
	quoted, quoteErr := strconv.QuotedPrefix(text)
	if !ok || quoteErr != nil || !errors.Is(err, dtype.ErrUnknown) {
		return nil
	}
	name, quoteErr := strconv.Unquote(quoted)
	if quoteErr != nil {
		return nil
	}
	known := slices.DeleteFunc(dtype.Default().Names(), func(n string) bool { return strings.HasSuffix(n, "*") })
	return words.Near(name, known)
}

// isNumbered reports whether names are the numbers from 0 on.
func isNumbered(names []string) bool {
	for i := range names {
		if !slices.Contains(names, strconv.Itoa(i)) {
			return false
		}
	}
	return true
}

// around says what is beside a path that is not there.
func around(path string) string {
	if path == "" {
		return ""
	}
	for range mostAbove {
		up, name := filepath.Dir(path), filepath.Base(path)
		entries, err := os.ReadDir(up)
		if err != nil {
			if up == path {
				return ""
			}
			path = up
			continue
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if near := words.Near(name, names); len(near) > 0 {
			for i := range near {
				near[i] = shortPath(filepath.Join(up, near[i]))
			}
			return "did you mean " + strings.Join(near, " or ") + "?"
		}
		return "there is no " + name + " in " + shortPath(up)
	}
	return ""
}

// folder says what is in a folder that is no hierarchy.
func folder(path string) string {
	entries, err := os.ReadDir(path)
	if err != nil {
		return ""
	}
	if len(entries) == 0 {
		return "the folder is empty"
	}
	formats, files := std.Registry(), map[string][]string{}
	var first []string
	for _, e := range entries {
		if f := formats.FileNamed(e.Name()); f != nil && !e.IsDir() {
			title := strings.TrimSuffix(f.Title[strings.Index(f.Title, " ")+1:], " file")
			if files[title] = append(files[title], e.Name()); len(files[title]) == 1 {
				first = append(first, title)
			}
		}
	}
	if len(first) > 0 {
		title := first[0]
		names := files[title]
		one := shortPath(filepath.Join(path, names[0]))
		if len(names) > 1 {
			return fmt.Sprintf("a folder of %d %s files, open one: %s", len(names), title, quoted(one))
		}
		return "open the file in it: " + quoted(one)
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() {
			name += "/"
		}
		names = append(names, name)
	}
	return "the folder " + holds(names, "", "item")
}

// chunkOf says that a file is part of a hierarchy.
func (a *app) chunkOf(ctx context.Context, at string) string {
	for range mostAbove {
		if at, _ = cutURL(at); at == "" {
			return ""
		}
		if n, err := a.node(ctx, at); err == nil {
			defer n.Close()
			if path := localPath(at); path != "" {
				at = shortPath(path)
			}
			return "it lies in the hierarchy " + at + ", open that"
		}
	}
	return ""
}

// shortPath is a path as somebody in the working directory would write it.
func shortPath(path string) string {
	if dir, err := os.Getwd(); err == nil && filepath.IsAbs(path) {
		if rel, err := filepath.Rel(dir, path); err == nil && !strings.HasPrefix(rel, "..") {
			return rel
		}
	}
	return path
}
