// Package locate finds the store that a URL names, and the node in it.
//
// A URL is a path or file://, http://, https:// or mem: with a name; further
// schemes come with the packages that register them, or are added to a Schemes
// value. A part of a path that ends in ".zip"
// and is a file opens as an archive, and what follows names a node in it. In a
// pipeline, base|zip:path|zarr3:path, each stage says how to take what the one
// before gives.
package locate

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
	"github.com/omnizarr/zarr/store/web"
	"github.com/omnizarr/zarr/store/zip"
)

// Location is where a URL leads. The caller must Close it, or Discard it.
type Location struct {
	// Store has the node. For a path it starts at the named folder, so that
	// nothing above it can be reached.
	Store store.Store
	// Path is the path of the node in the store, "" for its root.
	Path string
	// Format is how a pipeline says to read the node, the name of a format, or "" to
	// find out by looking.
	Format string
	// File says that Path is the key of one value, a file of some format whose
	// nodes are inside it, and not a folder of keys.
	File bool
	// Inner is the path of the node inside the file, when File is set.
	Inner string

	closer io.Closer // of the store inside wrappers
}

// Close gives up the store. An archive that was written comes into being only
// by a Close without error.
func (l Location) Close() error {
	if l.closer != nil {
		return l.closer.Close()
	}
	if c, ok := l.Store.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Discard is Close, but an archive that was written is left as it was before.
func (l Location) Discard() error {
	for _, s := range []any{l.closer, l.Store} {
		if d, ok := s.(interface{ Discard() error }); ok {
			return d.Discard()
		}
	}
	return l.Close()
}

// Leave is Discard, but of an archive that was begun lies what was written, and
// Options.Resume goes on with it.
func (l Location) Leave() error {
	for _, s := range []any{l.closer, l.Store} {
		if d, ok := s.(interface{ Leave() error }); ok {
			return d.Leave()
		}
	}
	return l.Close()
}

// Within gives the location of the node inside the file that l leads to, which s
// shows as a store. Closing it closes both.
func (l Location) Within(s store.Store, format string) Location {
	inner := Location{Store: s, Path: l.Inner, Format: format}
	inner.closer = closers{Location{Store: s}, l}
	return inner
}

// Options says what is wanted of a location; the zero value is fine.
type Options struct {
	// ReadOnly gives a store that takes no values.
	ReadOnly bool
	// Create makes the folder or archive if it is missing, unless ReadOnly.
	Create bool
	// Resume goes on with an archive that was begun and left, where Create makes one.
	Resume bool
	// Replace makes an archive anew though there is one, which stays until Close;
	// only with Create.
	Replace bool
	// Sync makes writes survive a loss of power.
	Sync bool
	// Allow are paths of folders that symbolic links in a folder may lead to, for reading.
	Allow []string
	// AllowFile accepts a file that is no archive: Location.File. Without it
	// that is an error.
	AllowFile bool
	// AsFile takes what the URL names for a file, even if it is an archive or
	// cannot be looked at. Open sets it where a pipeline goes on inside a file.
	AsFile bool
	// asArchive has Create make an archive of what is not there, whatever it is called.
	asArchive bool
	// AsFolder takes what the URL names for a folder, though it is called as files are:
	// on web servers only the name tells which. Open sets it where a pipeline says so.
	AsFolder bool
	// HTTP is for stores on web servers.
	HTTP web.Options
	// Remote is for all stores that are reached over a network.
	Remote store.Remote
	// Schemes says how to open the URL by its scheme; nil means Builtin.
	Schemes Schemes
	// Formats are those that names and pipelines can mean; nil means std.Registry.
	Formats *format.Registry
}

// formats are those that are known.
func (o Options) formats() *format.Registry {
	if o.Formats == nil {
		return std.Registry()
	}
	return o.Formats
}

// Opener opens a URL of one scheme, given whole and without a pipeline.
type Opener func(ctx context.Context, url string, opt Options) (Location, error)

// Schemes maps schemes to what opens them.
type Schemes map[string]Opener

// Builtin gives the schemes that need no more than the standard library, file,
// http, https and mem, and those that packages have registered. The map is the
// caller's own, to add others to.
func Builtin() Schemes {
	registered.Lock()
	defer registered.Unlock()
	all := Schemes{"file": openFileURL, "http": openWeb, "https": openWeb, "mem": openMem}
	maps.Copy(all, registered.schemes)
	return all
}

// scheme matches the start of a URL; one letter alone is a Windows drive.
var scheme = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9+.-]+)://`)

