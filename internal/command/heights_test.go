package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/command/internal/heights"
	"github.com/omnizarr/zarr/kind/std"
)

// A format that lives in one folder is read, is a target of copies with a flag, has
// words and rules, all without a change elsewhere.
func TestANewFormatIsOneFolder(t *testing.T) {
	dir := t.TempDir()
	src, out, low := filepath.Join(dir, "a.zarr"), filepath.Join(dir, "a.heights"), filepath.Join(dir, "low.heights")
	a, err := zarr.CreateArray(context.Background(), src, zarr.ArraySpec{Shape: []int{2, 3}, DataType: "int32"})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := zarr.Write(context.Background(), a, zarr.All(), []int32{10, 11, 12, 20, 21, 22}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(low, []byte("heights 1 2\n5 -12000\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"copy", "--above", "10", src, out}, exitOK, ""},
		{[]string{"copy", "--to", "heights", src, out}, exitWrong, "there is something else already"},
		{[]string{"copy", "--above", "10", src, src + "2"}, exitUsage, "--above is for --to heights"},
		{[]string{"info", out}, exitOK, "codecs      heights, little-endian bytes"},
		{[]string{"info", "--json", out}, exitOK, `"format": "heights"`},
		{[]string{"cat", "--slice", "1", out}, exitOK, "[10, 11, 12]"},
		{[]string{"verify", out}, exitOK, "0 problems"},
		{[]string{"validate", out}, exitOK, "no problems"},
		{[]string{"validate", low}, exitWrong, "✗ / height: -12000 m lies below the sea"},
		{[]string{"copy", out, filepath.Join(dir, "back.zarr")}, exitOK, ""},
	} {
		var stdout, stderr bytes.Buffer
		code := Run(append(std.Kinds(), &heights.Kind{}), c.args, strings.NewReader(""), &stdout, &stderr)
		if text := stdout.String() + stderr.String(); code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%v: %d, %s", c.args, code, text)
		}
	}
	if text, err := os.ReadFile(out); string(text) != "heights 2 3\n0 1 2\n10 11 12\n" {
		t.Errorf("%q, %v", text, err)
	}
}
