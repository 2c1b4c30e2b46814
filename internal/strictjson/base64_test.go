package strictjson_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/strictjson"
)

func TestBase64InPlainWords(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "AAEC": "", "AA==": "", "+/8=": "",
		"AA!C":     `letter 3, "!", cannot be there`,
		"AAEC\n":   `letter 5, "\n", cannot be there`,
		"AAé=":     `letter 3, "é", cannot be there`,
		"AA-_":     `letter 3, "-", cannot be there`,
		"AA=A":     `letter 4, "A", cannot be there`,
		"A===":     `letter 2, "=", cannot be there`,
		"AA==AAAA": `letter 3, "=", cannot be there`,
		"/9j/2Q":   `6 letters are not whole groups of four`,
		"AA=":      `3 letters are not whole groups of four`,
		"AB==":     `letter 2, "B", has bits that are of no byte`,
		"AAB=":     `letter 3, "B", has bits that are of no byte`,
	} {
		out, err := strictjson.Base64(text)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		if err == nil && base64.StdEncoding.EncodeToString(out) != text {
			t.Errorf("%q became %v", text, out)
		}
	}
}

// What it takes is what the library takes, but for line breaks.
func TestBase64TakesWhatTheLibraryTakes(t *testing.T) {
	var try func(text string, left int)
	try = func(text string, left int) {
		_, want := base64.StdEncoding.Strict().DecodeString(text)
		_, err := strictjson.Base64(text)
		if (err == nil) != (want == nil && !strings.ContainsAny(text, "\r\n")) {
			t.Errorf("%q: %v, %v", text, err, want)
		}
		for _, c := range "AB=\n!" {
			if left > 0 {
				try(text+string(c), left-1)
			}
		}
	}
	try("", 5)
	try("AAAA", 5)
}
