//go:build unix

package file

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/omnizarr/zarr/store"
)

func TestPipeDoesNotBlock(t *testing.T) {
	each(t, func(t *testing.T, opt Options) {
		dir := t.TempDir()
		if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
			t.Skip(err)
		}
		s, ctx := open(t, dir, opt), context.Background()
		if _, _, err := s.Get(ctx, "pipe", store.All(), nil); err == nil || errors.Is(err, store.ErrNotExist) {
			t.Errorf("got %v", err)
		}
		for e := range s.List(ctx, "", "") {
			t.Errorf("List gave %q", e.Key)
		}
	})
}
