package command

import (
	"encoding/json"
	"runtime/debug"
	"strings"
	"testing"
)

// The command says what it is made of by what the toolchain wrote into it. Programs of tests have
// nothing written into them but the standard library; .ci/run asks the one that it builds.
func TestMaterials(t *testing.T) {
	info := &debug.BuildInfo{
		GoVersion: "go1.26.0", Main: debug.Module{Path: "example.org/main", Version: "v1.2.3"},
		Deps: []*debug.Module{{Path: "example.org/a/v2", Version: "v2.0.1", Sum: "h1:abc="}, {Path: "example.org/b", Version: "v0.1.0", Sum: "h1:def="}},
	}
	text, err := json.Marshal(materials(info))
	must(t, err)
	for _, want := range []string{`"bomFormat":"CycloneDX"`, `"pkg:golang/example.org/main@v1.2.3"`, `"pkg:golang/std@go1.26.0"`, `"pkg:golang/example.org/a/v2@v2.0.1"`, `"h1:def="`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if code, out, errs := ran(t, "version", "--sbom"); code != 0 || !strings.Contains(out, `"pkg:golang/std@go`) {
		t.Errorf("%d %s %s", code, out, errs)
	}
}
