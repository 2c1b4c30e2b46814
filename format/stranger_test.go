package format_test

import (
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format"
)

func TestStrangers(t *testing.T) {
	for head, want := range map[string]string{
		"CDF\x02\x00\x00\x00\x00": "a NetCDF-3 file", "\x89PNG\r\n\x1a\n": "a PNG picture", "\xff\xd8\xff\xe0\x00\x10JF": "a JPEG picture",
		"PAR1\x15\x04": "a Parquet table", "\x1f\x8b\x08\x00": "a gzip file", "": "an empty file", "hello, w": "a text file", "gr\xc3\xbc\xc3\x9fe\xc3": "a text file",
		"\x00\x01\x02\x03": "a file", "ab\x00": "a file", "\xff\xfe": "a file",
	} {
		got, known := format.Stranger([]byte(head))
		if !strings.HasPrefix(got, want) || known != strings.ContainsAny(got, ",:") && got != want {
			t.Errorf("%q: got %q %v, want %q", head, got, known, want)
		}
	}
}
