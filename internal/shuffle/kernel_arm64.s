#include "textflag.h"

// Sixteen bytes a register. Go names the second source first.

// DEAL puts the bytes of a and b in turn into even and odd.
#define DEAL(a, b, even, odd) \
	VUZP1 b.B16, a.B16, even.B16; \
	VUZP2 b.B16, a.B16, odd.B16

// MERGE takes the bytes of even and odd in turn, which undoes DEAL.
#define MERGE(even, odd, a, b) \
	VZIP1 odd.B16, even.B16, a.B16; \
	VZIP2 odd.B16, even.B16, b.B16

// DEAL4, DEAL8 and DEAL16 deal all bytes of so many registers: the lowest bit of
// where a byte stands becomes the highest. As often as there are bits in where a
// byte stands in its element, and byte j of every element is in the j-th register.
#define DEAL4(a0, a1, a2, a3, b0, b1, b2, b3) \
	DEAL(a0, a1, b0, b2); \
	DEAL(a2, a3, b1, b3)

#define DEAL8(a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7) \
	DEAL(a0, a1, b0, b4); \
	DEAL(a2, a3, b1, b5); \
	DEAL(a4, a5, b2, b6); \
	DEAL(a6, a7, b3, b7)

#define DEAL16(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15) \
	DEAL(a0, a1, b0, b8);    \
	DEAL(a2, a3, b1, b9);    \
	DEAL(a4, a5, b2, b10);   \
	DEAL(a6, a7, b3, b11);   \
	DEAL(a8, a9, b4, b12);   \
	DEAL(a10, a11, b5, b13); \
	DEAL(a12, a13, b6, b14); \
	DEAL(a14, a15, b7, b15)

// MERGE4, MERGE8 and MERGE16 undo them.
#define MERGE4(a0, a1, a2, a3, b0, b1, b2, b3) \
	MERGE(a0, a2, b0, b1); \
	MERGE(a1, a3, b2, b3)

#define MERGE8(a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7) \
	MERGE(a0, a4, b0, b1); \
	MERGE(a1, a5, b2, b3); \
	MERGE(a2, a6, b4, b5); \
	MERGE(a3, a7, b6, b7)

#define MERGE16(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15) \
	MERGE(a0, a8, b0, b1);    \
	MERGE(a1, a9, b2, b3);    \
	MERGE(a2, a10, b4, b5);   \
	MERGE(a3, a11, b6, b7);   \
	MERGE(a4, a12, b8, b9);   \
	MERGE(a5, a13, b10, b11); \
	MERGE(a6, a14, b12, b13); \
	MERGE(a7, a15, b14, b15)

// SWAP4 exchanges the upper halves of the bytes of a with the lower ones of b.
#define SWAP4(a, b, t) \
	VMOV a.B16, t.B16;     \
	VSLI $4, b.B16, a.B16; \
	VSRI $4, t.B16, b.B16

// SWAP exchanges the bits of a that upper has with those of b that it has not.
#define SWAP(shift, upper, a, b, t, u) \
	VSHL  shift, b.B16, t.B16;     \
	VUSHR shift, a.B16, u.B16;     \
	VBIT  upper.B16, t.B16, a.B16; \
	VBIF  upper.B16, u.B16, b.B16

// MASKS has what BITS needs.
#define MASKS \
	VMOVI $0xcc, V30.B16; \
	VMOVI $0xaa, V31.B16

// BITS exchanges bit i of the j-th register with bit j of the i-th, byte by byte.
#define BITS(a, b, c, d, e, f, g, h) \
	SWAP4(a, e, V24);              \
	SWAP4(b, f, V25);              \
	SWAP4(c, g, V26);              \
	SWAP4(d, h, V27);              \
	SWAP($2, V30, a, c, V24, V25); \
	SWAP($2, V30, b, d, V26, V27); \
	SWAP($2, V30, e, g, V24, V25); \
	SWAP($2, V30, f, h, V26, V27); \
	SWAP($1, V31, a, b, V24, V25); \
	SWAP($1, V31, c, d, V26, V27); \
	SWAP($1, V31, e, f, V24, V25); \
	SWAP($1, V31, g, h, V26, V27)

