#include "textflag.h"

// Go's assembler knows few of these instructions: they are made of their bits, of
// registers by their numbers.

// UMULL multiplies bytes to words: the first eight, UMULL2 the last eight.
#define UMULL(m, n, d) WORD $(0x2E20C000 | m<<16 | n<<5 | d)
#define UMULL2(m, n, d) WORD $(0x6E20C000 | m<<16 | n<<5 | d)

// SHRN makes bytes of words that are shifted, RSHRN does so with half added. The
// shift is 16 less what is given.
#define SHRN(shift, n, d) WORD $(0x0F008400 | shift<<16 | n<<5 | d)
#define SHRN2(shift, n, d) WORD $(0x4F008400 | shift<<16 | n<<5 | d)
#define RSHRN(shift, n, d) WORD $(0x0F008C00 | shift<<16 | n<<5 | d)
#define RSHRN2(shift, n, d) WORD $(0x4F008C00 | shift<<16 | n<<5 | d)

// SMULL and SMLAL multiply words by a factor below, and add them up in double
// words: the first four, those with a 2 the last four.
#define SMULL(factor, n, d) WORD $(0x0F40A000 | factor | n<<5 | d)
#define SMULL2(factor, n, d) WORD $(0x4F40A000 | factor | n<<5 | d)
#define SMLAL(factor, n, d) WORD $(0x0F402000 | factor | n<<5 | d)
#define SMLAL2(factor, n, d) WORD $(0x4F402000 | factor | n<<5 | d)

// SQDMULH has the upper half of twice the product of words with a factor.
#define SQDMULH(factor, n, d) WORD $(0x4F40C000 | factor | n<<5 | d)

// SRSRA adds the half of words, rounded.
#define SRSRA(n, d) WORD $(0x4F1F3400 | n<<5 | d)

// SQXTUN makes bytes of words, saturated.
#define SQXTUN(n, d) WORD $(0x2E212800 | n<<5 | d)
#define SQXTUN2(n, d) WORD $(0x6E212800 | n<<5 | d)

// SUM makes words of three parts of a and one of b: the first eight in lo, the
// others in hi. Registers are given by number and name.
#define SUM(a, b, l, lo, h, hi) \
	UMULL(31, a, l);            \
	UMULL2(31, a, h);           \
	VUADDW  b.B8, lo.H8, lo.H8; \
	VUADDW2 b.B16, hi.H8, hi.H8

// ADD2 adds the same to two registers.
#define ADD2(x, lo, hi) \
	VADD x.H8, lo.H8, lo.H8; \
	VADD x.H8, hi.H8, hi.H8

// func doubleRowKernel(out, src *byte, n int)
// does n times 32 samples; src is the first of them.
TEXT ·doubleRowKernel(SB), NOSPLIT, $0-24
	MOVD  out+0(FP), R0
	MOVD  src+8(FP), R1
	MOVD  n+16(FP), R2
	LSL   $1, R2        // sixteen samples at a time
	SUB   $1, R1, R3
	ADD   $1, R1, R4
	MOVD  $1, R5
	VDUP  R5, V30.H8
	VMOVI $3, V31.B16

loop:
	VLD1.P 16(R1), [V0.B16]
	VLD1.P 16(R3), [V1.B16]
	VLD1.P 16(R4), [V2.B16]
	SUM(0, V1, 4, V4, 5, V5)
	SUM(0, V2, 6, V6, 7, V7)
	ADD2(V30, V4, V5)
	SHRN(14, 4, 16)
	SHRN2(14, 5, 16)
	RSHRN(14, 6, 17)
	RSHRN2(14, 7, 17)
	VST2.P [V16.B16, V17.B16], 32(R0)
	SUBS   $1, R2
	BNE    loop
	RET

// TRIPLE makes words three times as large.
#define TRIPLE(here, t) \
	VADD here.H8, here.H8, t.H8; \
	VADD t.H8, here.H8, here.H8

// func doubleRowsKernel(out, near, far *byte, n int)
// does n times 32 samples; near and far are the first of them.
TEXT ·doubleRowsKernel(SB), NOSPLIT, $0-32
	MOVD  out+0(FP), R0
	MOVD  near+8(FP), R1
	MOVD  far+16(FP), R2
	MOVD  n+24(FP), R3
	LSL   $1, R3         // sixteen samples at a time
	SUB   $1, R1, R4
	ADD   $1, R1, R5
	SUB   $1, R2, R6
	ADD   $1, R2, R7
	MOVD  $7, R8
	VDUP  R8, V30.H8
	VMOVI $3, V31.B16

