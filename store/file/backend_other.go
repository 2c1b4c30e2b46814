//go:build !linux

package file

import "os"

// newBackend gives a rootBackend: this system has nothing quicker.
func newBackend(root *os.Root, _ string) (backend, error) { return rootBackend{root}, nil }