// ARGUMENTS are those of all kernels whose planes or rows stand R3 bytes apart.
#define ARGUMENTS \
	MOVD dst+0(FP), R0;    \
	MOVD src+8(FP), R1;    \
	MOVD n+16(FP), R2;     \
	MOVD stride+24(FP), R3

// func split2Kernel(dst, src *byte, n, stride int)
TEXT ·split2Kernel(SB), NOSPLIT, $0-32
	ARGUMENTS

loop:
	VLD1.P 32(R1), [V0.B16, V1.B16]
	DEAL(V0, V1, V8, V9)
	MOVD   R0, R4
	VST1.P [V8.B16], (R4)(R3)
	VST1.P [V9.B16], (R4)(R3)
	ADD    $16, R0
	SUBS   $1, R2
	BNE    loop
	RET

// func split4Kernel(dst, src *byte, n, stride int)
TEXT ·split4Kernel(SB), NOSPLIT, $0-32
	ARGUMENTS

loop:
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	DEAL4(V0, V1, V2, V3, V8, V9, V10, V11)
	DEAL4(V8, V9, V10, V11, V0, V1, V2, V3)
	MOVD   R0, R4
	VST1.P [V0.B16], (R4)(R3)
	VST1.P [V1.B16], (R4)(R3)
	VST1.P [V2.B16], (R4)(R3)
	VST1.P [V3.B16], (R4)(R3)
	ADD    $16, R0
	SUBS   $1, R2
	BNE    loop
	RET

// func split8Kernel(dst, src *byte, n, stride int)
TEXT ·split8Kernel(SB), NOSPLIT, $0-32
	ARGUMENTS

loop:
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	VLD1.P 64(R1), [V4.B16, V5.B16, V6.B16, V7.B16]
	DEAL8(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15)
	DEAL8(V8, V9, V10, V11, V12, V13, V14, V15, V0, V1, V2, V3, V4, V5, V6, V7)
	DEAL8(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15)
	MOVD   R0, R4
	VST1.P [V8.B16], (R4)(R3)
	VST1.P [V9.B16], (R4)(R3)
	VST1.P [V10.B16], (R4)(R3)
	VST1.P [V11.B16], (R4)(R3)
	VST1.P [V12.B16], (R4)(R3)
	VST1.P [V13.B16], (R4)(R3)
	VST1.P [V14.B16], (R4)(R3)
	VST1.P [V15.B16], (R4)(R3)
	ADD    $16, R0
	SUBS   $1, R2
	BNE    loop
	RET

// func split16Kernel(dst, src *byte, n, stride int)
TEXT ·split16Kernel(SB), NOSPLIT, $0-32
	ARGUMENTS

loop:
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	VLD1.P 64(R1), [V4.B16, V5.B16, V6.B16, V7.B16]
	VLD1.P 64(R1), [V8.B16, V9.B16, V10.B16, V11.B16]
	VLD1.P 64(R1), [V12.B16, V13.B16, V14.B16, V15.B16]
	DEAL16(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V16, V17, V18, V19, V20, V21, V22, V23, V24, V25, V26, V27, V28, V29, V30, V31)
	DEAL16(V16, V17, V18, V19, V20, V21, V22, V23, V24, V25, V26, V27, V28, V29, V30, V31, V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15)
	DEAL16(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V16, V17, V18, V19, V20, V21, V22, V23, V24, V25, V26, V27, V28, V29, V30, V31)
	DEAL16(V16, V17, V18, V19, V20, V21, V22, V23, V24, V25, V26, V27, V28, V29, V30, V31, V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15)
	MOVD   R0, R4
	VST1.P [V0.B16], (R4)(R3)
	VST1.P [V1.B16], (R4)(R3)
	VST1.P [V2.B16], (R4)(R3)
	VST1.P [V3.B16], (R4)(R3)
	VST1.P [V4.B16], (R4)(R3)
	VST1.P [V5.B16], (R4)(R3)
	VST1.P [V6.B16], (R4)(R3)
	VST1.P [V7.B16], (R4)(R3)
	VST1.P [V8.B16], (R4)(R3)
	VST1.P [V9.B16], (R4)(R3)
	VST1.P [V10.B16], (R4)(R3)
	VST1.P [V11.B16], (R4)(R3)
	VST1.P [V12.B16], (R4)(R3)
	VST1.P [V13.B16], (R4)(R3)
	VST1.P [V14.B16], (R4)(R3)
	VST1.P [V15.B16], (R4)(R3)
	ADD    $16, R0
	SUBS   $1, R2
	BNE    loop
	RET

