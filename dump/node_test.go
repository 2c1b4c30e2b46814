package dump

import (
	"encoding/json"
	"testing"
)

func TestFloatsThatJSONLacksInLists(t *testing.T) {
	for raw, want := range map[string]string{
		`[1,NaN]`: `[1,{"$float":"NaN"}]`, `{"a":[-Infinity,Infinity],"b":"NaN ]"}`: `{"a":[{"$float":"-Infinity"},{"$float":"Infinity"}],"b":"NaN ]"}`,
	} {
		if got, err := neutralFloats(json.RawMessage(raw)); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", raw, got, err)
		}
	}
}
