//go:build !unix

package main

// terminalWidth is how wide the terminal says that it is, 0 if that is not known.
func terminalWidth() int { return 0 }
