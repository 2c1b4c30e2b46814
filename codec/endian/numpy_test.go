package endian_test

import (
	"context"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/nd"
)

const (
	mixed     = `[{"name":"omnizarr.numpy","configuration":{"dtype":[["a","<i2"],["b",">f4"],["c","|u1"],["d",">u2",[2]]]}}]`
	mixedType = `{"name":"struct","configuration":{"fields":[["a","int16"],["b","float32"],["c","uint8"],["d",{"name":"omnizarr.subarray","configuration":{"data_type":"uint16","shape":[2]}}]]}}`
)

func TestNumpyPassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: mixed, Type: mixedType, Shape: []int{4, 5}},
		{Codecs: mixed[:len(mixed)-1] + `,"zstd"]`, Type: mixedType, Shape: []int{7}},
		{Codecs: `[{"name":"omnizarr.numpy","configuration":{"dtype":">i4"}}]`, Type: "int32", Shape: []int{3, 3}, Fill: "7"},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestFieldsHaveTheOrderThatNumpySays(t *testing.T) {
	b, err := bind(t, mixed, mixedType, 2)
	if err != nil {
		t.Fatal(err)
	}
	const in, want = "abABCDxefghklKLMNyopqr", "abDCBAxfehgklNMLKyporq"
	out, err := b.Encode(context.Background(), limits(), nil, nd.Of([]byte(in), 11, 2))
	if err != nil || string(out) != want {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
	for codecs, want := range map[string]string{
		`["omnizarr.numpy"]`: "lacks dtype",
		`[{"name":"omnizarr.numpy","configuration":{"dtype":"i4"}}]`:  "byte order",
		`[{"name":"omnizarr.numpy","configuration":{"dtype":"<i4"}}]`: "dtype is not that of the array",
	} {
		if _, err := bind(t, codecs, mixedType, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", codecs, err, want)
		}
	}
}
