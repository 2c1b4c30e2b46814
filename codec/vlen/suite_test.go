package vlen_test

import (
	"testing"

	"github.com/omnizarr/zarr/codec/codectest"
)

func TestListsPassTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `[{"name":"vlen-array","configuration":{"dtype":"<i4"}}]`, Type: `{"name":"omnizarr.list","configuration":{"data_type":"int32"}}`, Shape: []int{4, 5}},
		{Codecs: `[{"name":"vlen-array","configuration":{"dtype":">f8"}}]`, Type: `{"name":"omnizarr.list","configuration":{"data_type":"float64"}}`, Shape: []int{7}, Fill: "[1.5]"},
		{Codecs: `["numcodecs.vlen-array"]`, Type: `{"name":"omnizarr.list","configuration":{"data_type":"bool"}}`, Shape: []int{7}},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}
