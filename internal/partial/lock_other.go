//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package partial

import "os"

const noFollow = 0

// Lock does nothing on this system.
func Lock(*os.File) error { return nil }

// Share does nothing on this system.
func Share(*os.File) error { return nil }

// hasOtherNames is not known on this system.
func hasOtherNames(os.FileInfo) bool { return false }
