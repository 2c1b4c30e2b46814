package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"

	"github.com/omnizarr/zarr"
)

// view is an array or a group in a TIFF file of another writer.
type view struct {
	entry                     // of a group only names and attributes count
	FillValue json.RawMessage `json:"fill_value"`
	// Has are attributes that must be there, among others.
	Has map[string]any `json:"has"`
}

// viewHTTP is viewImages through a server that knows ranges.
func viewHTTP(ctx context.Context, dir, results string) error {
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	return viewImages(ctx, server.URL, dir, results)
}

// viewImages compares the TIFF files below a path or URL with the manifest of a
// folder.
func viewImages(ctx context.Context, base, dir, results string) error {
	text, err := os.ReadFile(manifestIn(dir))
	if err != nil {
		return err
	}
	var m struct{ Cases []view }
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	var out []result
	for _, v := range m.Cases {
		r := result{Case: v.Name}
		if err := v.look(ctx, base); err != nil {
			r.Error = err.Error()
		}
		out = append(out, r)
	}
	return saveResults(results, out)
}

// look opens a node and compares.
func (v *view) look(ctx context.Context, base string) error {
	n, err := zarr.Open(ctx, base+"/"+v.Path)
	if err != nil {
		return err
	}
	defer n.Close()
	if err := v.compareSome(n); err != nil {
		return err
	}
	a, ok := n.(*zarr.Array)
	if isArray := v.SHA256 != ""; ok != isArray {
		return fmt.Errorf("an array: %v, not %v", ok, isArray)
	}
	if !ok {
		return nil
	}
	if !slices.Equal(a.Shape(), v.Shape) || a.DataType().Name() != v.Type {
		return fmt.Errorf("%s of shape %v, not %s of %v", a.DataType().Name(), a.Shape(), v.Type, v.Shape)
	}
	if v.FillValue != nil && string(a.Metadata().FillValue) != string(v.FillValue) {
		return fmt.Errorf("fill value %s, not %s", a.Metadata().FillValue, v.FillValue)
	}
	return v.compareArray(ctx, a)
}

// compareSome compares those attributes that must be there.
func (v *view) compareSome(n zarr.Node) error {
	for name, want := range v.Has {
		raw := n.Attributes().Raw(name)
		if raw == nil {
			return fmt.Errorf("no attribute %s", name)
		}
		var got any
		if err := json.Unmarshal(raw, &got); err != nil {
			return err
		}
		if !reflect.DeepEqual(got, want) {
			return errors.New(oneLine(fmt.Sprintf("attribute %s is %s, not %v", name, raw, want)))
		}
	}
	return nil
}
