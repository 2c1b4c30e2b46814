package command

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/kind/std"
)

// exampleSamples makes, in a folder, small ones of all that examples name.
func exampleSamples(t *testing.T, dir string) {
	t.Helper()
	t.Chdir(dir)
	ctx := context.Background()
	root, err := zarr.CreateGroup(ctx, "raw.zarr")
	if err == nil {
		for _, name := range []string{"s0", "s1"} {
			data := make([]uint8, 16*32*32)
			for i := range data {
				data[i] = uint8(i / 7)
			}
			err = put(ctx, root, name, zarr.ArraySpec{Shape: []int{16, 32, 32}, DataType: "uint8", DimensionNames: []string{"z", "y", "x"}, Attributes: attrs("unit", name)}, data)
			if err != nil {
				break
			}
		}
	}
	if err == nil {
		err = put(ctx, root, "trace", zarr.ArraySpec{Shape: []int{100}, DataType: "uint8"}, bytes.Repeat([]byte{1}, 100))
	}
	if err == nil {
		err = root.Close()
	}
	if err == nil {
		err = moreSamples(ctx)
	}
	if err == nil {
		err = sampleIn("s.zarr")
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{
		"copy --to zarr2 raw.zarr em.zarr", "migrate em.zarr", // so that it can be migrated back
		"copy s.zarr/cells cells.zarr", "copy s.zarr/weather weather.zarr", "copy raw.zarr/trace trace.zarr", "copy s.zarr/image dem.zarr",
		"copy em.zarr a.zarr", "copy em.zarr copy.zarr", "copy em.zarr packed.zip", "copy box.zarr archive.zip", "copy --to n5 em.zarr em.n5/volume",
		"copy em.zarr/s0 slide.ome.tif", "copy em.zarr/s0 cells.ome.tif", "copy s.zarr/image scan.tif", "copy --pyramid em.zarr/s0 cells.ome.zarr",
	} {
		called(t, append(strings.Fields(call), "--quiet")...)
	}
	sessionIn(t, "session_v3", "session.nwb.zarr")
	sessionIn(t, "session_v3", "good.nwb.zarr")
	elements := make([]byte, 16)
	var chunk, errs bytes.Buffer
	if Run(std.Kinds(), []string{"codec", "encode", "--codecs", `["bytes", "zstd"]`, "--data-type", "uint8", "--shape", "[4, 4]"}, bytes.NewReader(elements), &chunk, &errs) != exitOK {
		t.Fatal(errs.String())
	}
	for name, data := range map[string][]byte{"elements": elements, "chunk": chunk.Bytes()} {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// moreSamples writes an array in a group, and a field with coordinates.
func moreSamples(ctx context.Context) error {
	box, err := zarr.CreateGroup(ctx, "box.zarr")
	if err != nil {
		return err
	}
	if err := put(ctx, box, "images/first", zarr.ArraySpec{Shape: []int{4}, DataType: "uint8"}, make([]uint8, 4)); err != nil {
		return err
	}
	if err := box.Close(); err != nil {
		return err
	}
	g, err := zarr.CreateGroup(ctx, "era5.zarr")
	if err != nil {
		return err
	}
	line := func(first, step float64) []float64 {
		out := make([]float64, 4)
		for i := range out {
			out[i] = first + step*float64(i)
		}
		return out
	}
	for _, c := range []struct {
		name, units string
		values      []float64
		dims        []string
	}{
		{"time", "days since 2025-06-28", line(0, 1), []string{"time"}}, {"lat", "degrees_north", line(51, -1), []string{"lat"}}, {"lon", "degrees_east", line(5, 5), []string{"lon"}},
		{"t2m", "K", make([]float64, 64), []string{"time", "lat", "lon"}},
	} {
		shape := slices.Repeat([]int{4}, len(c.dims))
		if err := put(ctx, g, c.name, zarr.ArraySpec{Shape: shape, DataType: "float64", DimensionNames: c.dims, Attributes: attrs("units", c.units)}, c.values); err != nil {
			return err
		}
	}
	return g.Close()
}

// shellWords splits a line as a shell does, as far as examples go.
func shellWords(line string) (words []string) {
	word, quoted, any := "", false, false
	for _, c := range line {
		switch {
		case c == '\'':
			quoted, any = !quoted, true
		case c == ' ' && !quoted:
			if any {
				words = append(words, word)
			}
			word, any = "", false
		default:
			word, any = word+string(c), true
		}
	}
	if any {
		words = append(words, word)
	}
	return words
}

// TestExamplesRun runs every example of every command's help, with the race detector the
// first of each.
func TestExamplesRun(t *testing.T) {
	samples := t.TempDir()
	exampleSamples(t, samples)
	server := httptest.NewServer(http.FileServer(http.Dir(samples)))
	defer server.Close()
	inside := regexp.MustCompile(`<\(([^)]*)\)`)
	var each func(cmd *cobra.Command)
	each = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			each(c)
		}
		if cmd.Example == "" && !cmd.HasSubCommands() && cmd.Name() != "help" && cmd.Parent().Name() != "completion" {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Example) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			calls := []string{line}
			if found := inside.FindAllStringSubmatch(line, -1); found != nil {
				calls = nil
				for _, f := range found {
					calls = append(calls, f[1])
				}
			}
			for _, call := range calls {
				runExample(t, samples, server.URL, call)
			}
			if race.Enabled && !thorough.Enabled {
				break
			}
		}
	}
	each((&app{kinds: std.Kinds()}).root())
}

