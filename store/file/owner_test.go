package file

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/store"
)

// during is an empty value, and what is done when it is read.
type during func()

func (d during) Read([]byte) (int, error) {
	d()
	return 0, io.EOF
}

func owners(t *testing.T, s *Store) (got []store.Owner) {
	t.Helper()
	for e, err := range s.Hidden(context.Background(), "") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Owner)
	}
	return got
}

// It is known whether who makes a temporary file lives, and not known of other machines.
func TestOwnersOfTemporaryFiles(t *testing.T) {
	if self() == "" {
		t.Skip("this system does not tell")
	}
	if dir := os.Getenv("OMNIZARR_TEST_KILLED"); dir != "" { // the process that is killed below
		s := open(t, dir, Options{})
		_, err := s.PutFrom(context.Background(), "a", io.MultiReader(during(func() {
			if me, err := os.FindProcess(os.Getpid()); err == nil {
				me.Kill()
			}
			select {} // until it is
		}), strings.NewReader("x")), 1)
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := open(t, dir, Options{})
	_, err := s.PutFrom(context.Background(), "a", io.MultiReader(during(func() {
		if got := owners(t, s); len(got) != 1 || got[0] != store.OwnerAlive {
			t.Errorf("while it is written: %q", got)
		}
	}), strings.NewReader("x")), 1)
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0], "-test.run=^TestOwnersOfTemporaryFiles$")
	child.Env = append(os.Environ(), "OMNIZARR_TEST_KILLED="+dir)
	if out, err := child.CombinedOutput(); err == nil || strings.Contains(string(out), "FAIL") {
		t.Fatalf("it was not killed: %s", out)
	}
	if got := owners(t, s); len(got) != 1 || got[0] != store.OwnerGone {
		t.Errorf("of a process that was killed: %q", got)
	}
	for e := range s.Hidden(context.Background(), "") {
		if err := s.Sweep(context.Background(), e.Key); err != nil {
			t.Error(err)
		}
	}
	left := filepath.Join(dir, tempName()) // by a write of this process that has ended
	if err := os.WriteFile(left, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if got := owners(t, s); len(got) != 1 || got[0] != store.OwnerGone {
		t.Errorf("of a write that has ended: %q", got)
	}
	if err := os.Remove(left); err != nil {
		t.Fatal(err)
	}
	elsewhere := "0"
	if strings.HasPrefix(self(), elsewhere) {
		elsewhere = "1"
	}
	name := tempPrefix + elsewhere + strings.TrimPrefix(tempName(), tempPrefix)[1:]
	if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if got := owners(t, s); len(got) != 1 || got[0] != store.OwnerUnknown {
		t.Errorf("of another machine: %q", got)
	}
}
