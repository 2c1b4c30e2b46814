//go:build unix

package main

import (
	"runtime"
	"syscall"
)

func processUsage() consumption {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return consumption{}
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	unit := int64(1024)
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return consumption{seconds(u.Utime) + seconds(u.Stime), int64(u.Maxrss) * unit}
}
