#include "textflag.h"

// The transform of inverseWide, whose products of sums are taken apart, so that
// 32 bits hold each of them. Go's assembler knows few of the instructions: these
// are made of their bits, of registers by their numbers.

// MUL multiplies words, and keeps the lower halves.
#define MUL(m, n, d) WORD $(0x4E609C00 | m<<16 | n<<5 | d)

// SMULL and SMLAL multiply words by a factor below, and add them up in double
// words: the first four, those with a 2 the last four.
#define SMULL(factor, n, d) WORD $(0x0F40A000 | factor | n<<5 | d)
#define SMULL2(factor, n, d) WORD $(0x4F40A000 | factor | n<<5 | d)
#define SMLAL(factor, n, d) WORD $(0x0F402000 | factor | n<<5 | d)
#define SMLAL2(factor, n, d) WORD $(0x4F402000 | factor | n<<5 | d)

// SSHLL makes double words of words, with thirteen bits of fraction.
#define SSHLL(n, d) WORD $(0x0F1DA400 | n<<5 | d)
#define SSHLL2(n, d) WORD $(0x4F1DA400 | n<<5 | d)

// SQSHRN makes words of double words, shifted and saturated. Its shift is 32 less
// what is given.
#define SQSHRN(shift, n, d) WORD $(0x0F009400 | shift<<16 | n<<5 | d)
#define SQSHRN2(shift, n, d) WORD $(0x4F009400 | shift<<16 | n<<5 | d)

// SAMPLES makes bytes of words, shifted by two and saturated.
#define SAMPLES(n, d) WORD $(0x0F0E9400 | n<<5 | d)
#define SAMPLES2(n, d) WORD $(0x4F0E9400 | n<<5 | d)

// The factors: sums of the constants of transform, named by what they are in
// thousandths. They are words of registers 14 and 15, as instructions name those.
#define c0541 (14<<16 | 0<<20 | 0<<21 | 0<<11)
#define c1306 (14<<16 | 1<<20 | 0<<21 | 0<<11)
#define cm1306 (14<<16 | 0<<20 | 1<<21 | 0<<11)
#define c1175 (14<<16 | 1<<20 | 1<<21 | 0<<11)
#define cm0785 (14<<16 | 0<<20 | 0<<21 | 1<<11)
#define c0785 (14<<16 | 1<<20 | 0<<21 | 1<<11)
#define cm0601 (14<<16 | 0<<20 | 1<<21 | 1<<11)
#define cm0899 (14<<16 | 1<<20 | 1<<21 | 1<<11)
#define cm0509 (15<<16 | 0<<20 | 0<<21 | 0<<11)
#define cm2562 (15<<16 | 1<<20 | 0<<21 | 0<<11)
#define c0509 (15<<16 | 0<<20 | 1<<21 | 0<<11)
#define c0601 (15<<16 | 1<<20 | 1<<21 | 0<<11)

DATA factors<>+0(SB)/8, $0x25a1d63029cf1151
DATA factors<>+8(SB)/8, $0xe333ecc11925e6dc
DATA factors<>+16(SB)/8, $0x133e1051adfdefb0
DATA factors<>+24(SB)/8, $0x0000000000000000
GLOBL factors<>(SB), RODATA|NOPTR, $32

// HALF transforms four of the eight columns in registers 16 to 23, with the sums
// and differences in 24 to 27 and what is added for rounding in R5.
#define HALF(smull, smlal, sshll, narrow, shift) \
	sshll(26, 30);              \
	sshll(27, 31);              \
	VDUP R5, V6.S4;             \
	VADD V6.S4, V30.S4, V30.S4; \
	VADD V6.S4, V31.S4, V31.S4; \
	smull(c1306, 18, 4);        \
	smlal(c0541, 22, 4);        \
	smull(c0541, 18, 5);        \
	smlal(cm1306, 22, 5);       \
	VADD V4.S4, V30.S4, V0.S4;  \
	VSUB V4.S4, V30.S4, V3.S4;  \
	VADD V5.S4, V31.S4, V1.S4;  \
	VSUB V5.S4, V31.S4, V2.S4;  \
	smull(cm0785, 24, 4);       \
	smlal(c1175, 25, 4);        \
	smull(c1175, 24, 5);        \
	smlal(c0785, 25, 5);        \
	VMOV V4.B16, V6.B16;        \
	VMOV V5.B16, V7.B16;        \
	smlal(cm0601, 23, 4);       \
	smlal(cm0899, 17, 4);       \
	smlal(cm0509, 21, 5);       \
	smlal(cm2562, 19, 5);       \
	smlal(c0509, 19, 6);        \
	smlal(cm2562, 21, 6);       \
	smlal(c0601, 17, 7);        \
	smlal(cm0899, 23, 7);       \
	VADD V7.S4, V0.S4, V30.S4;  \
	VSUB V7.S4, V0.S4, V31.S4;  \
	narrow(shift, 30, 8);       \
	narrow(shift, 31, 29);      \
	VADD V6.S4, V1.S4, V30.S4;  \
	VSUB V6.S4, V1.S4, V31.S4;  \
	narrow(shift, 30, 9);       \
	narrow(shift, 31, 28);      \
	VADD V5.S4, V2.S4, V30.S4;  \
	VSUB V5.S4, V2.S4, V31.S4;  \
	narrow(shift, 30, 10);      \
	narrow(shift, 31, 13);      \
	VADD V4.S4, V3.S4, V30.S4;  \
	VSUB V4.S4, V3.S4, V31.S4;  \
	narrow(shift, 30, 11);      \
	narrow(shift, 31, 12)

