package command

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

// What the command says that it is made of is what go.mod says, with the sums of go.sum.
func TestMaterials(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Skip("built without modules")
	}
	sums, err := os.ReadFile("../../go.sum")
	must(t, err)
	list := materials(info)
	if list.BOMFormat != "CycloneDX" || len(list.Components) < 5 {
		t.Fatalf("%+v", list)
	}
	for _, c := range list.Components[1:] {
		if len(c.Properties) != 1 || !strings.Contains(string(sums), c.Name+" "+c.Version+" "+c.Properties[0].Value) {
			t.Errorf("%+v is not in go.sum", c)
		}
	}
	if code, out, errs := ran(t, "version", "--sbom"); code != 0 || !strings.Contains(out, `"pkg:golang/github.com/spf13/cobra@`) {
		t.Errorf("%d %s %s", code, out, errs)
	}
}
