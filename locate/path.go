package locate

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/internal/disk"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/zip"
)

func isSeparator(c rune) bool { return c == '/' || c < 0x80 && os.IsPathSeparator(byte(c)) }

// openFileURL opens file:///path, file://localhost/path and file:path.
func openFileURL(ctx context.Context, rawURL string, opt Options) (Location, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.RawQuery != "" || u.Fragment != "" {
		return Location{}, failed(rawURL, "not a file URL")
	}
	if u.Host != "" && u.Host != "localhost" {
		return Location{}, failed(rawURL, "files of host %q cannot be reached", u.Host)
	}
	path := u.Path
	if path == "" { // file:relative
		if path, err = url.PathUnescape(u.Opaque); err != nil {
			return Location{}, failed(rawURL, "not a file URL")
		}
	}
	if path == "" || strings.ContainsRune(path, 0) {
		return Location{}, failed(rawURL, "no path")
	}
	if runtime.GOOS == "windows" && len(path) > 2 && path[0] == '/' && path[2] == ':' {
		path = path[1:]
	}
	return openPath(ctx, filepath.FromSlash(path), opt)
}

// openPath opens a folder, an archive, a node in an archive, or a file.
func openPath(ctx context.Context, path string, opt Options) (Location, error) {
	// A slash at the end does not matter, except where it is the root.
	if t := strings.TrimRightFunc(path, isSeparator); t != filepath.VolumeName(path) {
		path = t
	}
	fileOpt := file.Options{Sync: opt.Sync, Allow: opt.Allow}
	fi, err := os.Stat(path)
	switch {
	case err == nil && fi.IsDir():
		outer, inner := topAbove(path, opt.formats())
		s, err := file.Open(outer, fileOpt)
		if err != nil {
			return Location{}, err
		}
		return Location{Store: s, Path: inner}, nil
	case err == nil && opt.Replace && isArchive(filepath.Base(path)):
		return createArchive(path, "", opt)
	case err == nil:
		return openRegular(ctx, path, "", fi, opt)
	}
	// What is not there may be a node inside a file above.
	outer, inner, outerInfo := fileAbove(path)
	if outer != "" {
		inner, err := nodePath(path, inner)
		if err != nil {
			return Location{}, err
		}
		return openRegular(ctx, outer, inner, outerInfo, opt)
	}
	if !errors.Is(err, fs.ErrNotExist) || !opt.Create {
		if begun(path, opt.formats()) {
			err = store.ErrUnfinished
		}
		return Location{}, failed(path, "%w", cause(err))
	}
	if archive, inner, ok := archiveIn(path); ok || opt.asArchive {
		if !ok {
			archive = path
		}
		inner, err := nodePath(path, inner)
		if err != nil {
			return Location{}, err
		}
		return createArchive(archive, inner, opt)
	}
	outer, inner = topAbove(path, opt.formats())
	s, err := file.Create(outer, fileOpt)
	if err != nil {
		return Location{}, err
	}
	return Location{Store: s, Path: inner}, nil
}

// topAbove cuts a path at the folder of the hierarchy that it leads into by its
// name, where a node is to be opened with those above it, which say more of it. A
// path that links lead out of the hierarchy is left whole.
func topAbove(path string, formats *format.Registry) (outer, inner string) {
	parts := strings.FieldsFunc(path, isSeparator)
	at := formats.Top(parts)
	if at < 0 || at == len(parts)-1 {
		return path, ""
	}
	outer = path
	for range len(parts) - 1 - at {
		outer = filepath.Dir(strings.TrimRightFunc(outer, isSeparator))
	}
	inner = strings.Join(parts[at+1:], "/")
	if store.CheckKey(inner) != nil {
		return path, ""
	}
	real, err := filepath.EvalSymlinks(path)
	root, rootErr := filepath.EvalSymlinks(outer)
	if err == nil && rootErr == nil && real != filepath.Join(root, filepath.FromSlash(inner)) {
		return path, ""
	}
	return outer, inner
}

// openRegular opens what is at path, which is no folder, and the node inside.
func openRegular(ctx context.Context, path, inner string, fi fs.FileInfo, opt Options) (Location, error) {
	if !fi.Mode().IsRegular() {
		return Location{}, failed(path, "neither a folder nor a regular file")
	}
	if !opt.AsFile {
		archive, err := startsLikeArchive(path)
		if err != nil {
			return Location{}, failed(path, "%w", cause(err))
		}
		if archive || isArchive(filepath.Base(path)) {
			return openLocalArchive(ctx, path, inner, opt)
		}
		if !opt.AllowFile {
			return Location{}, notStore(path)
		}
	}
	// The store must have the file itself, not a link that leads elsewhere.
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return Location{}, failed(path, "%w", cause(err))
	}
	s, err := file.Open(filepath.Dir(real), file.Options{Sync: opt.Sync})
	if err != nil {
		return Location{}, err
	}
	return Location{Store: s, Path: filepath.Base(real), File: true, Inner: inner}, nil
}

func openLocalArchive(ctx context.Context, path, inner string, opt Options) (Location, error) {
	var s *zip.Store
	var err error
	if opt.ReadOnly {
		s, err = zip.OpenFile(ctx, path)
	} else {
		s, err = zip.Update(ctx, path, zip.Options{Sync: opt.Sync})
	}
	if err != nil {
		return Location{}, err
	}
	return Location{Store: s, Path: inner}, nil
}

func createArchive(path, inner string, opt Options) (Location, error) {
	if err := disk.MakeFolder(filepath.Dir(path), opt.Sync); err != nil {
		return Location{}, &store.KeyError{Op: "create", URL: path, Err: cause(err)}
	}
	s, err := zip.Create(path, zip.Options{Sync: opt.Sync, Resume: opt.Resume})
	if err != nil {
		return Location{}, err
	}
	return Location{Store: s, Path: inner}, nil
}

// startsLikeArchive reports whether the file starts with an entry of an
// archive, or is an empty archive.
func startsLikeArchive(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var magic [4]byte
	if _, err := io.ReadFull(f, magic[:]); err == io.EOF || err == io.ErrUnexpectedEOF {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return string(magic[:]) == "PK\x03\x04" || string(magic[:]) == "PK\x05\x06", nil
}

// fileAbove finds the file that path would lie in if files were folders, and
// what of path lies inside.
func fileAbove(path string) (outer, inner string, fi fs.FileInfo) {
	for outer = path; ; {
		outer = strings.TrimRightFunc(outer, isSeparator)
		i := strings.LastIndexFunc(outer, isSeparator)
		if i <= 0 {
			return "", "", nil
		}
		inner = filepath.ToSlash(path[i+1:])
		outer = outer[:i]
		if fi, err := os.Stat(outer); err == nil {
			if fi.IsDir() {
				return "", "", nil
			}
			return outer, inner, fi
		}
	}
}

// archiveIn finds the first part of path with the name of an archive that is
// not a folder.
func archiveIn(path string) (archive, inner string, ok bool) {
	for i, c := range path + "/" {
		if !isSeparator(c) || !isArchive(filepath.Base(path[:i])) {
			continue
		}
		if fi, err := os.Stat(path[:i]); err != nil || !fi.IsDir() {
			return path[:i], filepath.ToSlash(path[min(i+1, len(path)):]), true
		}
	}
	return "", "", false
}

// cause leaves out the name of the file, which the caller names.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
