package ngff_test

import (
	"fmt"
	"testing"

	"github.com/omnizarr/zarr/format/ngff"
)

func TestChannelsOfBothVersions(t *testing.T) {
	for raw, want := range map[string]string{
		`{"ome": {"omero": {"channels": [{"label": "DAPI", "color": "0000FF"}, {"color": "ff800040"}]}}}`: "DAPI {0 0 255 255}; {255 128 0 64}; ",
		`{"omero": {"channels": [{"label": "a", "color": "red", "window": {"start": 0}}]}}`:               "a; ",
		`{"omero": {"channels": [{"label": 7, "color": 8}, {}, 3]}}`:                                      "; ; ; ",
		`{"ome": {"version": "0.5"}, "omero": {"channels": [{"label": "old"}]}}`:                          "", `{"omero": {"channels": 3}}`: "", `{"omero": [1]}`: "", `{"ome": null}`: "", `{}`: "",
	} {
		got := ""
		for _, c := range ngff.Hints(attributes(t, raw)) {
			got += c.Label
			if c.Color != nil {
				if c.Label != "" {
					got += " "
				}
				got += fmt.Sprint(*c.Color)
			}
			got += "; "
		}
		if got != want {
			t.Errorf("%s: %s", raw, got)
		}
	}
}
