#include "textflag.h"

// func streamRows(dst, src unsafe.Pointer, run, n, ds, ss int)
TEXT ·streamRows(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ run+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ ds+32(FP), R8
	MOVQ ss+40(FP), R9

row:
	XORQ AX, AX

line:
	VMOVDQU  (SI)(AX*1), Y0
	VMOVDQU  32(SI)(AX*1), Y1
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

// func fetchRows(dst, src unsafe.Pointer, run, n, ds, ss int)
//
// R10 is where rows are fetched from for which it is not yet time.
TEXT ·fetchRows(SB), NOSPLIT, $0-48
	MOVQ  dst+0(FP), DI
	MOVQ  src+8(FP), SI
	MOVQ  run+16(FP), DX
	MOVQ  n+24(FP), CX
	MOVQ  ds+32(FP), R8
	MOVQ  ss+40(FP), R9
	LEAQ  (R9*8), R10
	ADDQ  SI, R10

row:
	XORQ AX, AX

line:
	PREFETCHT0 (R10)(AX*1)
	VMOVDQU    (SI)(AX*1), Y0
	VMOVDQU    32(SI)(AX*1), Y1
	VMOVDQU    Y0, (DI)(AX*1)
	VMOVDQU    Y1, 32(DI)(AX*1)
	ADDQ       $64, AX
	CMPQ       AX, DX
	JB         line
	ADDQ       R8, DI
	ADDQ       R9, SI
	ADDQ       R9, R10
	DECQ       CX
	JNZ        row
	VZEROUPPER
	RET

// func fence()
TEXT ·fence(SB), NOSPLIT, $0-0
	SFENCE
	RET
