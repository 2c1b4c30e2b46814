package file

import "strings"

// windowsKey reports whether Windows can have a file of that name and takes it for no other:
// no device, no drive, no second stream of a file, nothing that it cuts off at the end.
// Names that differ in case alone are one file there, which is for the file system to say.
func windowsKey(key string) bool {
	for name := range strings.SplitSeq(key, "/") {
		if strings.ContainsAny(name, `<>:"|?*\`) || strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") || isDevice(name) {
			return false
		}
		for _, c := range []byte(name) {
			if c < ' ' {
				return false
			}
		}
	}
	return true
}

// isDevice reports whether Windows takes a name for a device, which it is with any extension
// too, and with blanks before it.
func isDevice(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	number, ok := strings.CutPrefix(base, "COM")
	if !ok {
		number, ok = strings.CutPrefix(base, "LPT")
	}
	if !ok {
		return false
	}
	switch number {
	case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³":
		return true
	}
	return false
}
