// Package words puts what programs found out into words for people: on one line, not
// too long, and so that terminals do not obey what files say.
package words

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Visible spells the characters out that move, colour, hide or turn text: control
// characters, line breaks, marks of direction, and bytes that are no text.
func Visible(s string) string {
	if strings.IndexFunc(s, isUnseen) < 0 {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		_, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case !isUnseen(r):
			b.WriteString(s[i : i+n])
		case r == utf8.RuneError && n == 1 || r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == utf8.RuneError:
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// isUnseen reports whether a character is not simply seen. Joiners are part of what
// is written in many scripts.
func isUnseen(r rune) bool {
	return r == utf8.RuneError || unicode.Is(unicode.Cc, r) || unicode.In(r, unicode.Zl, unicode.Zp) ||
		unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d' && r != '\u00ad'
}

// OneLine puts a text on one line. What names a URL twice in a row, as errors do that
// went through several layers, names it once.
func OneLine(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
	parts := slices.CompactFunc(strings.Split(s, ": "), func(x, y string) bool { return x == y && strings.Contains(x, "://") })
	return Visible(strings.Join(parts, ": "))
}

// Times writes a shape as people do: 480 × 640.
func Times(shape []int) string {
	if len(shape) == 0 {
		return "scalar"
	}
	parts := make([]string, len(shape))
	for i, n := range shape {
		parts[i] = fmt.Sprint(n)
	}
	return strings.Join(parts, " × ")
}

// Cut shortens text to n characters.
func Cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// Counted is a number with its noun: "1 array", "2 arrays".
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Compact puts JSON on one line.
func Compact(raw []byte) string { return strings.Join(strings.Fields(string(raw)), " ") }

// Bare is a JSON string as it is, and other JSON as it is spelled.
func Bare(raw []byte) string {
	if s, err := strictjson.String(raw); err == nil {
		return s
	}
	return string(raw)
}

// Padded adds spaces up to a width.
func Padded(s string, width int) string {
	return s + strings.Repeat(" ", max(width-utf8.RuneCountInString(s), 0))
}
