package bigmem

import (
	"syscall" // not x/sys/unix, whose many names every program of tests would load to be linked
	"unsafe"
)

// advise is only a hint: what goes wrong does not matter.
func advise(mem []byte) {
	const page = 4096
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(mem))) & (page - 1)
	mem = mem[skip:]
	_ = syscall.Madvise(mem[:len(mem)&^(page-1)], syscall.MADV_HUGEPAGE)
}

// adviseRange is advise for memory that is no slice of ours.
func adviseRange(base, n uintptr) {
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, base, n, syscall.MADV_HUGEPAGE)
}

// Total is the machine's memory in bytes.
func Total() uint64 {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return fallback
	}
	return uint64(info.Totalram) * uint64(info.Unit)
}
