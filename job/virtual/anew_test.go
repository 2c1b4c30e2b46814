package virtual_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/job/virtual"
	"github.com/omnizarr/zarr/meta"
)

// Chunks of an HDF5 file with a filter that nobody else has are stored in a file of
// references, with codecs that everybody has; a copy for this engine refers to them.
func TestChunksThatOthersCannotDecode(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	raw, err := os.ReadFile(filepath.Join("..", "..", "format", "hdf5", "testdata", "packed-szip.h5"))
	must(t, err)
	file := filepath.Join(dir, "a.h5")
	must(t, os.WriteFile(file, raw, 0o666))
	want, err := zarr.ReadAs[float64](ctx, openNode(t, file+"/u2").(*zarr.Array), zarr.All())
	must(t, err)
	for name, told := range map[string]bool{"refs.json": true, "refs.zarr": false} {
		var notes []string
		to := filepath.Join(dir, name)
		must(t, virtual.Write(ctx, openNode(t, file), to, virtual.Options{Note: func(text string) { notes = append(notes, text) }}))
		if said := slices.ContainsFunc(notes, func(s string) bool {
			return strings.Contains(s, "/u2: ") && strings.Contains(s, "others do not have the codec omnizarr.")
		}); said != told {
			t.Errorf("%s: %q", name, notes)
		}
		g := openNode(t, to).(*zarr.Group)
		a, err := g.Array(ctx, "u2")
		must(t, err)
		if strange := slices.ContainsFunc(a.Metadata().Codecs, func(x meta.Extension) bool { return !std.Portable(x) }); strange == told {
			t.Errorf("%s has the codecs %v", name, a.Metadata().Codecs)
		}
		got, err := zarr.ReadAs[float64](ctx, a, zarr.All())
		must(t, err)
		if !slices.Equal(got.Data, want.Data) {
			t.Errorf("%s has other values", name)
		}
	}
	err = virtual.Write(ctx, openNode(t, file), filepath.Join(dir, "small.json"), virtual.Options{Inline: 10})
	if err == nil || !strings.Contains(err.Error(), "chunks that cannot be referred to make more than 10 bytes") {
		t.Errorf("too much: %v", err)
	}
}

// A session has dozens of texts, none of which is a part of its file: one note names
// them, behind which others can still be seen.
func TestWhatIsStoredIsToldOnce(t *testing.T) {
	file := filepath.Join(nwbtest.Unpack(t, "hdf5/session.nwb"), "hdf5", "session.nwb")
	var notes []string
	must(t, virtual.Write(context.Background(), openNode(t, file), file+".json", virtual.Options{Note: func(text string) { notes = append(notes, text) }}))
	const want = "/acquisition/video/external_file, /acquisition/video/format, /acquisition/words/data, /file_create_date, /general/experimenter and 56 more: " +
		"61 chunks are stored in the copy, since no part of a file is one: 153.4 KiB"
	if !slices.Equal(notes, []string{want}) {
		t.Errorf("%q", notes)
	}
}