// PASS transforms the columns of registers 16 to 23 into 8 to 13, 28 and 29.
#define PASS(shift) \
	VADD V20.H8, V16.H8, V26.H8;                 \
	VSUB V20.H8, V16.H8, V27.H8;                 \
	VADD V19.H8, V23.H8, V24.H8;                 \
	VADD V17.H8, V21.H8, V25.H8;                 \
	HALF(SMULL, SMLAL, SSHLL, SQSHRN, shift);    \
	HALF(SMULL2, SMLAL2, SSHLL2, SQSHRN2, shift)

// MERGE takes the elements of a and b in turn. Go names the second source first.
#define MERGE(type, a, b, first, second) \
	VZIP1 b.type, a.type, first.type; \
	VZIP2 b.type, a.type, second.type

// MERGE8 does that with the registers of the first half and those of the second:
// after three times rows are columns.
#define MERGE8(a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7) \
	MERGE(H8, a0, a4, b0, b1); \
	MERGE(H8, a1, a5, b2, b3); \
	MERGE(H8, a2, a6, b4, b5); \
	MERGE(H8, a3, a7, b6, b7)

// MERGE4 is the same for bytes of two columns a register.
#define MERGE4(a0, a1, a2, a3, b0, b1, b2, b3) \
	MERGE(B16, a0, a2, b0, b1); \
	MERGE(B16, a1, a3, b2, b3)

// func inverseKernel(dst *byte, stride int, b *[64]int16, q *[64]uint16)
TEXT ·inverseKernel(SB), NOSPLIT, $0-32
	MOVD   dst+0(FP), R0
	MOVD   stride+8(FP), R1
	MOVD   b+16(FP), R2
	MOVD   q+24(FP), R3
	MOVD   $factors<>(SB), R4
	VLD1   (R4), [V14.H8, V15.H8]
	VLD1.P 64(R2), [V16.H8, V17.H8, V18.H8, V19.H8]
	VLD1   (R2), [V20.H8, V21.H8, V22.H8, V23.H8]
	VLD1.P 64(R3), [V0.H8, V1.H8, V2.H8, V3.H8]
	VLD1   (R3), [V4.H8, V5.H8, V6.H8, V7.H8]

	// Whether there is anything below the first row.
	VORR V17.B16, V18.B16, V24.B16
	VORR V19.B16, V20.B16, V25.B16
	VORR V21.B16, V22.B16, V26.B16
	VORR V23.B16, V24.B16, V24.B16
	VORR V25.B16, V26.B16, V25.B16
	VORR V24.B16, V25.B16, V24.B16
	VMOV V24.D[0], R6
	VMOV V24.D[1], R7
	ORR  R6, R7
	MUL(0, 16, 16)
	CBZ  R7, flat
	MUL(1, 17, 17)
	MUL(2, 18, 18)
	MUL(3, 19, 19)
	MUL(4, 20, 20)
	MUL(5, 21, 21)
	MUL(6, 22, 22)
	MUL(7, 23, 23)
	MOVD $1024, R5
	PASS(21)
	MERGE8(V8, V9, V10, V11, V12, V13, V28, V29, V0, V1, V2, V3, V4, V5, V6, V7)

rows:
	MERGE8(V0, V1, V2, V3, V4, V5, V6, V7, V24, V25, V26, V27, V28, V29, V30, V31)
	MERGE8(V24, V25, V26, V27, V28, V29, V30, V31, V16, V17, V18, V19, V20, V21, V22, V23)
	MOVD  $131072, R5
	PASS(16)
	SAMPLES(8, 0)
	SAMPLES2(9, 0)
	SAMPLES(10, 1)
	SAMPLES2(11, 1)
	SAMPLES(12, 2)
	SAMPLES2(13, 2)
	SAMPLES(28, 3)
	SAMPLES2(29, 3)
	VMOVI $0x80, V30.B16
	MERGE4(V0, V1, V2, V3, V4, V5, V6, V7)
	MERGE4(V4, V5, V6, V7, V0, V1, V2, V3)
	MERGE4(V0, V1, V2, V3, V4, V5, V6, V7)
	VEOR  V30.B16, V4.B16, V4.B16
	VEOR  V30.B16, V5.B16, V5.B16
	VEOR  V30.B16, V6.B16, V6.B16
	VEOR  V30.B16, V7.B16, V7.B16
	VST1  V4.D[0], (R0)
	ADD   R1, R0
	VST1  V4.D[1], (R0)
	ADD   R1, R0
	VST1  V5.D[0], (R0)
	ADD   R1, R0
	VST1  V5.D[1], (R0)
	ADD   R1, R0
	VST1  V6.D[0], (R0)
	ADD   R1, R0
	VST1  V6.D[1], (R0)
	ADD   R1, R0
	VST1  V7.D[0], (R0)
	ADD   R1, R0
	VST1  V7.D[1], (R0)
	RET

flat:
	// All rows are alike, and do not saturate; the first MERGE8 has been done.
	VSHL  $2, V16.H8, V0.H8
	VZIP2 V0.H8, V0.H8, V1.H8
	VZIP1 V0.H8, V0.H8, V0.H8
	VMOV  V0.B16, V2.B16
	VMOV  V1.B16, V3.B16
	VMOV  V0.B16, V4.B16
	VMOV  V1.B16, V5.B16
	VMOV  V0.B16, V6.B16
	VMOV  V1.B16, V7.B16
	B     rows
