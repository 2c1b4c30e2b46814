package command

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/omnizarr/zarr/kind/std"
)

// running is a server that was started by the command.
type running struct {
	t    *testing.T
	at   string // its address, as the first line has it
	rest []string
	stop func() (code int, errs string)
}

// served starts "omnizarr serve" or "view" on a free port, and waits for a number of
// lines of what it tells.
func served(t *testing.T, lines int, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	var errs strings.Builder
	ended := make(chan int, 1)
	go func() {
		ended <- (*Program)(nil).runUntil(ctx, std.Kinds(), append(args, "--addr", "127.0.0.1:0"), strings.NewReader(""), w, &errs)
		w.Close()
	}()
	s := &running{t: t}
	stopped := false
	s.stop = func() (int, string) {
		if stopped {
			return 0, ""
		}
		stopped = true
		cancel()
		go io.Copy(io.Discard, r)
		return <-ended, errs.String()
	}
	t.Cleanup(func() { s.stop() })
	scan := bufio.NewScanner(r)
	for range lines {
		if !scan.Scan() {
			code, errs := s.stop()
			t.Fatalf("%q: exit code %d, %s", args, code, errs)
		}
		s.rest = append(s.rest, scan.Text())
	}
	s.at = regexp.MustCompile(`https?://\S+`).FindString(s.rest[0])
	s.rest = s.rest[1:]
	return s
}

func (s *running) get(path string) (int, string) {
	s.t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := client.Get(s.at + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

// The first line has the address, the next ones each source; an interrupt ends it well.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	must(t, sampleIn("s.zarr"))
	if err := os.Mkdir("other", 0o777); err != nil {
		t.Fatal(err)
	}
	called(t, "copy", "--quiet", "s.zarr/cells", "other/s.zarr")
	s := served(t, 4, "serve", "s.zarr/", filepath.Join(dir, "other", "s.zarr"), "other")
	if want := "/zarr/s.zarr  /zarr/s.zarr-2  /zarr/other"; !strings.Contains(strings.Join(s.rest, " "), s.at+"/zarr/s.zarr-2  ") {
		t.Errorf("%q, want %s", s.rest, want)
	}
	for path, want := range map[string]string{
		"/zarr/s.zarr/zarr.json": `"group"`, "/zarr/s.zarr-2/volume/zarr.json": `"array"`, "/files/other/s.zarr/volume/zarr.json": `"array"`,
		"/healthz": "ok", "/": "<html", "/view/s.zarr/image": "<html", "/zarr/": "s.zarr-2/", "/metrics": "omnizarr_http_requests_total",
	} {
		if status, text := s.get(path); status != 200 || !strings.Contains(text, want) {
			t.Errorf("%s: %d %.200s", path, status, text)
		}
	}
	if status, text := s.get("/zarr/gone/zarr.json"); status != 404 || !json.Valid([]byte(text)) {
		t.Errorf("%d %s", status, text)
	}
	if code, errs := s.stop(); code != exitOK || errs != "" {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

// A port that is taken is told in words.
func TestServeWhereAnotherDoes(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, sampleIn("s.zarr"))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	code, out, errs := ran(t, "serve", "--addr", l.Addr().String(), "s.zarr")
	if code != exitWrong || out != "" {
		t.Errorf("exit code %d, %s", code, out)
	}
	matches(t, errs, `^omnizarr: listen on 127\.0\.0\.1:\d+: another program does already; --addr 127\.0\.0\.1:0 takes a free port$`)
}

// Flags that do not go together are wrong usage.
func TestServeUsage(t *testing.T) {
	for call, want := range map[string]string{
		"--write s.zarr":                      "--write needs --token",
		"--auth nobody s.zarr":                "--auth: must be of the form user:password",
		"--token a --token-file b s.zarr":     "--token and --token-file: one of them",
		"--tls-cert a s.zarr":                 "--tls-cert and --tls-key: both or none",
		"--cache much s.zarr":                 "--cache much: must be a number of bytes",
		"--addr nowhere s.zarr":               "--addr nowhere: must be HOST:PORT",
		"":                                    "takes one URL or more, got 0 arguments",
		"--max-age much --addr :0 s.zarr":     "max-age",
		"--log-format lines --addr :0 s.zarr": "--log-format lines: must be one of text, json",
	} {
		code, _, errs := ran(t, append([]string{"serve"}, strings.Fields(call)...)...)
		if code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %s", call, code, errs)
		}
	}
}

// The address of the page has the token, which the browser keeps as a cookie.
func TestViewWithToken(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, sampleIn("s.zarr"))
	s := served(t, 4, "view", "--no-open", "--token", "secret", "s.zarr")
	page := strings.TrimPrefix(s.rest[len(s.rest)-1], "Open ")
	if !strings.HasSuffix(page, "/view/s.zarr?token=secret") {
		t.Fatalf("%q", s.rest)
	}
	s.at, _, _ = strings.Cut(s.at, "/?")
	if status, _ := s.get("/zarr/s.zarr/zarr.json"); status != 401 {
		t.Errorf("without the token: %d", status)
	}
	if status, _ := s.get("/zarr/s.zarr/zarr.json?token=secret"); status != 200 {
		t.Errorf("with the token: %d", status)
	}
}

