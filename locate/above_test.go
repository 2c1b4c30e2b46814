package locate_test

import (
	"testing"

	"github.com/omnizarr/zarr/locate"
)

func TestAboveURLs(t *testing.T) {
	for _, c := range []struct{ url, up, name string }{
		{"https://example.org/a.zarr/units/", "https://example.org/a.zarr", "units"},
		{"https://example.org", "", ""},
		{"https://example.org/a.zarr?token=1", "", ""},
		{"a.zip|zarr3:units/id", "a.zip|zarr3:units", "id"},
		{"a.zip|zarr3:units", "a.zip|zarr3:", "units"},
		{"a.zip|zarr3:", "", ""},
		{"/", "", ""},
		{"mem:x/y", "", ""},
	} {
		up, name, ok := locate.Above(c.url)
		if up != c.up || name != c.name || ok != (c.name != "") {
			t.Errorf("above %s is %q, %q, %v, want %q, %q", c.url, up, name, ok, c.up, c.name)
		}
	}
}
