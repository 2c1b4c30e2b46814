package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/serve/api"
	"github.com/omnizarr/zarr/store"
)

// mostListed is how many entries one listing has; the next one goes on behind it.
const mostListed = 10000

// entry is one name in a folder.
type entry struct {
	Name string `json:"name"`           // that of a folder ends in "/"
	Size *int64 `json:"size,omitempty"` // of a file, where it is known
	Href string `json:"-"`
}

// listing is what is in a folder.
type listing struct {
	Path    string  `json:"path"`
	Entries []entry `json:"entries"`
	// Next is where to go on (?after=), "" at the end.
	Next string `json:"next,omitempty"`
	Root bool   `json:"-"`
	More string `json:"-"`
}

// list reads what lies in a folder of a store, behind a name. A folder without anything is
// none.
func list(ctx context.Context, from store.Reader, prefix, after string) (listing, error) {
	out := listing{Path: "/" + prefix, Root: prefix == ""}
	seen := false
	for e, err := range from.List(ctx, prefix, "/") {
		if err != nil {
			return out, err
		}
		seen = true
		name := strings.TrimPrefix(e.Key, prefix)
		if after != "" && name <= after {
			continue
		}
		if len(out.Entries) == mostListed {
			out.Next = out.Entries[mostListed-1].Name
			out.More = "?" + url.Values{"after": {out.Next}}.Encode()
			break
		}
		// A name with a colon in it would be taken for a scheme.
		item := entry{Name: name, Href: "./" + (&url.URL{Path: name}).EscapedPath()}
		if !strings.ContainsRune(name, ':') {
			item.Href = strings.TrimPrefix(item.Href, "./")
		}
		if !e.IsPrefix && e.Size >= 0 {
			item.Size = &e.Size
		}
		out.Entries = append(out.Entries, item)
	}
	if !seen {
		return out, store.WrapError("list", from.URL(), prefix, store.ErrNotExist)
	}
	return out, nil
}

// sendListing answers with what is in a folder: HTML whose links fsspec and people follow,
// or JSON.
func (s *Server) sendListing(w http.ResponseWriter, r *http.Request, from store.Reader, prefix string) error {
	ctx, err := r.Context(), error(nil)
	leave, err := s.work.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	l, err := list(ctx, from, prefix, r.URL.Query().Get("after"))
	if errors.Is(err, store.ErrNoList) {
		return refuse(http.StatusNotFound, api.NotFound, "what lies here cannot be listed: the server that it comes from does not tell")
	}
	if err != nil {
		return err
	}
	var out strings.Builder
	h := w.Header()
	h.Set("Vary", "Accept, Accept-Encoding")
	if wantsJSON(r) {
		h.Set("Content-Type", typeJSON)
		enc := json.NewEncoder(&out)
		if l.Entries == nil {
			l.Entries = []entry{}
		}
		err = enc.Encode(l)
	} else {
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		l.page(&out)
	}
	if err != nil {
		return err
	}
	s.sendText(w, r, out.String())
	return nil
}

// wantsJSON reports whether a listing is for a program.
func wantsJSON(r *http.Request) bool {
	if r.URL.Query().Has("list") {
		return true
	}
	accept := r.Header.Get("Accept")
	return accepts(accept, "application/json") && !accepts(accept, "text/html")
}

// page is what is in a folder for people, bare as the listings of web servers are, which programs
// read. It is not made by html/template, which calls methods by name: for that the linker keeps
// every method there is, a tenth of the program.
func (l *listing) page(out *strings.Builder) {
	at := html.EscapeString(l.Path)
	fmt.Fprintf(out, `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>%s</title></head>
<body><h1>%s</h1>
<pre>
`, at, at)
	if !l.Root {
		link(out, "../", "../", "")
	}
	for _, e := range l.Entries {
		size := ""
		if e.Size != nil {
			size = " " + strconv.FormatInt(*e.Size, 10)
		}
		link(out, e.Href, e.Name, size)
	}
	if l.More != "" {
		link(out, l.More, "more", "")
	}
	out.WriteString("</pre></body></html>\n")
}

// link writes one line of a listing.
func link(out *strings.Builder, href, name, size string) {
	fmt.Fprintf(out, `<a href="%s">%s</a>%s`+"\n", html.EscapeString(href), html.EscapeString(name), size)
}

// toFolder sends a client to the address of a folder, which ends in a slash, so that the
// links in it lead where they should. It is relative: a prefix of the address may have
// been cut off on the way here.
func toFolder(w http.ResponseWriter, r *http.Request) {
	to := url.URL{Path: "./" + path.Base(r.URL.Path) + "/", RawQuery: r.URL.RawQuery}
	w.Header().Set("Location", to.String())
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusTemporaryRedirect)
}
