#include "textflag.h"

// ROW begins a kernel that undoes predictor 2: V5 has the sums that the last sixteen
// bytes end with, V6 where each byte finds its own.
#define ROW \
	MOVD row+0(FP), R0;          \
	MOVD n+8(FP), R1;            \
	MOVD last+16(FP), R2;        \
	VLD1 (R2), [V6.B16];         \
	VEOR V5.B16, V5.B16, V5.B16; \
	VEOR V7.B16, V7.B16, V7.B16

// SUM adds to the samples those that stand so many bytes before: from is 16 less that.
#define SUM(from, type) \
	VEXT from, V0.B16, V7.B16, V1.B16; \
	VADD V1.type, V0.type, V0.type

// CARRY adds the sums of the sixteen bytes before.
#define CARRY(type) \
	VTBL   V6.B16, [V5.B16], V5.B16;  \
	VADD   V0.type, V5.type, V5.type; \
	VST1.P [V5.B16], 16(R0);          \
	SUBS   $1, R1

// STRIDE begins a kernel that goes along a row with the pixel before.
#define STRIDE \
	MOVD n+8(FP), R1;      \
	MOVD stride+16(FP), R2

// func undelta1x1NEON(row *byte, n int, last *[16]byte)
TEXT ·undelta1x1NEON(SB), NOSPLIT, $0-24
	ROW

loop:
	VLD1 (R0), [V0.B16]
	SUM($15, B16)
	SUM($14, B16)
	SUM($12, B16)
	SUM($8, B16)
	CARRY(B16)
	BNE  loop
	RET

// func undelta2x1NEON(row *byte, n int, last *[16]byte)
TEXT ·undelta2x1NEON(SB), NOSPLIT, $0-24
	ROW

loop:
	VLD1 (R0), [V0.B16]
	SUM($14, B16)
	SUM($12, B16)
	SUM($8, B16)
	CARRY(B16)
	BNE  loop
	RET

// func undelta3x1NEON(row *byte, n int, last *[16]byte)
TEXT ·undelta3x1NEON(SB), NOSPLIT, $0-24
	ROW

loop:
	VLD1 (R0), [V0.B16]
	SUM($13, B16)
	SUM($10, B16)
	SUM($4, B16)
	CARRY(B16)
	BNE  loop
	RET

// func undelta4x1NEON(row *byte, n int, last *[16]byte)
TEXT ·undelta4x1NEON(SB), NOSPLIT, $0-24
	ROW

loop:
	VLD1 (R0), [V0.B16]
	SUM($12, B16)
	SUM($8, B16)
	CARRY(B16)
	BNE  loop
	RET

// func undelta1x2NEON(row *byte, n int, last *[16]byte)
TEXT ·undelta1x2NEON(SB), NOSPLIT, $0-24
	ROW

loop:
	VLD1 (R0), [V0.B16]
	SUM($14, H8)
	SUM($12, H8)
	SUM($8, H8)
	CARRY(H8)
	BNE  loop
	RET

// func undelta2x2NEON(row *byte, n int, last *[16]byte)
TEXT ·undelta2x2NEON(SB), NOSPLIT, $0-24
	ROW

loop:
	VLD1 (R0), [V0.B16]
	SUM($12, H8)
	SUM($8, H8)
	CARRY(H8)
	BNE  loop
	RET

// func undelta3x2NEON(row *byte, n int, last *[16]byte)
TEXT ·undelta3x2NEON(SB), NOSPLIT, $0-24
	ROW

loop:
	VLD1 (R0), [V0.B16]
	SUM($10, H8)
	SUM($4, H8)
	CARRY(H8)
	BNE  loop
	RET

// func undelta4x2NEON(row *byte, n int, last *[16]byte)
TEXT ·undelta4x2NEON(SB), NOSPLIT, $0-24
	ROW

loop:
	VLD1 (R0), [V0.B16]
	SUM($8, H8)
	CARRY(H8)
	BNE  loop
	RET

// func undelta1x4NEON(row *byte, n int, last *[16]byte)
TEXT ·undelta1x4NEON(SB), NOSPLIT, $0-24
	ROW

loop:
	VLD1 (R0), [V0.B16]
	SUM($12, S4)
	SUM($8, S4)
	CARRY(S4)
	BNE  loop
	RET

// func undelta2x4NEON(row *byte, n int, last *[16]byte)
TEXT ·undelta2x4NEON(SB), NOSPLIT, $0-24
	ROW

loop:
	VLD1 (R0), [V0.B16]
	SUM($8, S4)
	CARRY(S4)
	BNE  loop
	RET

// func undelta3x4NEON(row *byte, n int, last *[16]byte)
TEXT ·undelta3x4NEON(SB), NOSPLIT, $0-24
	ROW

