package references_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
)

// manifest3 and manifest2 are files of references as kerchunk writes them.
const manifest3 = `{"version": 1, "refs": {
	"zarr.json": "{\"zarr_format\":3,\"node_type\":\"group\"}",
	"a/zarr.json": "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[4],\"data_type\":\"uint8\",\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[2]}},\"chunk_key_encoding\":{\"name\":\"default\"},\"fill_value\":0,\"codecs\":[\"bytes\"]}",
	"a/c/0": ["data.bin", 3, 2], "a/c/1": "base64:BwY="}}`

const manifest2 = `{"version": 1, "refs": {".zgroup": "{\"zarr_format\":2}",
	"a/.zarray": "{\"zarr_format\":2,\"shape\":[4],\"chunks\":[2],\"dtype\":\"|u1\",\"compressor\":null,\"filters\":null,\"order\":\"C\",\"fill_value\":0}",
	"a/0": ["data.bin", 3, 2], "a/1": "base64:BwY="}}`

var ctx = context.Background()

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestManifestsOpenLikeStores(t *testing.T) {
	dir := t.TempDir()
	check(t, os.Mkdir(filepath.Join(dir, "sub"), 0o777))
	for name, text := range map[string]string{
		"v3.json": manifest3, "v2.json": manifest2, "sub/v3.json": strings.ReplaceAll(manifest3, "data.bin", "../data.bin"),
		"data.bin": "xyz\x09\x08.", "other.json": `{"a": 1}`, "text": "no store",
	} {
		check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	for _, name := range []string{"v3.json", "v2.json"} {
		g, err := zarr.OpenGroup(ctx, filepath.Join(dir, name))
		check(t, err)
		a, err := g.Array(ctx, "a")
		check(t, err)
		v, err := zarr.Read[uint8](ctx, a, zarr.All())
		check(t, err)
		if string(v.Data) != "\x09\x08\x07\x06" || "zarr"+name[1:2] != a.Format() {
			t.Errorf("%s: %v, format %s", name, v.Data, a.Format())
		}
		if err := zarr.Write(ctx, a, zarr.All(), v.Data); err == nil {
			t.Errorf("%s was written", name)
		}
		check(t, g.Close())
	}
	outside := filepath.Join(dir, "sub", "v3.json", "a")
	a, err := zarr.OpenArray(ctx, outside)
	check(t, err)
	if _, err := zarr.Read[uint8](ctx, a, zarr.All()); !errors.Is(err, zarr.ErrNotAllowed) {
		t.Errorf("a file above the manifest's folder: %v", err)
	}
	check(t, a.Close())
	a, err = zarr.OpenArray(ctx, outside, zarr.Allow(dir))
	check(t, err)
	if _, err := zarr.Read[uint8](ctx, a, zarr.All()); err != nil {
		t.Error(err)
	}
	check(t, a.Close())
	for name, want := range map[string]string{"other.json": `missing member "version"`, "text": "a manifest of references"} {
		if _, err := zarr.Open(ctx, filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
