package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf/check"
)

// The table of data types of the storage text: what a schema calls a type, and what
// elements are then. Smaller ones are refused.
func TestTheTableOfTypes(t *testing.T) {
	for _, row := range []struct{ names, stored, smaller string }{
		{"float float32", "float32", "float16"}, {"double float64", "float64", "float32"}, {"long int64", "int64", "int32"}, {"int int32", "int32", "int16"},
		{"int16", "int16", "int8"}, {"int8", "int8", "float32"}, {"uint32", "uint32", "uint16"}, {"uint16", "uint16", "uint8"}, {"uint8", "uint8", "bool"}, {"bool", "bool", "int8"},
		{"text utf utf8 utf-8", "text", "int8"}, {"ascii str", "text", "int8"}, {"isodatetime", "time", "int8"}, {"ref reference object", "object", "text"}, {"region", "region", "object"},
	} {
		for name := range strings.FieldsSeq(row.names) {
			spec := fmt.Sprintf("%q", name)
			if name == "ref" || name == "reference" || name == "object" || name == "region" {
				spec = fmt.Sprintf(`{"target_type":"D","reftype":%q}`, name)
			}
			schema := catalog(t, `{"groups":[{"data_type_def":"R","doc":"d"}],"datasets":[{"data_type_def":"D","doc":"d","dtype":`+spec+`}]}`)
			for _, stored := range []string{row.stored, row.smaller} {
				f := made(typed("R"))
				switch stored {
				case "text":
					f.texts("d", typed("D"), false, "plain")
				case "time":
					f.texts("d", typed("D"), false, "2018-09-28T14:43:54.123+02:00")
				case "object":
					f.texts("d", typed("D", `"_DTYPE":"object_reference"`), false, "/d")
				case "region":
					f.texts("d", typed("D", `"_DTYPE":"region_reference"`), false, `{"source":".","path":"/d","region":[]}`)
				default:
					f.empty("d", stored, typed("D", `"_DTYPE":"`+stored+`"`), 1)
				}
				found := findings(t, in(t, f), check.Options{Schema: schema})
				bad := slices.ContainsFunc(found, func(f check.Finding) bool { return f.Rule == check.BadDType })
				if bad != (stored != row.stored) || stored == row.stored && len(found) > 0 {
					t.Errorf("%s where the schema says %s: %v", stored, name, found)
				}
			}
		}
	}
}
