package hdf5_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	show "github.com/omnizarr/zarr/format/hdf5"
	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/store"
)

// A reference that leads nowhere is an error, or none and told if that was asked for; the
// elements beside it are as they are.
func TestReferencesThatLeadNowhere(t *testing.T) {
	raw := bytes.Clone(session(t))
	f, err := hdf5.Open(bytes.NewReader(raw), int64(len(raw)), hdf5.Options{})
	check(t, err)
	shank, err := f.Root().Lookup("general/extracellular_ephys/shank0")
	check(t, err)
	three := bytes.Repeat(binary.LittleEndian.AppendUint64(nil, shank.Address()), 3)
	at := bytes.Index(raw, three)
	if at < 0 {
		t.Fatal("no references are stored beside each other")
	}
	binary.LittleEndian.PutUint64(raw[at+8:], 777_777)
	path := filepath.Join(t.TempDir(), "a.nwb")
	check(t, os.WriteFile(path, raw, 0o666))
	const array = "/general/extracellular_ephys/electrodes/group"
	for _, asked := range []bool{false, true} {
		var opts []zarr.Option
		if asked {
			opts = append(opts, zarr.With(show.NullReferences))
		}
		a, err := zarr.OpenArray(ctx, path+array, opts...)
		check(t, err)
		got, err := zarr.Read[string](ctx, a, zarr.All())
		if !asked {
			if err == nil || !strings.Contains(err.Error(), "777777, where there is no object") {
				t.Error(err)
			}
			check(t, a.Close())
			continue
		}
		check(t, err)
		const to = "/general/extracellular_ephys/shank0"
		if want := []string{to, "", to}; !slices.Equal(got.Data[:3], want) {
			t.Errorf("%q", got.Data)
		}
		from, ok := store.Behind[*show.Store](a.Store())
		if said := from.Omitted(); !ok || len(said) != 1 || !strings.HasPrefix(said[0], array+": ") || !strings.Contains(said[0], "777777") {
			t.Errorf("%v, %q", ok, said)
		}
		check(t, a.Close())
	}
}
