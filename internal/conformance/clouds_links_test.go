package conformance

import (
	"bufio"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/elements"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
)

// leads tells of all links and references of a file that lead to other files where they
// lead, and what lies there.
func leads(t *testing.T, url string, opts ...hdmf.Option) (all []string, refused int) {
	t.Helper()
	f, err := hdmf.Open(ctx, url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for m, err := range hdmf.References(ctx, f.Root(), true) {
		if err != nil {
			t.Fatal(err)
		}
		o, err := m.Target(ctx)
		if errors.Is(err, zarr.ErrNotAllowed) {
			refused++
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", m.Path(), err)
			continue
		}
		if o.File() == f {
			continue
		}
		what := fmt.Sprint(m.Path(), m.Attribute, m.Index, " = ", o.File().ID(), " ", o.Path())
		if a, ok := o.Node().(*zarr.Array); ok {
			var b strings.Builder
			out := bufio.NewWriter(&b)
			if err := errors.Join(elements.Write(ctx, out, "json", a, zarr.All()), out.Flush()); err != nil {
				t.Errorf("%s: %v", m.Path(), err)
			}
			what += " " + b.String()
		}
		all = append(all, what)
	}
	slices.Sort(all)
	return all, refused
}

// TestLinksBetweenFilesOfABucket has NWB files in one bucket of which one links to the
// other, as hdmf-zarr wrote them: they lead to the same as on a disk, and what lies
// outside the folder of the file is not asked for without leave.
func TestLinksBetweenFilesOfABucket(t *testing.T) {
	dir := nwbtest.Unpack(t, "external_v3/linked.nwb.zarr", "external_v3/source.nwb.zarr", "external_v3/sub")
	if thorough.Enabled {
		if err := nwbtest.UnpackTo(dir, "external_v2"); err != nil {
			t.Fatal(err)
		}
	}
	readable(t, func(t *testing.T, p place) {
		upload(t, p, dir)
		names := []string{"external_v3/linked.nwb.zarr"}
		if thorough.Enabled {
			names = append(names, "external_v2/linked.nwb.zarr")
		}
		for _, name := range names {
			want, _ := leads(t, filepath.Join(dir, filepath.FromSlash(name)))
			got, refused := leads(t, p.at(name), hdmf.Zarr(zarr.Remote(store.Remote{Hedge: -1})))
			if len(want) == 0 || refused > 0 || !slices.Equal(got, want) {
				t.Errorf("%s: %d refused, leads to\n%s\nwant\n%s", name, refused, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		const outer = "external_v3/sub/exported.nwb.zarr"
		p.proxy.Reset()
		if got, refused := leads(t, p.at(outer)); len(got) > 0 || refused == 0 {
			t.Errorf("without leave: %d refused, %q", refused, got)
		}
		for _, line := range p.proxy.Log() {
			if strings.Contains(line, "source.nwb.zarr") {
				t.Errorf("without leave: %s", line)
			}
		}
		want, _ := leads(t, filepath.Join(dir, filepath.FromSlash(outer)), hdmf.Allow(dir))
		if got, refused := leads(t, p.at(outer), hdmf.Allow(p.at("external_v3"))); refused > 0 || len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("with leave: %d refused, %q, want %q", refused, got, want)
		}
	})
}
