package check_test

import (
	"context"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf/check"
)

// Without a file there is an error, and no panic.
func TestNoFile(t *testing.T) {
	if found, err := check.File(context.Background(), nil, check.Options{}); err == nil || found != nil {
		t.Errorf("%v, %v", found, err)
	}
	if found, err := check.Object(context.Background(), nil, check.Options{}); err == nil || found != nil {
		t.Errorf("%v, %v", found, err)
	}
}