// Open finds the store and the node that rawURL names.
func Open(ctx context.Context, rawURL string, opt Options) (Location, error) {
	base, stages, err := splitPipeline(rawURL)
	if err != nil {
		return Location{}, err
	}
	baseOpt := opt
	baseOpt.Create = opt.Create && !opt.ReadOnly
	baseOpt.Replace = opt.Replace && baseOpt.Create
	for _, s := range stages { // before anything is made for them
		if s.name != "zip" && opt.formats().Find(s.name) == nil {
			return Location{}, failed(rawURL, "stage %s: %w: only zip, %s", s.name, ErrFormat, strings.Join(opt.formats().Names(), ", "))
		}
	}
	if len(stages) > 0 {
		baseOpt.AllowFile = true
		baseOpt.asArchive = stages[0].name == "zip"
		first := opt.formats().Find(stages[0].name)
		baseOpt.AsFile = first != nil && first.File != nil || stages[0].name == "zip" && !hasArchive(base)
		baseOpt.AsFolder = opt.AsFolder || first != nil && first.File == nil
	}
	l, err := openBase(ctx, base, baseOpt)
	if err != nil {
		return Location{}, err
	}
	for _, s := range stages {
		next, err := s.apply(ctx, l, rawURL, opt.formats())
		if err != nil {
			return Location{}, discarding(l, err)
		}
		l = next
	}
	if l.File && !opt.AllowFile && l.Format == "" {
		return Location{}, discarding(l, notStore(rawURL))
	}
	if opt.ReadOnly {
		if l.closer == nil {
			l.closer, _ = l.Store.(io.Closer)
		}
		l.Store = store.ReadOnly(l.Store)
	}
	return l, nil
}

func notStore(rawURL string) error {
	return failed(rawURL, "a file, neither a folder nor a zip archive")
}

func openBase(ctx context.Context, base string, opt Options) (Location, error) {
	if base == "" {
		return Location{}, &store.KeyError{Op: "open", URL: `""`, Err: errors.New("the URL is empty")}
	}
	schemes := opt.Schemes
	if schemes == nil {
		schemes = Builtin()
	}
	name := ""
	if m := scheme.FindStringSubmatch(base); m != nil {
		name = strings.ToLower(m[1])
	} else if before, _, ok := strings.Cut(base, ":"); ok && (before == "mem" || before == "file") {
		name = before
	} else {
		return openPath(ctx, base, opt)
	}
	open, ok := schemes[name]
	if !ok {
		return Location{}, failed(base, "%w %q, only for %s", ErrScheme, name, strings.Join(slices.Sorted(maps.Keys(schemes)), ", "))
	}
	return open(ctx, base, opt)
}

// shown gives a URL without its password and query, which may be secret.
func shown(rawURL string) string {
	base, rest, piped := strings.Cut(rawURL, "|")
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		u.RawQuery, u.ForceQuery, u.Fragment = "", false, ""
		base = u.Redacted()
	}
	if piped {
		return base + "|" + rest
	}
	return base
}

// openMem opens mem: as a store of its own and mem:name as one that is shared.
func openMem(_ context.Context, rawURL string, opt Options) (Location, error) {
	name, path, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(rawURL, "mem:"), "//"), "/")
	path, err := nodePath(rawURL, path)
	if err != nil {
		return Location{}, err
	}
	l := Location{Store: mem.New(), Path: path, File: opt.AsFile}
	if name != "" {
		l.Store = mem.Shared(name)
	}
	return l, nil
}

// openArchive opens the archive that is a value of s.
func openArchive(ctx context.Context, s store.Store, key, inner string) (Location, error) {
	z, err := zip.OpenIn(ctx, s, key)
	if err != nil {
		return Location{}, err
	}
	return Location{Store: z, Path: inner}, nil
}

// isArchive reports whether a name is that of an archive.
func isArchive(name string) bool {
	return len(name) > len(".zip") && strings.EqualFold(name[len(name)-len(".zip"):], ".zip")
}

// hasArchive reports whether a part of the path or URL is the name of an
// archive.
func hasArchive(base string) bool {
	base, _, _ = strings.Cut(base, "?")
	return slices.ContainsFunc(strings.FieldsFunc(base, isSeparator), isArchive)
}

// nodePath checks the path of a node, in which slashes at the ends do not
// count.
func nodePath(rawURL, path string) (string, error) {
	path = strings.Trim(path, "/")
	if path != "" && store.CheckKey(path) != nil {
		return "", failed(rawURL, "path %q: %w", path, store.ErrBadKey)
	}
	return path, nil
}
