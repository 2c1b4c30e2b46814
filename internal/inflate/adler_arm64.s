#include "textflag.h"

// STEP adds what was summed up so far to the sums of V18 and V19, and sixteen
// bytes to V16 and V17.
#define STEP(bytes) \
	VADD    V16.H8, V18.H8, V18.H8    \
	VADD    V17.H8, V19.H8, V19.H8    \
	VUADDW  bytes.B8, V16.H8, V16.H8  \
	VUADDW2 bytes.B16, V17.H8, V17.H8

// WIDEN adds two registers of lanes of 16 bits to four of 32.
#define WIDEN(low, high, a, b, c, d) \
	VUADDW  low.H4, a.S4, a.S4  \
	VUADDW2 low.H8, b.S4, b.S4  \
	VUADDW  high.H4, c.S4, c.S4 \
	VUADDW2 high.H8, d.S4, d.S4

#define ZERO(a, b, c, d) \
	VMOVI $0, a.B16 \
	VMOVI $0, b.B16 \
	VMOVI $0, c.B16 \
	VMOVI $0, d.B16

// func adlerNEON(p *byte, n int, sums *adlerSums)
//
// V16, V17  bytes of this block, by place in a step
// V18, V19  of those before each step
// V20..V23  bytes of all blocks, by place
// V24..V27  of those before each block
// V28..V31  of V18 and V19 of all blocks
TEXT ·adlerNEON(SB), NOSPLIT, $0-24
	MOVD p+0(FP), R0
	MOVD n+8(FP), R1
	MOVD sums+16(FP), R2
	ZERO(V20, V21, V22, V23)
	ZERO(V24, V25, V26, V27)
	ZERO(V28, V29, V30, V31)

block:
	MOVD $5, R3
	ZERO(V16, V17, V18, V19)
	VADD V20.S4, V24.S4, V24.S4
	VADD V21.S4, V25.S4, V25.S4
	VADD V22.S4, V26.S4, V26.S4
	VADD V23.S4, V27.S4, V27.S4

steps:
	VLD1.P 64(R0), [V0.B16, V1.B16, V2.B16, V3.B16]
	STEP(V0)
	STEP(V1)
	STEP(V2)
	STEP(V3)
	SUBS   $1, R3
	BNE    steps
	WIDEN(V16, V17, V20, V21, V22, V23)
	WIDEN(V18, V19, V28, V29, V30, V31)
	SUBS   $1, R1
	BNE    block
	VST1.P [V20.S4, V21.S4, V22.S4, V23.S4], 64(R2)
	VST1.P [V24.S4, V25.S4, V26.S4, V27.S4], 64(R2)
	VST1   [V28.S4, V29.S4, V30.S4, V31.S4], (R2)
	RET
