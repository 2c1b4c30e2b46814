#include "textflag.h"

// How often each of 32 bytes is counted in the sums behind it.
DATA weights<>+0(SB)/8, $0x191a1b1c1d1e1f20
DATA weights<>+8(SB)/8, $0x1112131415161718
DATA weights<>+16(SB)/8, $0x090a0b0c0d0e0f10
DATA weights<>+24(SB)/8, $0x0102030405060708
GLOBL weights<>(SB), RODATA|NOPTR, $32

DATA ones<>+0(SB)/8, $0x0001000100010001
DATA ones<>+8(SB)/8, $0x0001000100010001
DATA ones<>+16(SB)/8, $0x0001000100010001
DATA ones<>+24(SB)/8, $0x0001000100010001
GLOBL ones<>(SB), RODATA|NOPTR, $32

// ADD4 adds the four lanes of a register into its lowest.
#define ADD4(y, x) \
	VEXTRACTI128 $1, y, X7; \
	VPADDQ       X7, x, x; \
	VPSRLDQ      $8, x, X7; \
	VPADDQ       X7, x, x

// func adlerAVX2(p *byte, n int, sums *[3]uint64)
TEXT ·adlerAVX2(SB), NOSPLIT, $0-24
	MOVQ    p+0(FP), SI
	MOVQ    n+8(FP), CX
	MOVQ    sums+16(FP), DI
	VMOVDQU weights<>(SB), Y5
	VMOVDQU ones<>(SB), Y6
	VPXOR   Y0, Y0, Y0 // bytes so far, four sums
	VPXOR   Y1, Y1, Y1 // of Y0 before each step
	VPXOR   Y2, Y2, Y2 // weighted bytes, eight sums
	VPXOR   Y7, Y7, Y7

loop:
	VMOVDQU    (SI), Y3
	VPADDQ     Y0, Y1, Y1
	VPSADBW    Y7, Y3, Y4
	VPADDQ     Y4, Y0, Y0
	VPMADDUBSW Y5, Y3, Y3
	VPMADDWD   Y6, Y3, Y3
	VPADDD     Y3, Y2, Y2
	ADDQ       $32, SI
	DECQ       CX
	JNZ        loop

	// Y2 has lanes of 32 bits, which as 64 would not be too long.
	VPSRLQ $32, Y2, Y3
	VPSLLQ $32, Y2, Y2
	VPSRLQ $32, Y2, Y2
	VPADDQ Y3, Y2, Y2
	ADD4(Y0, X0)
	ADD4(Y1, X1)
	ADD4(Y2, X2)
	MOVQ   X0, (DI)
	MOVQ   X1, 8(DI)
	MOVQ   X2, 16(DI)
	VZEROUPPER
	RET