// func join2Kernel(dst *byte, rows *[16]*byte, n int)
TEXT ·join2Kernel(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD rows+8(FP), R1
	MOVD n+16(FP), R2
	LDP  0(R1), (R3, R4)

loop:
	VLD1.P 16(R3), [V0.B16]
	VLD1.P 16(R4), [V1.B16]
	MERGE(V0, V1, V8, V9)
	VST1.P [V8.B16, V9.B16], 32(R0)
	SUBS   $1, R2
	BNE    loop
	RET

// func join4Kernel(dst *byte, rows *[16]*byte, n int)
TEXT ·join4Kernel(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD rows+8(FP), R1
	MOVD n+16(FP), R2
	LDP  0(R1), (R3, R4)
	LDP  16(R1), (R5, R6)

loop:
	VLD1.P 16(R3), [V0.B16]
	VLD1.P 16(R4), [V1.B16]
	VLD1.P 16(R5), [V2.B16]
	VLD1.P 16(R6), [V3.B16]
	MERGE4(V0, V1, V2, V3, V8, V9, V10, V11)
	MERGE4(V8, V9, V10, V11, V0, V1, V2, V3)
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0)
	SUBS   $1, R2
	BNE    loop
	RET

// func join8Kernel(dst *byte, rows *[16]*byte, n int)
TEXT ·join8Kernel(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD rows+8(FP), R1
	MOVD n+16(FP), R2
	LDP  0(R1), (R3, R4)
	LDP  16(R1), (R5, R6)
	LDP  32(R1), (R7, R8)
	LDP  48(R1), (R9, R10)

loop:
	VLD1.P 16(R3), [V0.B16]
	VLD1.P 16(R4), [V1.B16]
	VLD1.P 16(R5), [V2.B16]
	VLD1.P 16(R6), [V3.B16]
	VLD1.P 16(R7), [V4.B16]
	VLD1.P 16(R8), [V5.B16]
	VLD1.P 16(R9), [V6.B16]
	VLD1.P 16(R10), [V7.B16]
	MERGE8(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15)
	MERGE8(V8, V9, V10, V11, V12, V13, V14, V15, V0, V1, V2, V3, V4, V5, V6, V7)
	MERGE8(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15)
	VST1.P [V8.B16, V9.B16, V10.B16, V11.B16], 64(R0)
	VST1.P [V12.B16, V13.B16, V14.B16, V15.B16], 64(R0)
	SUBS   $1, R2
	BNE    loop
	RET

// func join16Kernel(dst *byte, rows *[16]*byte, n int)
TEXT ·join16Kernel(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD rows+8(FP), R1
	MOVD n+16(FP), R2
	LDP  0(R1), (R3, R4)
	LDP  16(R1), (R5, R6)
	LDP  32(R1), (R7, R8)
	LDP  48(R1), (R9, R10)
	LDP  64(R1), (R11, R12)
	LDP  80(R1), (R13, R14)
	LDP  96(R1), (R15, R16)
	LDP  112(R1), (R17, R19)

loop:
	VLD1.P 16(R3), [V0.B16]
	VLD1.P 16(R4), [V1.B16]
	VLD1.P 16(R5), [V2.B16]
	VLD1.P 16(R6), [V3.B16]
	VLD1.P 16(R7), [V4.B16]
	VLD1.P 16(R8), [V5.B16]
	VLD1.P 16(R9), [V6.B16]
	VLD1.P 16(R10), [V7.B16]
	VLD1.P 16(R11), [V8.B16]
	VLD1.P 16(R12), [V9.B16]
	VLD1.P 16(R13), [V10.B16]
	VLD1.P 16(R14), [V11.B16]
	VLD1.P 16(R15), [V12.B16]
	VLD1.P 16(R16), [V13.B16]
	VLD1.P 16(R17), [V14.B16]
	VLD1.P 16(R19), [V15.B16]
	MERGE16(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V16, V17, V18, V19, V20, V21, V22, V23, V24, V25, V26, V27, V28, V29, V30, V31)
	MERGE16(V16, V17, V18, V19, V20, V21, V22, V23, V24, V25, V26, V27, V28, V29, V30, V31, V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15)
	MERGE16(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V16, V17, V18, V19, V20, V21, V22, V23, V24, V25, V26, V27, V28, V29, V30, V31)
	MERGE16(V16, V17, V18, V19, V20, V21, V22, V23, V24, V25, V26, V27, V28, V29, V30, V31, V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15)
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0)
	VST1.P [V4.B16, V5.B16, V6.B16, V7.B16], 64(R0)
	VST1.P [V8.B16, V9.B16, V10.B16, V11.B16], 64(R0)
	VST1.P [V12.B16, V13.B16, V14.B16, V15.B16], 64(R0)
	SUBS   $1, R2
	BNE    loop
	RET

// func toRowsKernel(dst, src *byte, n, stride int)
TEXT ·toRowsKernel(SB), NOSPLIT, $0-32
	ARGUMENTS
	MASKS

loop:
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	VLD1.P 64(R1), [V4.B16, V5.B16, V6.B16, V7.B16]
	DEAL8(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15)
	DEAL8(V8, V9, V10, V11, V12, V13, V14, V15, V0, V1, V2, V3, V4, V5, V6, V7)
	DEAL8(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15)
	BITS(V8, V9, V10, V11, V12, V13, V14, V15)
	MOVD   R0, R4
	VST1.P [V8.B16], (R4)(R3)
	VST1.P [V9.B16], (R4)(R3)
	VST1.P [V10.B16], (R4)(R3)
	VST1.P [V11.B16], (R4)(R3)
	VST1.P [V12.B16], (R4)(R3)
	VST1.P [V13.B16], (R4)(R3)
	VST1.P [V14.B16], (R4)(R3)
	VST1.P [V15.B16], (R4)(R3)
	ADD    $16, R0
	SUBS   $1, R2
	BNE    loop
	RET

// func fromRowsKernel(dst, src *byte, n, stride int)
TEXT ·fromRowsKernel(SB), NOSPLIT, $0-32
	ARGUMENTS
	MASKS

loop:
	MOVD   R1, R4
	VLD1.P (R4)(R3), [V0.B16]
	VLD1.P (R4)(R3), [V1.B16]
	VLD1.P (R4)(R3), [V2.B16]
	VLD1.P (R4)(R3), [V3.B16]
	VLD1.P (R4)(R3), [V4.B16]
	VLD1.P (R4)(R3), [V5.B16]
	VLD1.P (R4)(R3), [V6.B16]
	VLD1.P (R4)(R3), [V7.B16]
	ADD    $16, R1
	BITS(V0, V1, V2, V3, V4, V5, V6, V7)
	MERGE8(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15)
	MERGE8(V8, V9, V10, V11, V12, V13, V14, V15, V0, V1, V2, V3, V4, V5, V6, V7)
	MERGE8(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15)
	VST1.P [V8.B16, V9.B16, V10.B16, V11.B16], 64(R0)
	VST1.P [V12.B16, V13.B16, V14.B16, V15.B16], 64(R0)
	SUBS   $1, R2
	BNE    loop
	RET
