package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/serve/source"
)

// exhibition writes what kinds have to show into a folder, and serves it.
func (a *app) exhibition(cmd *cobra.Command, f serving, dir string, open bool) (err error) {
	ctx := cmd.Context()
	if dir == "" {
		if dir, err = os.MkdirTemp("", "omnizarr-demo-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	exhibitors := kind.All[kind.Exhibitor](a.kinds)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("demo: %w", err)
	}
	for _, e := range entries {
		if !slices.ContainsFunc(exhibitors, func(k kind.Exhibitor) bool { return k.Exhibited() == e.Name() }) {
			return fmt.Errorf("demo: folder %s holds other files, such as %s: name a new one", dir, e.Name())
		}
	}
	var shown []kind.Exhibit
	var urls []string
	painting := a.newProgress("samples")
	for i, k := range exhibitors {
		if tell := painting.tell(); tell != nil {
			tell(job.Progress{Done: int64(i), Total: int64(len(exhibitors)), Path: k.Exhibited()})
		}
		e, err := k.Exhibit(ctx, dir, a.options())
		if err != nil {
			painting.end()
			return fmt.Errorf("demo: %w", err)
		}
		shown, urls = append(shown, e), append(urls, filepath.Join(dir, e.Name))
	}
	painting.end()
	return a.serve(cmd, f, urls, func(_ context.Context, at *url.URL, sources []*source.Source) {
		for i, src := range sources {
			a.printExhibit(at, src, shown[i])
		}
		a.printf("\nLook at them at %s; Ctrl-C ends the demo.\n", at)
		if open {
			openBrowser(at.String())
		}
	})
}

// printExhibit tells where something is shown, and how programs read from it.
func (a *app) printExhibit(at *url.URL, src *source.Source, e kind.Exhibit) {
	array := at.JoinPath("zarr", src.Name(), e.Array).String()
	var parts []string
	for _, part := range strings.Split(e.Slice, ",") {
		switch from, to, is := strings.Cut(part, ":"); {
		case !is:
			parts = append(parts, part)
		case from == "" && to == "":
			parts = append(parts, "null")
		default:
			parts = append(parts, fmt.Sprintf("zarr.slice(%s, %s)", cmp.Or(from, "0"), cmp.Or(to, "null")))
		}
	}
	a.printf("\n%s: %s\n", e.Name, e.Title)
	a.printf("  look        %s\n", at.JoinPath("view", src.Name()))
	a.printf("  Python      zarr.open_array(%q, mode=\"r\")[%s]\n", array, e.Slice)
	a.printf("  JavaScript  await zarr.get(await zarr.open(new zarr.FetchStore(%q), { kind: \"array\" }), [%s])\n", array, strings.Join(parts, ", "))
	a.printf("  Go          a, err := zarr.OpenArray(ctx, %q); zarr.ReadAs[float64](ctx, a, zarr.Slice(%q))\n", array, e.Slice)
}

// freeAddr is an address, or one with a free port if somebody listens there.
func freeAddr(ctx context.Context, addr string) string {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return "127.0.0.1:0"
	}
	l.Close()
	return addr
}
