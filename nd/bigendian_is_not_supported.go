//go:build armbe || arm64be || m68k || mips || mips64 || mips64p32 || ppc || ppc64 || s390 || s390x || shbe || sparc || sparc64

package nd

// Elements lie in memory as Zarr stores them, little-endian: on a machine of the
// other order all numbers would be wrong. Nothing of this module compiles there.
var _ = omnizarr_needs_a_little_endian_machine
