//go:build unix

package command

import (
	"os"

	"golang.org/x/sys/unix"
)

// isConsole reports whether a file is a terminal, which other devices are not.
func isConsole(f *os.File) bool {
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	return err == nil
}

// terminalSize is how wide and high the terminal says that it is, 0 if there is none.
func terminalSize() (columns, lines int) {
	size, err := unix.IoctlGetWinsize(int(os.Stdout.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0
	}
	return int(size.Col), int(size.Row)
}