loop:
	VLD1.P 16(R1), [V0.B16]
	VLD1.P 16(R2), [V1.B16]
	VLD1.P 16(R4), [V2.B16]
	VLD1.P 16(R6), [V3.B16]
	VLD1.P 16(R5), [V4.B16]
	VLD1.P 16(R7), [V5.B16]
	SUM(0, V1, 16, V16, 17, V17)
	SUM(2, V3, 18, V18, 19, V19)
	SUM(4, V5, 20, V20, 21, V21)
	TRIPLE(V16, V22)
	TRIPLE(V17, V23)
	VADD   V16.H8, V18.H8, V18.H8
	VADD   V17.H8, V19.H8, V19.H8
	VADD   V16.H8, V20.H8, V20.H8
	VADD   V17.H8, V21.H8, V21.H8
	ADD2(V30, V20, V21)
	RSHRN(12, 18, 24)
	RSHRN2(12, 19, 24)
	SHRN(12, 20, 25)
	SHRN2(12, 21, 25)
	VST2.P [V24.B16, V25.B16], 32(R0)
	SUBS   $1, R3
	BNE    loop
	RET

// func blendRowsKernel(out, near, far *byte, n, round int)
// does n times 32 samples.
TEXT ·blendRowsKernel(SB), NOSPLIT, $0-40
	MOVD  out+0(FP), R0
	MOVD  near+8(FP), R1
	MOVD  far+16(FP), R2
	MOVD  n+24(FP), R3
	MOVD  round+32(FP), R4
	LSL   $1, R3           // sixteen samples at a time
	VDUP  R4, V30.H8
	VMOVI $3, V31.B16

loop:
	VLD1.P 16(R1), [V0.B16]
	VLD1.P 16(R2), [V1.B16]
	SUM(0, V1, 4, V4, 5, V5)
	ADD2(V30, V4, V5)
	SHRN(14, 4, 6)
	SHRN2(14, 5, 6)
	VST1.P [V6.B16], 16(R0)
	SUBS   $1, R3
	BNE    loop
	RET

// The fractions of the factors of colourGo, with their sign where they are nearer to
// the next integer: those of Cr for red, Cb for blue, Cb and Cr for green. They are
// words of register 15, as instructions name those.
#define crRed (15<<16)
#define cbBlue (15<<16 | 1<<20)
#define cbGreen (15<<16 | 1<<21)
#define crGreen (15<<16 | 1<<21 | 1<<20)

DATA fractions<>+0(SB)/8, $0x492ea7e6c5a266e9
GLOBL fractions<>(SB), RODATA|NOPTR, $8

// CONVERT makes words of red, green and blue in registers 16, 17 and 18 of those of
// Y, Cb and Cr in 0, 1 and 2.
#define CONVERT \
	VSUB V14.H8, V1.H8, V1.H8;  \
	VSUB V14.H8, V2.H8, V2.H8;  \
	SQDMULH(crRed, 2, 3);       \
	SQDMULH(cbBlue, 1, 4);      \
	VADD V0.H8, V2.H8, V16.H8;  \
	VADD V1.H8, V1.H8, V18.H8;  \
	VADD V0.H8, V18.H8, V18.H8; \
	SRSRA(3, 16);               \
	SRSRA(4, 18);               \
	SMULL(cbGreen, 1, 5);       \
	SMULL2(cbGreen, 1, 6);      \
	SMLAL(crGreen, 2, 5);       \
	SMLAL2(crGreen, 2, 6);      \
	RSHRN(16, 5, 17);           \
	RSHRN2(16, 6, 17);          \
	VSUB V2.H8, V0.H8, V0.H8;   \
	VADD V0.H8, V17.H8, V17.H8

// func colourKernel(red, green, blue, y, cb, cr *byte, n int)
// does n times 32 pixels.
TEXT ·colourKernel(SB), NOSPLIT, $0-56
	MOVD red+0(FP), R0
	MOVD green+8(FP), R1
	MOVD blue+16(FP), R2
	MOVD y+24(FP), R3
	MOVD cb+32(FP), R4
	MOVD cr+40(FP), R5
	MOVD n+48(FP), R6
	LSL  $1, R6              // sixteen pixels at a time
	MOVD $128, R7
	VDUP R7, V14.H8
	MOVD fractions<>(SB), R8
	VMOV R8, V15.D[0]

loop:
	VLD1.P 16(R3), [V20.B16]
	VLD1.P 16(R4), [V21.B16]
	VLD1.P 16(R5), [V22.B16]
	VUXTL  V20.B8, V0.H8
	VUXTL  V21.B8, V1.H8
	VUXTL  V22.B8, V2.H8
	CONVERT
	SQXTUN(16, 24)
	SQXTUN(17, 25)
	SQXTUN(18, 26)
	VUXTL2 V20.B16, V0.H8
	VUXTL2 V21.B16, V1.H8
	VUXTL2 V22.B16, V2.H8
	CONVERT
	SQXTUN2(16, 24)
	SQXTUN2(17, 25)
	SQXTUN2(18, 26)
	VST1.P [V24.B16], 16(R0)
	VST1.P [V25.B16], 16(R1)
	VST1.P [V26.B16], 16(R2)
	SUBS   $1, R6
	BNE    loop
	RET