// stopping interrupts a server that has told where it is.
type stopping struct {
	io.Writer
	stop func()
}

func (s stopping) Write(p []byte) (int, error) {
	if bytes.HasPrefix(p, []byte("Serving at ")) {
		s.stop()
	}
	return s.Writer.Write(p)
}

// runExample runs one line in a folder of its own, with the samples that it names.
func runExample(t *testing.T, samples, server, line string) {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "run")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("TMPDIR", dir)
	call, _, _ := strings.Cut(strings.ReplaceAll(line, "https://example.org", server), " | ")
	call = strings.ReplaceAll(call, "/data/raw", dir)
	call = strings.ReplaceAll(call, "--seconds 0.1 ", thorough.Of("--seconds 0.001 ", "--seconds 0.1 "))
	args := shellWords(call)
	if len(args) == 0 || args[0] != "omnizarr" {
		t.Errorf("%q is no example", line)
		return
	}
	var in []byte
	if at := slices.Index(args, "<"); at >= 0 {
		if in, err = os.ReadFile(filepath.Join(samples, args[at+1])); err != nil {
			t.Fatal(err)
		}
		args = slices.Delete(args, at, at+2)
	}
	if at := slices.Index(args, ">"); at >= 0 {
		args = args[:at]
	}
	args = args[1:]
	reads := slices.Contains([]string{"info", "ls", "tree", "cat", "dump", "stats", "validate", "verify", "diff", "refs"}, args[0])
	if reads && !thorough.Enabled {
		t.Chdir(samples) // which it leaves as they are
	}
	for i, arg := range args {
		top, _, _ := strings.Cut(arg, "/")
		if made := args[0] == "copy" && i == len(args)-1; made || top == "" || top == ".." {
			continue
		}
		if _, err := os.Stat(top); err == nil {
			continue
		}
		fi, err := os.Stat(filepath.Join(samples, top))
		switch {
		case err != nil:
		case fi.IsDir():
			err = os.CopyFS(top, os.DirFS(filepath.Join(samples, top)))
		default:
			var data []byte
			if data, err = os.ReadFile(filepath.Join(samples, top)); err == nil {
				err = os.WriteFile(top, data, 0o666)
			}
		}
		if err != nil && fi != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if args[0] == "demo" && !slices.Contains(args, "--no-serve") && !thorough.Enabled {
		return // painting takes some seconds
	}
	if slices.Contains([]string{"serve", "view", "demo"}, args[0]) && !slices.Contains(args, "--no-serve") { // until it has told where
		args = append(args, "--addr", "127.0.0.1:0")
	}
	code := (*Program)(nil).runUntil(ctx, std.Kinds(), args, bytes.NewReader(in), stopping{&out, cancel}, &errs)
	// What finds something says so by its exit code.
	finds := slices.Contains([]string{"diff", "validate"}, args[0]) && code == exitWrong && out.Len() > 0
	if code != exitOK && !finds {
		t.Errorf("%s: exit code %d, %s", line, code, &errs)
	}
}
