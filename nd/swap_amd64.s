#include "textflag.h"

// func swapRowsKernel(dst, src unsafe.Pointer, run, n, ds, ss int, order *[32]byte)
//
// What is left of a run is done together with the end of what was done before,
// where it is less than a register. In place a run has to be whole registers.
TEXT ·swapRowsKernel(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ run+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ ds+32(FP), R8
	MOVQ ss+40(FP), R9
	MOVQ order+48(FP), R10
	VMOVDQU (R10), Y4
	LEAQ    -32(DX), R11
	LEAQ    -128(DX), R12

row:
	XORQ AX, AX
	CMPQ AX, R12
	JG   registers

lines:
	VMOVDQU (SI)(AX*1), Y0
	VMOVDQU 32(SI)(AX*1), Y1
	VMOVDQU 64(SI)(AX*1), Y2
	VMOVDQU 96(SI)(AX*1), Y3
	VPSHUFB Y4, Y0, Y0
	VPSHUFB Y4, Y1, Y1
	VPSHUFB Y4, Y2, Y2
	VPSHUFB Y4, Y3, Y3
	VMOVDQU Y0, (DI)(AX*1)
	VMOVDQU Y1, 32(DI)(AX*1)
	VMOVDQU Y2, 64(DI)(AX*1)
	VMOVDQU Y3, 96(DI)(AX*1)
	ADDQ    $128, AX
	CMPQ    AX, R12
	JLE     lines
	CMPQ    AX, DX
	JE      next

registers:
	CMPQ    AX, R11
	JGE     rest
	VMOVDQU (SI)(AX*1), Y0
	VPSHUFB Y4, Y0, Y0
	VMOVDQU Y0, (DI)(AX*1)
	ADDQ    $32, AX
	JMP     registers

rest:
	VMOVDQU (SI)(R11*1), Y0
	VPSHUFB Y4, Y0, Y0
	VMOVDQU Y0, (DI)(R11*1)

next:
	ADDQ R8, DI
	ADDQ R9, SI
	DECQ CX
	JNZ  row
	VZEROUPPER
	RET

// func streamSwappedKernel(dst, src unsafe.Pointer, run, n, ds, ss int, order *[32]byte)
TEXT ·streamSwappedKernel(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ run+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ ds+32(FP), R8
	MOVQ ss+40(FP), R9
	MOVQ order+48(FP), R10
	VMOVDQU (R10), Y4

row:
	XORQ AX, AX

line:
	VMOVDQU  (SI)(AX*1), Y0
	VMOVDQU  32(SI)(AX*1), Y1
	VPSHUFB  Y4, Y0, Y0
	VPSHUFB  Y4, Y1, Y1
	VMOVNTDQ Y0, (DI)(AX*1)
	VMOVNTDQ Y1, 32(DI)(AX*1)
	ADDQ     $64, AX
	CMPQ     AX, DX
	JB       line
	ADDQ     R8, DI
	ADDQ     R9, SI
	DECQ     CX
	JNZ      row
	VZEROUPPER
	RET
