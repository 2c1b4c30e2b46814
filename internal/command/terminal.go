package command

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
)

// isTerminal reports whether a person looks at what is written to w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	return isConsole(f) && os.Getenv("TERM") != "dumb"
}

// notForTerminals refuses to write bytes to a terminal, which would obey some of them.
func (a *app) notForTerminals() error {
	if isTerminal(a.stdout) {
		return errors.New("bytes are not for a terminal: write them to a file, or to a program")
	}
	return nil
}

// hasColour reports whether w shows 24-bit colours. Terminals that can say so in
// COLORTERM; see no-color.org for NO_COLOR.
func hasColour(w io.Writer) bool {
	if os.Getenv("NO_COLOR") != "" || !isTerminal(w) {
		return false
	}
	c := os.Getenv("COLORTERM")
	return strings.Contains(c, "truecolor") || strings.Contains(c, "24bit")
}

// columns is how wide the terminal is, as far as the environment or the terminal
// tells.
func columns() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if n, _ := terminalSize(); n > 0 {
		return n
	}
	return 80
}

// lines is how high the terminal is, likewise.
func lines() int {
	if n, err := strconv.Atoi(os.Getenv("LINES")); err == nil && n > 0 {
		return n
	}
	if _, n := terminalSize(); n > 0 {
		return n
	}
	return 48
}
