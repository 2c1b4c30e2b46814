package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// printJSON writes v as indented JSON.
func (a *app) printJSON(v any) error {
	raw, err := strictjson.Marshal(v, false)
	if err != nil {
		return err
	}
	_, err = a.out.Write(append(strictjson.Indent(nil, raw), '\n'))
	return err
}

// printf prints for people. The form is ours; what is put into it may come from
// files, and is shown so that terminals do not obey it.
func (a *app) printf(form string, args ...any) error {
	for i, v := range args {
		switch v := v.(type) {
		case string:
			args[i] = visible(v)
		case error:
			args[i] = visible(v.Error())
		case fmt.Stringer:
			args[i] = visible(v.String())
		}
	}
	_, err := fmt.Fprintf(a.out, form, args...)
	return err
}

// note tells people on standard error of something that does not stop the work.
func (a *app) note(text string) { fmt.Fprintf(a.err, "omnizarr: note: %s\n", oneLine(text)) }

// visible spells the characters out that move, colour, hide or turn text: control
// characters, line breaks, marks of direction, and bytes that are no text.
func visible(s string) string {
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

// oneLine puts a text on one line. What names a URL twice in a row, as errors do that
// went through several layers, names it once.
func oneLine(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
	parts := slices.CompactFunc(strings.Split(s, ": "), func(x, y string) bool { return x == y && strings.Contains(x, "://") })
	return visible(strings.Join(parts, ": "))
}

// times writes a shape as people do: 480 × 640.
func times(shape []int) string {
	if len(shape) == 0 {
		return "scalar"
	}
	parts := make([]string, len(shape))
	for i, n := range shape {
		parts[i] = fmt.Sprint(n)
	}
	return strings.Join(parts, " × ")
}

// size writes a number of bytes with its unit.
func size(bytes float64) string {
	if bytes < 1024 {
		return fmt.Sprintf("%.0f B", bytes)
	}
	for _, unit := range []string{"KiB", "MiB", "GiB", "TiB", "PiB"} {
		if bytes /= 1024; bytes < 1024 {
			return fmt.Sprintf("%.4g %s", bytes, unit)
		}
	}
	return fmt.Sprintf("%.4g EiB", bytes/1024)
}

// cutText shortens text to n characters.
func cutText(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// counted is a number with its noun: "1 array", "2 arrays".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
