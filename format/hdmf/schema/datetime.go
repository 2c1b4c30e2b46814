package schema

// DateTime reports whether a text is a date or a date and time as isodatetime
// asks for it, such as 2024-05-01 or 2024-05-01T12:30:00.5+02:00, and whether it
// names its time zone.
func DateTime(text string) (valid, zoned bool) {
	if len(text) > 0 && text[0] == '-' {
		text = text[1:]
	}
	year := 0
	for year < len(text) && isDigit(text[year]) {
		year++
	}
	if year < 4 || year > 4 && text[0] == '0' {
		return false, false
	}
	text = text[year:]
	if !pattern(text, "-##-##") || !within(text[1:3], "01", "12") || !within(text[4:6], "01", "31") {
		return false, false
	}
	text = text[6:]
	if text == "" {
		return true, false
	}
	if !pattern(text, "T##:##:##") || text[1:3] > "23" || text[4] > '5' || text[7] > '5' {
		return false, false
	}
	text = text[9:]
	if len(text) > 0 && text[0] == '.' {
		n := 1
		for n < len(text) && isDigit(text[n]) {
			n++
		}
		if n == 1 {
			return false, false
		}
		text = text[n:]
	}
	switch {
	case text == "":
		return true, false
	case text == "Z":
		return true, true
	case len(text) == 6 && (pattern(text, "+##:##") || pattern(text, "-##:##")):
		valid = text[1:3] <= "23" && text[4] <= '5'
		return valid, valid
	}
	return false, false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func within(text, low, high string) bool { return text >= low && text <= high }

// pattern reports whether text starts with the pattern, in which # is a digit.
func pattern(text, pattern string) bool {
	if len(text) < len(pattern) {
		return false
	}
	for i := range len(pattern) {
		if pattern[i] == '#' && !isDigit(text[i]) || pattern[i] != '#' && text[i] != pattern[i] {
			return false
		}
	}
	return true
}
