#include "textflag.h"

// func swapRowsKernel(dst, src unsafe.Pointer, run, n, ds, ss int, order *[16]byte)
//
// What is left of a run is done together with the end of what was done before,
// where it is less than a register. In place a run has to be whole registers.
TEXT ·swapRowsKernel(SB), NOSPLIT, $0-56
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD run+16(FP), R2
	MOVD n+24(FP), R3
	MOVD ds+32(FP), R4
	MOVD ss+40(FP), R5
	MOVD order+48(FP), R6
	VLD1 (R6), [V4.B16]

row:
	MOVD R0, R7
	MOVD R1, R8
	MOVD R2, R9       // bytes that are left
	SUBS $64, R9, R10
	BLT  registers

lines:
	VLD1.P 64(R8), [V0.B16, V1.B16, V2.B16, V3.B16]
	VTBL   V4.B16, [V0.B16], V0.B16
	VTBL   V4.B16, [V1.B16], V1.B16
	VTBL   V4.B16, [V2.B16], V2.B16
	VTBL   V4.B16, [V3.B16], V3.B16
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R7)
	SUB    $64, R9
	SUBS   $64, R10
	BGE    lines
	CBZ    R9, next

registers:
	SUBS   $16, R9, R10
	BLE    rest
	VLD1.P 16(R8), [V0.B16]
	VTBL   V4.B16, [V0.B16], V0.B16
	VST1.P [V0.B16], 16(R7)
	SUB    $16, R9
	B      registers

rest:
	ADD  R10, R8                  // back by what is missing to a register
	ADD  R10, R7
	VLD1 (R8), [V0.B16]
	VTBL V4.B16, [V0.B16], V0.B16
	VST1 [V0.B16], (R7)

next:
	ADD  R4, R0
	ADD  R5, R1
	SUBS $1, R3
	BNE  row
	RET
