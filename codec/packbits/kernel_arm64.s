#include "textflag.h"

// Go names the second source first.

// USHL shifts bytes to the left by those of another register, which may be
// negative. Go's assembler does not know it: registers are given by number.
#define USHL(by, n, d) WORD $(0x6E204400 | by<<16 | n<<5 | d)

// MERGE takes the bytes of a and b in turn.
#define MERGE(a, b, first, second) \
	VZIP1 b.B16, a.B16, first.B16; \
	VZIP2 b.B16, a.B16, second.B16

// DEAL puts the bytes of a and b in turn into even and odd.
#define DEAL(a, b, even, odd) \
	VUZP1 b.B16, a.B16, even.B16; \
	VUZP2 b.B16, a.B16, odd.B16

// NIBBLES makes two registers of the nibbles of V0, the lower ones first.
#define NIBBLES(first, second) \
	VAND  V31.B16, V0.B16, V1.B16; \
	VUSHR $4, V0.B16, V2.B16;      \
	MERGE(V1, V2, first, second)

// func unpack4Kernel(dst, src *byte, n int, table *[16]byte)
TEXT ·unpack4Kernel(SB), NOSPLIT, $0-32
	MOVD  dst+0(FP), R0
	MOVD  src+8(FP), R1
	MOVD  n+16(FP), R2
	MOVD  table+24(FP), R3
	VLD1  (R3), [V30.B16]
	VMOVI $15, V31.B16

loop:
	VLD1.P 16(R1), [V0.B16]
	NIBBLES(V3, V4)
	VTBL   V3.B16, [V30.B16], V3.B16
	VTBL   V4.B16, [V30.B16], V4.B16
	VST1.P [V3.B16, V4.B16], 32(R0)
	SUBS   $1, R2
	BNE    loop
	RET

// func unpack2Kernel(dst, src *byte, n int, tables *[2][16]byte)
TEXT ·unpack2Kernel(SB), NOSPLIT, $0-32
	MOVD  dst+0(FP), R0
	MOVD  src+8(FP), R1
	MOVD  n+16(FP), R2
	MOVD  tables+24(FP), R3
	VLD1  (R3), [V29.B16, V30.B16]
	VMOVI $15, V31.B16

loop:
	VLD1.P 16(R1), [V0.B16]
	NIBBLES(V3, V4)
	VTBL   V3.B16, [V29.B16], V5.B16
	VTBL   V3.B16, [V30.B16], V6.B16
	VTBL   V4.B16, [V29.B16], V7.B16
	VTBL   V4.B16, [V30.B16], V8.B16
	MERGE(V5, V6, V16, V17)
	MERGE(V7, V8, V18, V19)
	VST1.P [V16.B16, V17.B16, V18.B16, V19.B16], 64(R0)
	SUBS   $1, R2
	BNE    loop
	RET

// func pack4Kernel(dst, src *byte, n, first int)
TEXT ·pack4Kernel(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	MOVD first+24(FP), R3
	NEG  R3, R3
	VDUP R3, V31.B16

loop:
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	USHL(31, 0, 0)
	USHL(31, 1, 1)
	USHL(31, 2, 2)
	USHL(31, 3, 3)
	DEAL(V0, V1, V4, V6)
	DEAL(V2, V3, V5, V7)
	VSLI   $4, V6.B16, V4.B16                       // keeps the lower four bits of V4
	VSLI   $4, V7.B16, V5.B16
	VST1.P [V4.B16, V5.B16], 32(R0)
	SUBS   $1, R2
	BNE    loop
	RET

// func pack2Kernel(dst, src *byte, n, first int)
TEXT ·pack2Kernel(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	MOVD first+24(FP), R3
	LSL  $1, R2           // 64 scalars at a time
	NEG  R3, R3
	VDUP R3, V31.B16

loop:
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	USHL(31, 0, 0)
	USHL(31, 1, 1)
	USHL(31, 2, 2)
	USHL(31, 3, 3)
	DEAL(V0, V1, V4, V6)
	DEAL(V2, V3, V5, V7)
	DEAL(V4, V5, V0, V2)                            // scalars 0 and 2 of every byte
	DEAL(V6, V7, V1, V3)                            // 1 and 3
	VSLI   $2, V1.B16, V0.B16
	VSLI   $4, V2.B16, V0.B16
	VSLI   $6, V3.B16, V0.B16
	VST1.P [V0.B16], 16(R0)
	SUBS   $1, R2
	BNE    loop
	RET

// func packBoolsKernel(dst, src *byte, n int, weights uint64)
TEXT ·packBoolsKernel(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	MOVD weights+24(FP), R3
	VDUP R3, V31.D2

loop:
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	VCMTST V0.B16, V0.B16, V0.B16
	VCMTST V1.B16, V1.B16, V1.B16
	VCMTST V2.B16, V2.B16, V2.B16
	VCMTST V3.B16, V3.B16, V3.B16
	VAND   V31.B16, V0.B16, V0.B16
	VAND   V31.B16, V1.B16, V1.B16
	VAND   V31.B16, V2.B16, V2.B16
	VAND   V31.B16, V3.B16, V3.B16
	VADDP  V1.B16, V0.B16, V0.B16
	VADDP  V3.B16, V2.B16, V2.B16
	VADDP  V2.B16, V0.B16, V0.B16
	VADDP  V0.B16, V0.B16, V0.B16
	VST1.P [V0.B8], 8(R0)
	SUBS   $1, R2
	BNE    loop
	RET

// func unpackBoolsKernel(dst, src *byte, n int, weights uint64)
TEXT ·unpackBoolsKernel(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	MOVD weights+24(FP), R3
	VDUP R3, V31.D2

loop:
	VLD1.P 8(R1), [V0.B8]
	VZIP1  V0.B16, V0.B16, V0.B16                   // every byte twice, four times, eight times
	MERGE(V0, V0, V1, V2)
	MERGE(V1, V1, V4, V5)
	MERGE(V2, V2, V6, V7)
	VCMTST V31.B16, V4.B16, V4.B16
	VCMTST V31.B16, V5.B16, V5.B16
	VCMTST V31.B16, V6.B16, V6.B16
	VCMTST V31.B16, V7.B16, V7.B16
	VUSHR  $7, V4.B16, V4.B16
	VUSHR  $7, V5.B16, V5.B16
	VUSHR  $7, V6.B16, V6.B16
	VUSHR  $7, V7.B16, V7.B16
	VST1.P [V4.B16, V5.B16, V6.B16, V7.B16], 64(R0)
	SUBS   $1, R2
	BNE    loop
	RET
