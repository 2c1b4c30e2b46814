package zstddec

import "golang.org/x/sys/cpu"

var hasKernels = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2
