#include "textflag.h"

// ROWS loads where the planes begin.
#define ROWS \
	LDP (R3), (R4, R5);  \
	LDP 16(R3), (R6, R7)

// func split2x1NEON(rows *[4]*byte, src *byte, n int)
TEXT ·split2x1NEON(SB), NOSPLIT, $0-24
	MOVD rows+0(FP), R3
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD2.P 32(R1), [V0.B16, V1.B16]
	VST1.P [V0.B16], 16(R4)
	VST1.P [V1.B16], 16(R5)
	SUBS   $1, R2
	BNE    loop
	RET

// func join2x1NEON(dst *byte, rows *[4]*byte, n int)
TEXT ·join2x1NEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R1
	MOVD rows+8(FP), R3
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD1.P 16(R4), [V0.B16]
	VLD1.P 16(R5), [V1.B16]
	VST2.P [V0.B16, V1.B16], 32(R1)
	SUBS   $1, R2
	BNE    loop
	RET

// func split3x1NEON(rows *[4]*byte, src *byte, n int)
TEXT ·split3x1NEON(SB), NOSPLIT, $0-24
	MOVD rows+0(FP), R3
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD3.P 48(R1), [V0.B16, V1.B16, V2.B16]
	VST1.P [V0.B16], 16(R4)
	VST1.P [V1.B16], 16(R5)
	VST1.P [V2.B16], 16(R6)
	SUBS   $1, R2
	BNE    loop
	RET

// func join3x1NEON(dst *byte, rows *[4]*byte, n int)
TEXT ·join3x1NEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R1
	MOVD rows+8(FP), R3
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD1.P 16(R4), [V0.B16]
	VLD1.P 16(R5), [V1.B16]
	VLD1.P 16(R6), [V2.B16]
	VST3.P [V0.B16, V1.B16, V2.B16], 48(R1)
	SUBS   $1, R2
	BNE    loop
	RET

// func split4x1NEON(rows *[4]*byte, src *byte, n int)
TEXT ·split4x1NEON(SB), NOSPLIT, $0-24
	MOVD rows+0(FP), R3
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD4.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	VST1.P [V0.B16], 16(R4)
	VST1.P [V1.B16], 16(R5)
	VST1.P [V2.B16], 16(R6)
	VST1.P [V3.B16], 16(R7)
	SUBS   $1, R2
	BNE    loop
	RET

// func join4x1NEON(dst *byte, rows *[4]*byte, n int)
TEXT ·join4x1NEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R1
	MOVD rows+8(FP), R3
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD1.P 16(R4), [V0.B16]
	VLD1.P 16(R5), [V1.B16]
	VLD1.P 16(R6), [V2.B16]
	VLD1.P 16(R7), [V3.B16]
	VST4.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R1)
	SUBS   $1, R2
	BNE    loop
	RET

// func split2x2NEON(rows *[4]*byte, src *byte, n int)
TEXT ·split2x2NEON(SB), NOSPLIT, $0-24
	MOVD rows+0(FP), R3
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD2.P 32(R1), [V0.H8, V1.H8]
	VST1.P [V0.B16], 16(R4)
	VST1.P [V1.B16], 16(R5)
	SUBS   $1, R2
	BNE    loop
	RET

// func join2x2NEON(dst *byte, rows *[4]*byte, n int)
TEXT ·join2x2NEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R1
	MOVD rows+8(FP), R3
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD1.P 16(R4), [V0.B16]
	VLD1.P 16(R5), [V1.B16]
	VST2.P [V0.H8, V1.H8], 32(R1)
	SUBS   $1, R2
	BNE    loop
	RET

// func split3x2NEON(rows *[4]*byte, src *byte, n int)
TEXT ·split3x2NEON(SB), NOSPLIT, $0-24
	MOVD rows+0(FP), R3
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD3.P 48(R1), [V0.H8, V1.H8, V2.H8]
	VST1.P [V0.B16], 16(R4)
	VST1.P [V1.B16], 16(R5)
	VST1.P [V2.B16], 16(R6)
	SUBS   $1, R2
	BNE    loop
	RET

