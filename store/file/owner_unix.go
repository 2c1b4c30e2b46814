//go:build unix

package file

import (
	"errors"
	"os"
	"syscall"
)

// machineName tells apart where numbers of processes mean the same: the machine since it
// was started, and on Linux the namespace that a container has of its own.
func machineName() string {
	host, err := os.Hostname()
	if err != nil {
		return ""
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // where there is one
	space, _ := os.Readlink("/proc/self/ns/pid")
	return host + "\n" + string(boot) + space
}

// isAlive reports whether there is a process of that number.
func isAlive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
