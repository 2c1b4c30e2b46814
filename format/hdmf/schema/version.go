package schema

import (
	"cmp"
	"strings"
)

// CompareVersions orders versions: numbers by value, so that 2.10 is behind 2.9,
// and what is not released yet (2.11.0-alpha, 2.0b) before the release. The result is
// negative, zero or positive; it is zero only for equal texts.
func CompareVersions(a, b string) int {
	mainA, preA := cutRelease(a)
	mainB, preB := cutRelease(b)
	if c := compareFields(mainA, mainB); c != 0 {
		return c
	}
	if (preA == "") != (preB == "") {
		if preA == "" {
			return 1
		}
		return -1
	}
	if c := compareFields(preA, preB); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

// cutRelease splits off what stands behind the numbers.
func cutRelease(version string) (release, rest string) {
	for i := range len(version) {
		if c := version[i]; c != '.' && !isDigit(c) {
			return strings.TrimSuffix(version[:i], "."), strings.TrimLeft(version[i:], "-+.")
		}
	}
	return version, ""
}

// compareFields compares field by field; a missing one counts as 0.
func compareFields(a, b string) int {
	for a != "" || b != "" {
		var fieldA, fieldB string
		fieldA, a, _ = strings.Cut(a, ".")
		fieldB, b, _ = strings.Cut(b, ".")
		fieldA, fieldB = strings.TrimLeft(fieldA, "0"), strings.TrimLeft(fieldB, "0")
		if isNumber(fieldA) && isNumber(fieldB) {
			if c := cmp.Compare(len(fieldA), len(fieldB)); c != 0 {
				return c // of numbers without leading zeros the longer is larger
			}
		}
		if c := strings.Compare(fieldA, fieldB); c != 0 {
			return c
		}
	}
	return 0
}

func isNumber(field string) bool {
	for i := range len(field) {
		if !isDigit(field[i]) {
			return false
		}
	}
	return true
}