// func join3x2NEON(dst *byte, rows *[4]*byte, n int)
TEXT ·join3x2NEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R1
	MOVD rows+8(FP), R3
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD1.P 16(R4), [V0.B16]
	VLD1.P 16(R5), [V1.B16]
	VLD1.P 16(R6), [V2.B16]
	VST3.P [V0.H8, V1.H8, V2.H8], 48(R1)
	SUBS   $1, R2
	BNE    loop
	RET

// func split4x2NEON(rows *[4]*byte, src *byte, n int)
TEXT ·split4x2NEON(SB), NOSPLIT, $0-24
	MOVD rows+0(FP), R3
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD4.P 64(R1), [V0.H8, V1.H8, V2.H8, V3.H8]
	VST1.P [V0.B16], 16(R4)
	VST1.P [V1.B16], 16(R5)
	VST1.P [V2.B16], 16(R6)
	VST1.P [V3.B16], 16(R7)
	SUBS   $1, R2
	BNE    loop
	RET

// func join4x2NEON(dst *byte, rows *[4]*byte, n int)
TEXT ·join4x2NEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R1
	MOVD rows+8(FP), R3
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD1.P 16(R4), [V0.B16]
	VLD1.P 16(R5), [V1.B16]
	VLD1.P 16(R6), [V2.B16]
	VLD1.P 16(R7), [V3.B16]
	VST4.P [V0.H8, V1.H8, V2.H8, V3.H8], 64(R1)
	SUBS   $1, R2
	BNE    loop
	RET

// func split2x4NEON(rows *[4]*byte, src *byte, n int)
TEXT ·split2x4NEON(SB), NOSPLIT, $0-24
	MOVD rows+0(FP), R3
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD2.P 32(R1), [V0.S4, V1.S4]
	VST1.P [V0.B16], 16(R4)
	VST1.P [V1.B16], 16(R5)
	SUBS   $1, R2
	BNE    loop
	RET

// func join2x4NEON(dst *byte, rows *[4]*byte, n int)
TEXT ·join2x4NEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R1
	MOVD rows+8(FP), R3
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD1.P 16(R4), [V0.B16]
	VLD1.P 16(R5), [V1.B16]
	VST2.P [V0.S4, V1.S4], 32(R1)
	SUBS   $1, R2
	BNE    loop
	RET

// func split3x4NEON(rows *[4]*byte, src *byte, n int)
TEXT ·split3x4NEON(SB), NOSPLIT, $0-24
	MOVD rows+0(FP), R3
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD3.P 48(R1), [V0.S4, V1.S4, V2.S4]
	VST1.P [V0.B16], 16(R4)
	VST1.P [V1.B16], 16(R5)
	VST1.P [V2.B16], 16(R6)
	SUBS   $1, R2
	BNE    loop
	RET

// func join3x4NEON(dst *byte, rows *[4]*byte, n int)
TEXT ·join3x4NEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R1
	MOVD rows+8(FP), R3
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD1.P 16(R4), [V0.B16]
	VLD1.P 16(R5), [V1.B16]
	VLD1.P 16(R6), [V2.B16]
	VST3.P [V0.S4, V1.S4, V2.S4], 48(R1)
	SUBS   $1, R2
	BNE    loop
	RET

// func split4x4NEON(rows *[4]*byte, src *byte, n int)
TEXT ·split4x4NEON(SB), NOSPLIT, $0-24
	MOVD rows+0(FP), R3
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD4.P 64(R1), [V0.S4, V1.S4, V2.S4, V3.S4]
	VST1.P [V0.B16], 16(R4)
	VST1.P [V1.B16], 16(R5)
	VST1.P [V2.B16], 16(R6)
	VST1.P [V3.B16], 16(R7)
	SUBS   $1, R2
	BNE    loop
	RET

// func join4x4NEON(dst *byte, rows *[4]*byte, n int)
TEXT ·join4x4NEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R1
	MOVD rows+8(FP), R3
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD1.P 16(R4), [V0.B16]
	VLD1.P 16(R5), [V1.B16]
	VLD1.P 16(R6), [V2.B16]
	VLD1.P 16(R7), [V3.B16]
	VST4.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R1)
	SUBS   $1, R2
	BNE    loop
	RET

