package bigmem

import (
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Available is how much memory the process may use, in bytes: the least of what the
// machine has, what the control groups it is in allow, and GOMEMLIMIT.
func Available() uint64 {
	limit := debug.SetMemoryLimit(-1) // which only tells what it is
	return min(outside(), uint64(max(limit, 0)))
}

// outside is what does not change while the process runs, as a rule.
var outside = sync.OnceValue(func() uint64 { return min(Total(), groupLimit(os.DirFS("/"))) })

// groupLimit is the least that a control group of the process allows. Where a
// container sees only a part of the hierarchy, the groups of a path may be missing
// and its own be the root: every folder on the way up is asked.
func groupLimit(root fs.FS) uint64 {
	limit := uint64(math.MaxUint64)
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return limit
	}
	for line := range strings.Lines(string(text)) {
		folder, file, group := groupOf(strings.TrimSpace(line))
		if folder == "" {
			continue
		}
		for at := path.Clean("/" + group); ; at = path.Dir(at) {
			if text, err := fs.ReadFile(root, path.Join(folder, at, file)); err == nil {
				limit = min(limit, parseLimit(string(text)))
			}
			if at == "/" {
				break
			}
		}
	}
	return limit
}

// groupOf reads a line of /proc/self/cgroup: where the limit of the group stands, if
// it has one. Version 2 has one hierarchy, whose number is 0 and which names no
// controllers; version 1 has one for memory, perhaps among others.
func groupOf(line string) (folder, file, group string) {
	parts := strings.SplitN(line, ":", 3)
	switch {
	case len(parts) < 3:
	case parts[0] == "0" && parts[1] == "":
		return "sys/fs/cgroup", "memory.max", parts[2]
	case slices.Contains(strings.Split(parts[1], ","), "memory"):
		return "sys/fs/cgroup/memory", "memory.limit_in_bytes", parts[2]
	}
	return "", "", ""
}

// parseLimit reads a limit: a number of bytes, or "max" for none.
func parseLimit(text string) uint64 {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil || n == 0 {
		return math.MaxUint64
	}
	return n
}
