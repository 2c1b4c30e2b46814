//go:build !amd64 && !arm64

package packbits

// kernel is what the processor's own kernels need: there are none.
type kernel struct{}

func newKernel(*field) kernel { return kernel{} }

func (f *field) unpackFast(_, _ []byte, _ int) int { return 0 }

func (f *field) packFast(_, _ []byte, _ int) int { return 0 }

func packBoolsFast(_, _ []byte, _ Order) int { return 0 }

func unpackBoolsFast(_, _ []byte, _ Order) int { return 0 }
