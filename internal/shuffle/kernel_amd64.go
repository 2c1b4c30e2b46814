package shuffle

import "golang.org/x/sys/cpu"

var hasKernels = cpu.X86.HasAVX2

// register is how many bytes the kernels have in a register.
const register = 32
