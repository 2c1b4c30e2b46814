//go:build !unix

package command

import "os"

// isConsole reports whether a file is a device, but the one that takes everything.
func isConsole(f *os.File) bool {
	fi, err := f.Stat()
	if err != nil || fi.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	none, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(fi, none)
}

// terminalSize is how wide and high the terminal says that it is, 0 if that is not
// known.
func terminalSize() (columns, lines int) { return 0, 0 }
