package main

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/store"
)

// subject is what a URL names: a node, and if that lies in an HDMF file, what it
// is there.
type subject struct {
	node   zarr.Node
	object hdmf.Object // nil outside of HDMF files
	opened *hdmf.File  // that the URL names; the object of a link may lie in another
}

// Close gives up the node and the file.
func (s *subject) Close() error {
	if s.opened != nil {
		return s.opened.Close()
	}
	return s.node.Close()
}

// isRoot reports whether the subject is a whole HDMF file.
func (s *subject) isRoot() bool { return s.object != nil && s.object.Path() == "/" }

// plainFlag adds the flag to a command that knows HDMF files.
func (a *app) plainFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.plain, "plain", false, "show an HDMF or NWB file as the Zarr nodes that it is made of")
}

// find opens what a URL names. Nodes of HDMF files are found out by looking; a URL
// may also lead through their links.
func (a *app) find(ctx context.Context, url string) (*subject, error) {
	n, err := zarr.Open(ctx, url, a.options(zarr.ReadOnly())...)
	there := err == nil
	if !there {
		if !isGone(err) {
			return nil, err
		}
		if implicit, ierr := a.open(ctx, url); ierr == nil {
			return &subject{node: implicit}, nil
		}
	}
	// Other nodes are asked for only where that costs next to nothing.
	if a.plain || there && !isObject(ctx, n) && !strings.HasPrefix(n.Store().URL(), "file:") {
		if !there {
			return nil, err
		}
		return &subject{node: n}, nil
	}
	root, at := a.fileAround(ctx, url, n)
	if root == nil {
		if !there {
			return nil, err
		}
		return &subject{node: n}, nil
	}
	if there && root != n {
		n.Close()
	}
	file := hdmf.Of(ctx, root.(*zarr.Group), hdmf.Zarr(a.options(zarr.ReadOnly())...))
	o, err := file.Object(ctx, at)
	if err != nil {
		file.Close()
		return nil, err
	}
	return &subject{node: o.Node(), object: o, opened: file}, nil
}

// isGone reports whether an error says that there is nothing.
func isGone(err error) bool {
	return errors.Is(err, store.ErrNotExist) || errors.Is(err, fs.ErrNotExist)
}

// isObject reports whether a node may be part of an HDMF file.
func isObject(ctx context.Context, n zarr.Node) bool {
	if g, ok := n.(*zarr.Group); ok {
		return hdmf.Is(ctx, g)
	}
	attrs := n.Attributes()
	for _, name := range []string{"zarr_dtype", "_DTYPE", "_REFERENCE_FIELDS", "neurodata_type"} {
		if attrs.Raw(name) != nil {
			return true
		}
	}
	return attrs.Raw("namespace") != nil && attrs.Raw("data_type") != nil
}

// mostAbove is how many groups a file's root is looked for above a node.
const mostAbove = 64

// fileAround finds the root of the HDMF file that a URL leads into, and where in it:
// the nearest group that names cached schemas, else the uppermost one that looks
// like a file. n is the node at the URL, nil if there is none.
func (a *app) fileAround(ctx context.Context, url string, n zarr.Node) (root zarr.Node, at string) {
	take := func(n zarr.Node, where string) (last bool) {
		g, ok := n.(*zarr.Group)
		if ok && hdmf.Is(ctx, g) {
			if root != nil && root != n {
				root.Close()
			}
			root, at = n, where
			return g.Metadata().Attributes.Raw(".specloc") != nil
		}
		return false
	}
	if n != nil && take(n, "/") {
		return root, at
	}
	where := ""
	for range mostAbove {
		up, name, ok := above(url)
		if !ok {
			break
		}
		url, where = up, path.Join(name, where)
		g, err := zarr.OpenGroup(ctx, url, a.options(zarr.ReadOnly())...)
		if err != nil {
			// Behind a link nothing need be there at all.
			if n == nil && root == nil && isGone(err) {
				continue
			}
			break
		}
		last := take(g, where)
		if root != g {
			g.Close()
		}
		if last {
			break
		}
	}
	return root, at
}

// above splits the last name off a URL.
func above(url string) (up, name string, ok bool) {
	if strings.Contains(url, "?") {
		return "", "", false
	}
	if bar := strings.LastIndexByte(url, '|'); bar >= 0 {
		colon := strings.IndexByte(url[bar:], ':')
		inner := ""
		if colon >= 0 {
			inner = strings.Trim(url[bar+colon+1:], "/")
		}
		if inner == "" {
			return "", "", false
		}
		dir, base := path.Split(inner)
		return url[:bar+colon+1] + strings.TrimSuffix(dir, "/"), base, true
	}
	if scheme := strings.Index(url, "://"); scheme >= 0 {
		rest := strings.TrimRight(url[scheme+3:], "/")
		cut := strings.LastIndexByte(rest, '/')
		if cut < 0 || rest[cut+1:] == "" {
			return "", "", false
		}
		return url[:scheme+3] + rest[:cut], rest[cut+1:], true
	}
	abs, err := filepath.Abs(url)
	if err != nil || strings.HasPrefix(url, "mem:") || filepath.Dir(abs) == abs {
		return "", "", false
	}
	return filepath.Dir(abs), filepath.Base(abs), true
}

// why tells in a line why a link or reference leads nowhere.
func why(err error) string {
	var known *zarr.Error
	if errors.As(err, &known) && (known.Op == "link" || known.Op == "resolve") {
		err = known.Err
	}
	text := oneLine(err.Error())
	switch {
	case errors.Is(err, hdmf.ErrLinks):
		return hdmf.ErrLinks.Error()
	case errors.Is(err, zarr.ErrNoNode) && !strings.HasPrefix(text, "source "):
		return "there is no such object"
	}
	return text
}

// place names a file as seen from another: "." for itself, a relative path beside
// it, a path or URL elsewhere.
func place(ctx context.Context, from, to *hdmf.File) string {
	if from == to {
		return "."
	}
	was, is := zarr.Place(ctx, from.Zarr()), zarr.Place(ctx, to.Zarr())
	host, below, web := cutHost(is)
	if fromHost, fromBelow, _ := cutHost(was); host == fromHost && was != "" {
		if rel, err := filepath.Rel(filepath.FromSlash(fromBelow), filepath.FromSlash(below)); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	if web {
		return is
	}
	return filepath.ToSlash(is)
}

// cutHost splits a place into its scheme and host, and the path there.
func cutHost(place string) (host, below string, web bool) {
	scheme := strings.Index(place, "://")
	if scheme < 0 {
		return "", place, false
	}
	cut := strings.IndexByte(place[scheme+3:], '/')
	if cut < 0 {
		return place, "/", true
	}
	return place[:scheme+3+cut], place[scheme+3+cut:], true
}
