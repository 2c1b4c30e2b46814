package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every command has a page, in which nothing of the help is taken for a request.
func TestManualPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	called(t, "man", dir)
	for _, name := range []string{"omnizarr", "omnizarr-info", "omnizarr-copy", "omnizarr-codec-encode", "omnizarr-repair", "omnizarr-migrate", "omnizarr-serve", "omnizarr-view"} {
		raw, err := os.ReadFile(filepath.Join(dir, name+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		page := string(raw)
		matches(t, page, `^\.TH OMNIZARR`, `^\.SH NAME\n`, `^\.SH SYNOPSIS\n\.B omnizarr`, `^\.SH DESCRIPTION\n`, `^\.SH EXIT STATUS\n`, `^\.SH SEE ALSO\n`, `^\.SH OPTIONS`)
		request := regexp.MustCompile(`^\.(TH|SH|TP|B|PP|nf|fi)( |$)`)
		for line := range strings.Lines(page) {
			if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !request.MatchString(strings.TrimSpace(line)) {
				t.Errorf("%s: %q", name, line)
			}
		}
	}
	if code, _, _ := ran(t, "man", filepath.Join(dir, "omnizarr.1", "below")); code != exitWrong {
		t.Errorf("exit code %d", code)
	}
}

// Shells complete the names of nodes, and the values of flags that take one of several.
func TestCompletion(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, sampleIn("s.zarr"))
	for typed, want := range map[string]string{
		"s.zarr/":        "s.zarr/cells\ns.zarr/image\ns.zarr/weather\n:6\n",
		"s.zarr/cells/v": "s.zarr/cells/volume\n:6\n",
		"s.zarr/image/":  ":4\n",
		"s.z":            ":0\n",
		"gone/":          ":0\n",
	} {
		for _, command := range []string{"info", "copy", "serve", "view"} {
			_, out, _ := ran(t, "__complete", command, typed)
			if out != want {
				t.Errorf("%s %s: got %q, want %q", command, typed, out, want)
			}
		}
	}
	for flag, want := range map[string]string{"copy --to": "zarr2", "copy --pad": "tiff", "cat --as": "npy", "show --map": "viridis", "show --as": "sixel"} {
		_, out, _ := ran(t, append(append([]string{"__complete"}, strings.Fields(flag)...), "")...)
		if !strings.Contains(out, want+"\n") || !strings.HasSuffix(out, ":4\n") {
			t.Errorf("%s: got %q", flag, out)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if out := called(t, "completion", shell); !strings.Contains(string(out), "omnizarr") {
			t.Errorf("%s: %s", shell, out)
		}
	}
}