// Tokens come from a file or from the environment; where everybody can reach the server
// that is told unless there is one.
func TestServeElsewhere(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, sampleIn("s.zarr"))
	if err := os.WriteFile("token", []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		env   string
		args  []string
		token string
		note  bool
	}{
		{"", nil, "", true},
		{"", []string{"--quiet"}, "", false},
		{"fromhere", nil, "fromhere", false},
		{"fromhere", []string{"--token-file", "token"}, "secret", false},
		{"", []string{"--auth", "ada:lovelace"}, "", false},
		{"", []string{"--token", "auto"}, "[A-Z2-7]{26}", false},
	} {
		t.Setenv(tokenVariable, c.env)
		ctx, cancel := context.WithCancel(t.Context())
		var out, errs strings.Builder
		args := append([]string{"serve", "--addr", "0.0.0.0:0", "s.zarr"}, c.args...)
		code := (*Program)(nil).runUntil(ctx, std.Kinds(), args, strings.NewReader(""), stopping{&out, cancel}, &errs)
		cancel()
		want := `^Serving at http://(localhost|127\.0\.0\.1):\d+$`
		if c.token != "" {
			want = `^Serving at http://(localhost|127\.0\.0\.1):\d+/\?token=` + c.token + `$`
		}
		matches(t, out.String(), want)
		if code != exitOK || strings.Contains(errs.String(), "everybody who reaches") != c.note {
			t.Errorf("%q: exit code %d, %s", args, code, errs.String())
		}
	}
	if code, _, errs := ran(t, "serve", "--token-file", "nothing", "s.zarr"); code != exitWrong || !strings.Contains(errs, "nothing") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

// A source that cannot be opened is told, and keeps nobody from the others. Alone it is
// an error.
func TestServeBesideWhatIsBroken(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, sampleIn("s.zarr"))
	if err := os.WriteFile("broken.tif", []byte("II*"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := served(t, 3, "serve", "broken.tif", "s.zarr")
	for name, want := range map[string]int{"s.zarr": http.StatusOK, "broken.tif": http.StatusBadGateway} {
		resp, err := http.Get(s.at + "/zarr/" + name + "/zarr.json")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %s", name, resp.Status)
		}
	}
	if code, errs := s.stop(); code != exitOK || !strings.Contains(errs, "broken.tif") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	if code, _, errs := ran(t, "serve", "--addr", "127.0.0.1:0", "broken.tif", "nothing.zarr"); code != exitWrong || !strings.Contains(errs, "truncated header") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

// A signal ends the program well, which others see by its exit code.
func TestServeIsInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such signals")
	}
	t.Chdir(t.TempDir())
	must(t, sampleIn("s.zarr"))
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd := exec.Command("omnizarr", "serve", "--addr", "127.0.0.1:0", "--access-log", "--log-format", "json", "s.zarr")
		cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0") // it would sleep a second at the end
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Error(err)
		}
		s := &running{t: t, at: strings.TrimSpace(strings.TrimPrefix(line, "Serving at "))}
		if status, _ := s.get("/zarr/s.zarr/zarr.json"); status != 200 {
			t.Errorf("%d", status)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v, %s", sig, err, errs.String())
		}
		matches(t, errs.String(), `^\{.*"msg":"request".*"path":"/zarr/s.zarr/zarr.json","status":200`)
	}
}
