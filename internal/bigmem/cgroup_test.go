package bigmem

import (
	"math"
	"runtime/debug"
	"testing"
	"testing/fstest"
)

func TestTheLeastLimitOfTheControlGroupsCounts(t *testing.T) {
	const none = math.MaxUint64
	for name, c := range map[string]struct {
		files map[string]string
		want  uint64
	}{
		"no groups at all": {nil, none},
		"version 2": {map[string]string{
			"proc/self/cgroup":                   "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max":       "536870912\n",
			"sys/fs/cgroup/a/memory.max":         "max\n",
			"sys/fs/cgroup/other/memory.max":     "1\n",
			"sys/fs/cgroup/memory/memory.max":    "2\n",
			"sys/fs/cgroup/a/b/memory.swap.max":  "3\n",
			"sys/fs/cgroup/a/b/c/d/e/memory.max": "4\n",
		}, 512 << 20},
		"version 2, a group above is smaller": {map[string]string{
			"proc/self/cgroup":             "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "536870912\n",
			"sys/fs/cgroup/a/memory.max":   "1048576\n",
		}, 1 << 20},
		"version 2, inside a container": {map[string]string{
			"proc/self/cgroup":         "0::/../../kubepods/pod1\n",
			"sys/fs/cgroup/memory.max": "268435456\n",
		}, 256 << 20},
		"version 1": {map[string]string{
			"proc/self/cgroup": "12:cpu,cpuacct:/x\n5:memory:/docker/1\n1:name=systemd:/x\n",
			"sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "1073741824\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":          "9223372036854771712\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes":        "5\n",
		}, 1 << 30},
		"version 1 beside version 2": {map[string]string{
			"proc/self/cgroup": "7:hugetlb,memory:/a\n0::/a\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "77\n",
			"sys/fs/cgroup/a/memory.max":                   "78\n",
		}, 77},
		"nonsense": {map[string]string{
			"proc/self/cgroup":         "0::\n\nhello\n::\n",
			"sys/fs/cgroup/memory.max": "-5\n",
		}, none},
	} {
		root := fstest.MapFS{}
		for file, text := range c.files {
			root[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := groupLimit(root); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestTheLimitOfTheProgramCounts(t *testing.T) {
	was := debug.SetMemoryLimit(100 << 20)
	defer debug.SetMemoryLimit(was)
	if n := Available(); n > 100<<20 {
		t.Errorf("%d bytes", n)
	}
	debug.SetMemoryLimit(math.MaxInt64)
	if n := Available(); n < 32<<20 || n > Total() {
		t.Errorf("%d bytes without a limit, of %d", n, Total())
	}
}