loop:
	VLD1 (R0), [V0.B16]
	SUM($4, S4)
	CARRY(S4)
	BNE  loop
	RET

// func undelta1x8NEON(row *byte, n int, last *[16]byte)
TEXT ·undelta1x8NEON(SB), NOSPLIT, $0-24
	ROW

loop:
	VLD1 (R0), [V0.B16]
	SUM($8, D2)
	CARRY(D2)
	BNE  loop
	RET

// func undeltaWide1NEON(row *byte, n, stride int)
TEXT ·undeltaWide1NEON(SB), NOSPLIT, $0-24
	MOVD row+0(FP), R0
	STRIDE
	ADD  R0, R2, R3

loop:
	VLD1.P 16(R0), [V0.B16]
	VLD1   (R3), [V1.B16]
	VADD   V0.B16, V1.B16, V1.B16
	VST1.P [V1.B16], 16(R3)
	SUBS   $1, R1
	BNE    loop
	RET

// func undeltaWide2NEON(row *byte, n, stride int)
TEXT ·undeltaWide2NEON(SB), NOSPLIT, $0-24
	MOVD row+0(FP), R0
	STRIDE
	ADD  R0, R2, R3

loop:
	VLD1.P 16(R0), [V0.B16]
	VLD1   (R3), [V1.B16]
	VADD   V0.H8, V1.H8, V1.H8
	VST1.P [V1.B16], 16(R3)
	SUBS   $1, R1
	BNE    loop
	RET

// func undeltaWide4NEON(row *byte, n, stride int)
TEXT ·undeltaWide4NEON(SB), NOSPLIT, $0-24
	MOVD row+0(FP), R0
	STRIDE
	ADD  R0, R2, R3

loop:
	VLD1.P 16(R0), [V0.B16]
	VLD1   (R3), [V1.B16]
	VADD   V0.S4, V1.S4, V1.S4
	VST1.P [V1.B16], 16(R3)
	SUBS   $1, R1
	BNE    loop
	RET

// func undeltaWide8NEON(row *byte, n, stride int)
TEXT ·undeltaWide8NEON(SB), NOSPLIT, $0-24
	MOVD row+0(FP), R0
	STRIDE
	ADD  R0, R2, R3

loop:
	VLD1.P 16(R0), [V0.B16]
	VLD1   (R3), [V1.B16]
	VADD   V0.D2, V1.D2, V1.D2
	VST1.P [V1.B16], 16(R3)
	SUBS   $1, R1
	BNE    loop
	RET

// func delta1NEON(last *byte, n, stride int)
TEXT ·delta1NEON(SB), NOSPLIT, $0-24
	MOVD last+0(FP), R0
	STRIDE
	SUB  $15, R0
	SUB  R2, R0, R3

loop:
	VLD1 (R0), [V0.B16]
	VLD1 (R3), [V1.B16]
	VSUB V1.B16, V0.B16, V0.B16
	VST1 [V0.B16], (R0)
	SUB  $16, R0
	SUB  $16, R3
	SUBS $1, R1
	BNE  loop
	RET

// func delta2NEON(last *byte, n, stride int)
TEXT ·delta2NEON(SB), NOSPLIT, $0-24
	MOVD last+0(FP), R0
	STRIDE
	SUB  $15, R0
	SUB  R2, R0, R3

loop:
	VLD1 (R0), [V0.B16]
	VLD1 (R3), [V1.B16]
	VSUB V1.H8, V0.H8, V0.H8
	VST1 [V0.B16], (R0)
	SUB  $16, R0
	SUB  $16, R3
	SUBS $1, R1
	BNE  loop
	RET

// func delta4NEON(last *byte, n, stride int)
TEXT ·delta4NEON(SB), NOSPLIT, $0-24
	MOVD last+0(FP), R0
	STRIDE
	SUB  $15, R0
	SUB  R2, R0, R3

loop:
	VLD1 (R0), [V0.B16]
	VLD1 (R3), [V1.B16]
	VSUB V1.S4, V0.S4, V0.S4
	VST1 [V0.B16], (R0)
	SUB  $16, R0
	SUB  $16, R3
	SUBS $1, R1
	BNE  loop
	RET

// func delta8NEON(last *byte, n, stride int)
TEXT ·delta8NEON(SB), NOSPLIT, $0-24
	MOVD last+0(FP), R0
	STRIDE
	SUB  $15, R0
	SUB  R2, R0, R3

loop:
	VLD1 (R0), [V0.B16]
	VLD1 (R3), [V1.B16]
	VSUB V1.D2, V0.D2, V0.D2
	VST1 [V0.B16], (R0)
	SUB  $16, R0
	SUB  $16, R3
	SUBS $1, R1
	BNE  loop
	RET
