package command

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/omnizarr/zarr/job/request"
	"github.com/omnizarr/zarr/job/spread"
	"github.com/omnizarr/zarr/kind/std"
)

// sent is an executor that keeps what it is to run.
type sent struct{ spec spread.Spec }

func (s *sent) Run(_ context.Context, spec spread.Spec) ([]byte, error) {
	s.spec = spec
	return []byte(`{}`), nil
}

// elsewhere is a program that runs copies on an executor, and how it is called.
func elsewhere(t *testing.T, e spread.Executor, args ...string) (code int, out, errs string) {
	t.Helper()
	var wrong string
	p := &Program{
		Name: "elsewhere", Commands: []string{"copy"},
		Flags: func(f *pflag.FlagSet) { f.StringVar(&wrong, "wrong", "", "what is wrong") },
		Executor: func(name string, args []string, _ func(string)) (spread.Executor, error) {
			if wrong != "" {
				return nil, errors.New(wrong)
			}
			return e, nil
		},
		Own: []*cobra.Command{{Use: "own", Run: func(cmd *cobra.Command, _ []string) { cmd.Println("its own") }}},
	}
	var stdout, stderr strings.Builder
	code = p.Run(std.Kinds(), args, strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// A program with some of the commands hands over what was asked for, as processes in other
// folders understand it.
func TestProgram(t *testing.T) {
	t.Chdir(t.TempDir())
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var e sent
	if code, _, errs := elsewhere(t, &e, "copy", "--pyramid", "--shards", "64,64", "a.tif", "s3://bucket/b.zarr?endpoint=http://127.0.0.1:1"); code != exitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var c request.Copy
	if err := json.Unmarshal(e.spec.Request, &c); err != nil {
		t.Fatal(err)
	}
	if c.From != filepath.Join(folder, "a.tif") || c.To != "s3://bucket/b.zarr?endpoint=http://127.0.0.1:1" || c.Flags["pyramid"] != "true" || len(c.Shards) != 2 {
		t.Errorf("got %+v", c)
	}
	if _, out, _ := elsewhere(t, &e, "own"); out != "its own\n" {
		t.Errorf("its own command says %q", out)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"cat", "a"}, "unknown command"},
		{[]string{"copy", "--part", "1/2", "a", "b"}, "--part is not for elsewhere"},
		{[]string{"copy", "--overwrite", "a", "b"}, "--overwrite is not for elsewhere"},
		{[]string{"copy", "--wrong", "no such place", "a", "b"}, "elsewhere: no such place"},
		{[]string{"copy", "a"}, "elsewhere copy takes a source and a destination"},
	} {
		if code, _, errs := elsewhere(t, &e, c.args...); code != exitUsage || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d, %q; want 2, %q", c.args, code, errs, c.want)
		}
	}
}
