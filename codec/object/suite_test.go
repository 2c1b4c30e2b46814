package object_test

import (
	"testing"

	"github.com/omnizarr/zarr/codec/codectest"
)

const structOfObjects = `{"name":"struct","configuration":{"fields":[{"name":"n","data_type":"int16"},` +
	`{"name":"s","data_type":"string"},{"name":"j","data_type":"omnizarr.json"},{"name":"b","data_type":"bool"}]}}`

func TestReferencesPassTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `["numcodecs.json2"]`, Type: "omnizarr.json", Shape: []int{4, 5}},
		{Codecs: `["numcodecs.json2","gzip"]`, Type: "omnizarr.json", Shape: []int{7}, Fill: `{"a": [1, null]}`},
		{Codecs: `["numcodecs.json2"]`, Type: "omnizarr.json", Shape: nil, Fill: "0"},
		{Codecs: `["numcodecs.json2"]`, Type: structOfObjects, Shape: []int{3, 2}},
		{Codecs: `["numcodecs.msgpack2"]`, Type: "omnizarr.json", Shape: []int{4, 5}, Fill: `"x"`},
		{Codecs: `["numcodecs.msgpack2"]`, Type: structOfObjects, Shape: []int{6}},
		{Codecs: `["numcodecs.pickle"]`, Type: "omnizarr.json", Shape: []int{4, 5}, Fill: "0"},
		{Codecs: `["numcodecs.pickle"]`, Type: "omnizarr.json", Shape: []int{1100}},
		{Codecs: `["numcodecs.pickle","gzip"]`, Type: structOfObjects, Shape: []int{3, 2}, Fill: `{"n":1,"s":"x","j":0,"b":true}`},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}
