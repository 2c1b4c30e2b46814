package ngff_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/omnizarr/zarr/format/ngff"
)

func TestChannelsOfBothVersions(t *testing.T) {
	for raw, want := range map[string]string{
		`{"omero": {"channels": [{"label": "DAPI", "color": "0000FF"}, {"color": "ff800040"}]}}`: "DAPI {0 0 255 255}; {255 128 0 64}; ",
		`{"channels": [{"label": "a", "color": "red", "window": {"start": 0}}]}`:                 "a; ",
		`{"channels": [{"label": 7, "color": 8}, {}]}`:                                           "; ; ",
		`{"version": "0.5"}`: "", `{"channels": 3}`: "", `[1]`: "", `null`: "", ``: "",
	} {
		got := ""
		for _, c := range ngff.Channels(json.RawMessage(raw)) {
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
