package jpeg

import "golang.org/x/sys/cpu"

var hasKernels = cpu.X86.HasAVX2
