#include "textflag.h"

// The kernels below turn as many rows as a register holds elements, and as many
// columns. Lines of dst are 64 bytes apart.

// MERGE takes the elements of a and b in turn. Go names the second source first.
#define MERGE(type, a, b, first, second) \
	VZIP1 b.type, a.type, first.type; \
	VZIP2 b.type, a.type, second.type

// MERGE4, MERGE8 and MERGE16 do that with the registers of the first half and
// those of the second: the highest bit of where an element stands becomes the
// lowest. After as many times as there are bits in the number of a row, rows are
// columns.
#define MERGE4(type, a0, a1, a2, a3, b0, b1, b2, b3) \
	MERGE(type, a0, a2, b0, b1); \
	MERGE(type, a1, a3, b2, b3)

#define MERGE8(type, a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7) \
	MERGE(type, a0, a4, b0, b1); \
	MERGE(type, a1, a5, b2, b3); \
	MERGE(type, a2, a6, b4, b5); \
	MERGE(type, a3, a7, b6, b7)

#define MERGE16(type, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15) \
	MERGE(type, a0, a8, b0, b1);    \
	MERGE(type, a1, a9, b2, b3);    \
	MERGE(type, a2, a10, b4, b5);   \
	MERGE(type, a3, a11, b6, b7);   \
	MERGE(type, a4, a12, b8, b9);   \
	MERGE(type, a5, a13, b10, b11); \
	MERGE(type, a6, a14, b12, b13); \
	MERGE(type, a7, a15, b14, b15)

// ARGUMENTS are those of all kernels; R4 is the distance of lines.
#define ARGUMENTS \
	MOVD dst+0(FP), R0; \
	MOVD src+8(FP), R1; \
	MOVD ss+16(FP), R2; \
	MOVD n+24(FP), R3;  \
	MOVD $64, R4

// func turn1Kernel(dst, src unsafe.Pointer, ss, n int)
TEXT ·turn1Kernel(SB), NOSPLIT, $0-32
	ARGUMENTS

columns:
	MOVD   R1, R5
	VLD1.P (R5)(R2), [V0.B16]
	VLD1.P (R5)(R2), [V1.B16]
	VLD1.P (R5)(R2), [V2.B16]
	VLD1.P (R5)(R2), [V3.B16]
	VLD1.P (R5)(R2), [V4.B16]
	VLD1.P (R5)(R2), [V5.B16]
	VLD1.P (R5)(R2), [V6.B16]
	VLD1.P (R5)(R2), [V7.B16]
	VLD1.P (R5)(R2), [V8.B16]
	VLD1.P (R5)(R2), [V9.B16]
	VLD1.P (R5)(R2), [V10.B16]
	VLD1.P (R5)(R2), [V11.B16]
	VLD1.P (R5)(R2), [V12.B16]
	VLD1.P (R5)(R2), [V13.B16]
	VLD1.P (R5)(R2), [V14.B16]
	VLD1.P (R5)(R2), [V15.B16]
	MERGE16(B16, V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V16, V17, V18, V19, V20, V21, V22, V23, V24, V25, V26, V27, V28, V29, V30, V31)
	MERGE16(B16, V16, V17, V18, V19, V20, V21, V22, V23, V24, V25, V26, V27, V28, V29, V30, V31, V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15)
	MERGE16(B16, V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V16, V17, V18, V19, V20, V21, V22, V23, V24, V25, V26, V27, V28, V29, V30, V31)
	MERGE16(B16, V16, V17, V18, V19, V20, V21, V22, V23, V24, V25, V26, V27, V28, V29, V30, V31, V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15)
	VST1.P [V0.B16], (R0)(R4)
	VST1.P [V1.B16], (R0)(R4)
	VST1.P [V2.B16], (R0)(R4)
	VST1.P [V3.B16], (R0)(R4)
	VST1.P [V4.B16], (R0)(R4)
	VST1.P [V5.B16], (R0)(R4)
	VST1.P [V6.B16], (R0)(R4)
	VST1.P [V7.B16], (R0)(R4)
	VST1.P [V8.B16], (R0)(R4)
	VST1.P [V9.B16], (R0)(R4)
	VST1.P [V10.B16], (R0)(R4)
	VST1.P [V11.B16], (R0)(R4)
	VST1.P [V12.B16], (R0)(R4)
	VST1.P [V13.B16], (R0)(R4)
	VST1.P [V14.B16], (R0)(R4)
	VST1.P [V15.B16], (R0)(R4)
	ADD    $16, R1
	SUBS   $1, R3
	BNE    columns
	RET

// func turn2Kernel(dst, src unsafe.Pointer, ss, n int)
TEXT ·turn2Kernel(SB), NOSPLIT, $0-32
	ARGUMENTS

columns:
	MOVD   R1, R5
	VLD1.P (R5)(R2), [V0.B16]
	VLD1.P (R5)(R2), [V1.B16]
	VLD1.P (R5)(R2), [V2.B16]
	VLD1.P (R5)(R2), [V3.B16]
	VLD1.P (R5)(R2), [V4.B16]
	VLD1.P (R5)(R2), [V5.B16]
	VLD1.P (R5)(R2), [V6.B16]
	VLD1.P (R5)(R2), [V7.B16]
	MERGE8(H8, V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15)
	MERGE8(H8, V8, V9, V10, V11, V12, V13, V14, V15, V0, V1, V2, V3, V4, V5, V6, V7)
	MERGE8(H8, V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15)
	VST1.P [V8.B16], (R0)(R4)
	VST1.P [V9.B16], (R0)(R4)
	VST1.P [V10.B16], (R0)(R4)
	VST1.P [V11.B16], (R0)(R4)
	VST1.P [V12.B16], (R0)(R4)
	VST1.P [V13.B16], (R0)(R4)
	VST1.P [V14.B16], (R0)(R4)
	VST1.P [V15.B16], (R0)(R4)
	ADD    $16, R1
	SUBS   $1, R3
	BNE    columns
	RET

// func turn4Kernel(dst, src unsafe.Pointer, ss, n int)
TEXT ·turn4Kernel(SB), NOSPLIT, $0-32
	ARGUMENTS

columns:
	MOVD   R1, R5
	VLD1.P (R5)(R2), [V0.B16]
	VLD1.P (R5)(R2), [V1.B16]
	VLD1.P (R5)(R2), [V2.B16]
	VLD1.P (R5)(R2), [V3.B16]
	MERGE4(S4, V0, V1, V2, V3, V8, V9, V10, V11)
	MERGE4(S4, V8, V9, V10, V11, V0, V1, V2, V3)
	VST1.P [V0.B16], (R0)(R4)
	VST1.P [V1.B16], (R0)(R4)
	VST1.P [V2.B16], (R0)(R4)
	VST1.P [V3.B16], (R0)(R4)
	ADD    $16, R1
	SUBS   $1, R3
	BNE    columns
	RET

// func turn8Kernel(dst, src unsafe.Pointer, ss, n int)
TEXT ·turn8Kernel(SB), NOSPLIT, $0-32
	ARGUMENTS

columns:
	MOVD   R1, R5
	VLD1.P (R5)(R2), [V0.B16]
	VLD1.P (R5)(R2), [V1.B16]
	MERGE(D2, V0, V1, V8, V9)
	VST1.P [V8.B16], (R0)(R4)
	VST1.P [V9.B16], (R0)(R4)
	ADD    $16, R1
	SUBS   $1, R3
	BNE    columns
	RET
