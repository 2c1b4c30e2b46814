package locate

import (
	"path"
	"path/filepath"
	"strings"
)

// Above splits the last name off a URL: up is what lies above it. ok is false where
// there is nothing.
func Above(url string) (up, name string, ok bool) {
	if strings.Contains(url, "?") {
		return "", "", false
	}
	if bar := strings.LastIndexByte(url, '|'); bar >= 0 {
		colon := strings.IndexByte(url[bar:], ':')
		inner := ""
		if colon >= 0 {
			inner = strings.Trim(url[bar+colon+1:], "/")
		}
		if inner == "" {
			return "", "", false
		}
		dir, base := path.Split(inner)
		return url[:bar+colon+1] + strings.TrimSuffix(dir, "/"), base, true
	}
	if scheme := strings.Index(url, "://"); scheme >= 0 {
		rest := strings.TrimRight(url[scheme+3:], "/")
		cut := strings.LastIndexByte(rest, '/')
		if cut < 0 || rest[cut+1:] == "" {
			return "", "", false
		}
		return url[:scheme+3] + rest[:cut], rest[cut+1:], true
	}
	abs, err := filepath.Abs(url)
	if err != nil || strings.HasPrefix(url, "mem:") || filepath.Dir(abs) == abs {
		return "", "", false
	}
	return filepath.Dir(abs), filepath.Base(abs), true
}
