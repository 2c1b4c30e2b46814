package serve

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"html"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/omnizarr/zarr/viewer"
)

// pagePolicy lets the page load what comes from this server, and nothing else.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
	"font-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// pageFile is a file of the page.
type pageFile struct {
	kind         string
	plain, small []byte // small is compressed, nil where there is none
	tag          string
}

// pageFiles are all of them by name, read once. Who built them has put beside each the
// same compressed, smaller than can be done here in a moment.
var pageFiles = sync.OnceValues(func() (map[string]pageFile, error) {
	out := map[string]pageFile{}
	files := viewer.Files()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) == ".gz" {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		f := pageFile{kind: pageType(name), plain: data, tag: tagOf(data)}
		if f.small, err = fs.ReadFile(files, name+".gz"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		out[name] = f
		return nil
	})
	return out, err
})

// pageType is the type of a file by its name, the same on every machine: what is
// registered for scripts differs.
func pageType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		return t
	}
	return typeBytes
}

// sendPage answers with a file of the page: every view is the same one, but for how far
// up its files are, and what it will ask for first.
func (s *Server) sendPage(w http.ResponseWriter, r *http.Request, at string) error {
	name := "index.html"
	if at == "/assets" {
		name = strings.TrimPrefix(r.URL.Path, "/")
	}
	files, err := pageFiles()
	if err != nil {
		return err
	}
	f, ok := files[name]
	if !ok {
		return nothing()
	}
	if at != "/assets" {
		f = s.pageOf(f, r.URL.EscapedPath())
	}
	h := w.Header()
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	h.Add("Vary", "Accept-Encoding")
	body, t := f.plain, f.tag
	if f.small != nil && accepts(r.Header.Get("Accept-Encoding"), "gzip") {
		body, t = f.small, packed(f.tag)
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("ETag", t)
	if unmet(r.Header, f.tag, noTime) == http.StatusNotModified {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", f.kind)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // who has gone needs no page
	}
	return nil
}

// pageOf is the page for an address. It names its files relative to that: what stands
// before the addresses of this server, where a proxy or another handler took it off,
// is known to the browser alone. And the browser asks for the node while the script is
// on its way.
func (s *Server) pageOf(page pageFile, address string) pageFile {
	up := strings.Repeat("../", strings.Count(address, "/")-1)
	if up == "" {
		up = "./"
	}
	var first string
	if source, node := viewed(address); source != "" {
		first = nodeOf(source, node)
	} else if all := s.sources.All(); len(all) == 1 {
		first = nodeOf(all[0].Name(), "/")
	}
	text := strings.ReplaceAll(string(page.plain), `="/`, `="`+up)
	if first != "" {
		link := `<link rel="preload" as="fetch" crossorigin href="` + up + html.EscapeString(first) + `">`
		text = strings.Replace(text, "</title>", "</title>\n"+link, 1)
	}
	out := pageFile{kind: page.kind, plain: []byte(text), tag: tagOf([]byte(text))}
	var small bytes.Buffer
	if pack(&small, out.plain) == nil {
		out.small = small.Bytes()
	}
	return out
}

// tagOf is the ETag of a file of the page.
func tagOf(data []byte) string {
	sum := sha256.Sum256(data)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

// viewed is the node that an address of the page shows, none if it is that of no view.
func viewed(address string) (source, node string) {
	rest, ok := strings.CutPrefix(address, "/view/")
	if !ok {
		return "", ""
	}
	parts := strings.Split(strings.TrimRight(rest, "/"), "/")
	for i, part := range parts {
		if plain, err := url.PathUnescape(part); err == nil {
			parts[i] = plain
		}
	}
	return parts[0], "/" + strings.Join(parts[1:], "/")
}

// nodeOf is the address that the page asks for a node at, letter by letter: another
// would be another answer.
func nodeOf(source, node string) string {
	return "api/node?source=" + asScripts.Replace(url.QueryEscape(source)) + "&path=" + asScripts.Replace(url.QueryEscape(node))
}

var asScripts = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*", "%2F", "/", "%2C", ",", "%3A", ":")
