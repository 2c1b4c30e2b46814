//go:build !unix

package main

// terminalSize is how wide and high the terminal says that it is, 0 if that is not
// known.
func terminalSize() (columns, lines int) { return 0, 0 }
