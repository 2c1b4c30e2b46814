package strictjson

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Base64 decodes text in the standard alphabet with its padding and nothing else, in
// the one spelling that its bytes have: encoding/base64 would pass over line breaks, and
// counts the letters of its errors from where it was.
func Base64(text string) ([]byte, error) {
	out, err := base64.StdEncoding.Strict().DecodeString(text)
	if err == nil && !strings.ContainsAny(text, "\r\n") {
		return out, nil
	}
	end := strings.IndexByte(text, '=')
	for i, c := range []byte(text) {
		switch {
		case end >= 0 && i >= end:
			if c == '=' && i >= len(text)-2 {
				continue
			}
		case 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '/':
			continue
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		return nil, fmt.Errorf("letter %d, %q, cannot be there", i+1, text[i:i+n])
	}
	if len(text)%4 != 0 {
		return nil, fmt.Errorf("%d letters are not whole groups of four", len(text))
	}
	coded := strings.TrimRight(text, "=")
	return nil, fmt.Errorf("letter %d, %q, has bits that are of no byte", len(coded), coded[len(coded)-1:])
}
