// Package words puts what programs found out into words for people: on one line, not
// too long, and so that terminals do not obey what files say.
package words

import (
	"fmt"
	"slices"
	"strconv"
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
	at, seen := 0, 0 // where the last character that fits is, of those before
	for i := range s {
		switch seen {
		case n - 1:
			at = i
		case n:
			return strings.ToValidUTF8(s[:at], "\uFFFD") + "…"
		}
		seen++
	}
	return s
}

// Counted is a number with its noun: "1 array", "2 arrays".
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Some lists the first few of many names.
func Some(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %s more", strings.Join(names[:most], ", "), Grouped(int64(len(names)-most)))
}

// Grouped writes a number as 1,234,567.
func Grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// Bytes writes a number of bytes with its unit.
func Bytes(n float64) string {
	if n < 1024 {
		return fmt.Sprintf("%.0f B", n)
	}
	for _, unit := range []string{"KiB", "MiB", "GiB", "TiB", "PiB"} {
		if n /= 1024; n < 1024 {
			return fmt.Sprintf("%.4g %s", n, unit)
		}
	}
	return fmt.Sprintf("%.4g EiB", n/1024)
}

// Compact puts JSON on one line.
func Compact(raw []byte) string { return strings.Join(strings.Fields(string(raw)), " ") }

// Bare is a JSON string as it is, and other JSON as it is spelled.
func Bare(raw []byte) string {
	if len(raw) > 0 && raw[0] == '"' {
		if s, err := strictjson.String(raw); err == nil {
			return s
		}
	}
	return string(raw)
}

// Padded adds spaces up to a width.
func Padded(s string, width int) string {
	return s + strings.Repeat(" ", max(width-utf8.RuneCountInString(s), 0))
}

// Near finds among some words those that somebody may have meant who wrote another:
// that differ by a letter or two, or begin or end with it. The nearest stand first,
// and there are few.
func Near(word string, among []string) []string {
	const most = 3
	type found struct {
		word string
		off  int
	}
	var near []found
	for _, w := range among {
		if w == word || w == "" {
			continue
		}
		a, b := strings.ToLower(word), strings.ToLower(w)
		off := distance(a, b, 3)
		if off > 2 || off >= min(len(a), len(b)) {
			if len(a) < 3 || !strings.HasPrefix(b, a) && !strings.HasSuffix(b, a) {
				continue
			}
			off = 3
		}
		near = append(near, found{w, off})
	}
	slices.SortStableFunc(near, func(a, b found) int { return a.off - b.off })
	var out []string
	for _, f := range near {
		if len(out) < most && f.off == near[0].off {
			out = append(out, f.word)
		}
	}
	return out
}

// distance is how many letters have to be changed, added, left out or exchanged with
// the next to make b of a, limit if there are that many or more.
func distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) >= limit || len(y)-len(x) >= limit {
		return limit
	}
	before, last, now := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		now[0] = i
		for j := 1; j <= len(y); j++ {
			same := 1
			if x[i-1] == y[j-1] {
				same = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+same)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, last, now = last, now, before
	}
	return min(last[len(y)], limit)
}
