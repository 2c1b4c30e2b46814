//go:build !amd64

package inflate

// turnsFast is for processors with a kernel.
func (d *decoder) turnsFast() {}
