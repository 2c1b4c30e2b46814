package meta_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/meta"
)

// A context that has ended stops the reading of a long document; a node that was read
// does not depend on it any more.
func TestParsingEndsWithTheContext(t *testing.T) {
	const group = `{"zarr_format":3,"node_type":"group"}`
	doc := []byte(`{"zarr_format":3,"node_type":"group","attributes":{"a":[1` + strings.Repeat(",1", 1<<16) + `]},` +
		`"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"x":` + group + `}}}`)
	ctx, cancel := context.WithCancel(context.Background())
	n, err := meta.Parse(doc, meta.Registry{}.Until(ctx))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := n.(*meta.Group).Consolidated.Get("x"); err != nil {
		t.Error(err)
	}
	if _, err := meta.Parse(doc, meta.Registry{}.Until(ctx)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