// func split2x8NEON(rows *[4]*byte, src *byte, n int)
TEXT ·split2x8NEON(SB), NOSPLIT, $0-24
	MOVD rows+0(FP), R3
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD2.P 32(R1), [V0.D2, V1.D2]
	VST1.P [V0.B16], 16(R4)
	VST1.P [V1.B16], 16(R5)
	SUBS   $1, R2
	BNE    loop
	RET

// func join2x8NEON(dst *byte, rows *[4]*byte, n int)
TEXT ·join2x8NEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R1
	MOVD rows+8(FP), R3
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD1.P 16(R4), [V0.B16]
	VLD1.P 16(R5), [V1.B16]
	VST2.P [V0.D2, V1.D2], 32(R1)
	SUBS   $1, R2
	BNE    loop
	RET

// func split3x8NEON(rows *[4]*byte, src *byte, n int)
TEXT ·split3x8NEON(SB), NOSPLIT, $0-24
	MOVD rows+0(FP), R3
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD3.P 48(R1), [V0.D2, V1.D2, V2.D2]
	VST1.P [V0.B16], 16(R4)
	VST1.P [V1.B16], 16(R5)
	VST1.P [V2.B16], 16(R6)
	SUBS   $1, R2
	BNE    loop
	RET

// func join3x8NEON(dst *byte, rows *[4]*byte, n int)
TEXT ·join3x8NEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R1
	MOVD rows+8(FP), R3
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD1.P 16(R4), [V0.B16]
	VLD1.P 16(R5), [V1.B16]
	VLD1.P 16(R6), [V2.B16]
	VST3.P [V0.D2, V1.D2, V2.D2], 48(R1)
	SUBS   $1, R2
	BNE    loop
	RET

// func split4x8NEON(rows *[4]*byte, src *byte, n int)
TEXT ·split4x8NEON(SB), NOSPLIT, $0-24
	MOVD rows+0(FP), R3
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD4.P 64(R1), [V0.D2, V1.D2, V2.D2, V3.D2]
	VST1.P [V0.B16], 16(R4)
	VST1.P [V1.B16], 16(R5)
	VST1.P [V2.B16], 16(R6)
	VST1.P [V3.B16], 16(R7)
	SUBS   $1, R2
	BNE    loop
	RET

// func join4x8NEON(dst *byte, rows *[4]*byte, n int)
TEXT ·join4x8NEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R1
	MOVD rows+8(FP), R3
	MOVD n+16(FP), R2
	ROWS

loop:
	VLD1.P 16(R4), [V0.B16]
	VLD1.P 16(R5), [V1.B16]
	VLD1.P 16(R6), [V2.B16]
	VLD1.P 16(R7), [V3.B16]
	VST4.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R1)
	SUBS   $1, R2
	BNE    loop
	RET

// func swap2NEON(b *byte, n int)
TEXT ·swap2NEON(SB), NOSPLIT, $0-16
	MOVD b+0(FP), R0
	MOVD n+8(FP), R1

loop:
	VLD1   (R0), [V0.B16]
	VREV16 V0.B16, V0.B16
	VST1.P [V0.B16], 16(R0)
	SUBS   $1, R1
	BNE    loop
	RET

// func swap4NEON(b *byte, n int)
TEXT ·swap4NEON(SB), NOSPLIT, $0-16
	MOVD b+0(FP), R0
	MOVD n+8(FP), R1

loop:
	VLD1   (R0), [V0.B16]
	VREV32 V0.B16, V0.B16
	VST1.P [V0.B16], 16(R0)
	SUBS   $1, R1
	BNE    loop
	RET

// func swap8NEON(b *byte, n int)
TEXT ·swap8NEON(SB), NOSPLIT, $0-16
	MOVD b+0(FP), R0
	MOVD n+8(FP), R1

loop:
	VLD1   (R0), [V0.B16]
	VREV64 V0.B16, V0.B16
	VST1.P [V0.B16], 16(R0)
	SUBS   $1, R1
	BNE    loop
	RET
