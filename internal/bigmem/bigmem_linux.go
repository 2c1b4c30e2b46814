package bigmem

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// advise is only a hint: what goes wrong does not matter.
func advise(mem []byte) {
	const page = 4096
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(mem))) & (page - 1)
	mem = mem[skip:]
	_ = unix.Madvise(mem[:len(mem)&^(page-1)], unix.MADV_HUGEPAGE)
}

// adviseRange is advise for memory that is no slice of ours.
func adviseRange(base, n uintptr) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, base, n, unix.MADV_HUGEPAGE)
}

// Total is the machine's memory in bytes.
func Total() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return fallback
	}
	return uint64(info.Totalram) * uint64(info.Unit)
}
