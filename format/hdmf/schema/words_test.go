package schema_test

import (
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf/schema"
	"github.com/omnizarr/zarr/internal/wrongjson"
)

func TestErrorsSpeakOfDocuments(t *testing.T) {
	documents := map[string]string{
		"namespace": `{"namespaces":[{"name":"lab","version":"0.1.0","doc":"ours","author":["a"],"contact":"c","schema":[{"source":"lab.types"}]}]}`,
		"lab.types": `{"groups":[{"data_type_def":"Trace","doc":"samples","quantity":"*","linkable":true,
			"attributes":[{"name":"unit","dtype":"text","doc":"unit","required":false,"value":"V","dims":["x"],"shape":[null]}],
			"datasets":[{"name":"data","dtype":[{"name":"a","dtype":"int","doc":"d"},{"name":"b","dtype":{"target_type":"Trace","reftype":"object"},"doc":"d"}],"shape":[[null],[null,3]],"dims":[["x"],["x","y"]],"doc":"samples","quantity":"?"}],
			"groups":[{"data_type_inc":"Trace","quantity":"+","doc":"inner"}],"links":[{"name":"l","target_type":"Trace","doc":"link"}]}]}`,
	}
	for name, doc := range documents {
		for v := range wrongjson.Variants(doc) {
			sources := map[string]string{"namespace": documents["namespace"], "lab.types": documents["lab.types"]}
			sources[name] = string(v.Doc)
			var c schema.Catalog
			wrongjson.Check(t, v, c.Add("lab", "0.1.0", sources))
			// A document may as well lack the type.
			if _, err := c.Type("lab", "Trace"); err != nil && !strings.Contains(err.Error(), "not in the schema") {
				wrongjson.Check(t, v, err)
			}
		}
	}
}
