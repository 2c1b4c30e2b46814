#include "textflag.h"

// Bytes of two elements of eight, in pairs.
DATA pairs<>+0(SB)/8, $0x0b030a0209010800
DATA pairs<>+8(SB)/8, $0x0f070e060d050c04
DATA pairs<>+16(SB)/8, $0x0b030a0209010800
DATA pairs<>+24(SB)/8, $0x0f070e060d050c04
GLOBL pairs<>(SB), RODATA|NOPTR, $32

// Bytes of four elements of four, in fours.
DATA fours<>+0(SB)/8, $0x0d0905010c080400
DATA fours<>+8(SB)/8, $0x0f0b07030e0a0602
DATA fours<>+16(SB)/8, $0x0d0905010c080400
DATA fours<>+24(SB)/8, $0x0f0b07030e0a0602
GLOBL fours<>(SB), RODATA|NOPTR, $32

// The order that takes four bytes from each half in turn.
DATA halves<>+0(SB)/8, $0x0000000400000000
DATA halves<>+8(SB)/8, $0x0000000500000001
DATA halves<>+16(SB)/8, $0x0000000600000002
DATA halves<>+24(SB)/8, $0x0000000700000003
GLOBL halves<>(SB), RODATA|NOPTR, $32

DATA nibbles<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA nibbles<>+8(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA nibbles<>+16(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA nibbles<>+24(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL nibbles<>(SB), RODATA|NOPTR, $32

DATA twos<>+0(SB)/8, $0x3333333333333333
DATA twos<>+8(SB)/8, $0x3333333333333333
DATA twos<>+16(SB)/8, $0x3333333333333333
DATA twos<>+24(SB)/8, $0x3333333333333333
GLOBL twos<>(SB), RODATA|NOPTR, $32

DATA ones<>+0(SB)/8, $0x5555555555555555
DATA ones<>+8(SB)/8, $0x5555555555555555
DATA ones<>+16(SB)/8, $0x5555555555555555
DATA ones<>+24(SB)/8, $0x5555555555555555
GLOBL ones<>(SB), RODATA|NOPTR, $32

// LOAD256 loads sixteen bytes from each of two places 128 bytes apart, and puts
// the bytes of their pairs of eight together.
#define LOAD256(off, x, y) \
	VMOVDQU     off(SI), x; \
	VINSERTI128 $1, 128+off(SI), y, y; \
	VPSHUFB     pairs<>(SB), y, y

// COLUMNS makes Y8 to Y15 of the columns of 16-bit words of Y0 to Y7.
#define COLUMNS \
	VPUNPCKLWD  Y1, Y0, Y8; \
	VPUNPCKHWD  Y1, Y0, Y9; \
	VPUNPCKLWD  Y3, Y2, Y10; \
	VPUNPCKHWD  Y3, Y2, Y11; \
	VPUNPCKLWD  Y5, Y4, Y12; \
	VPUNPCKHWD  Y5, Y4, Y13; \
	VPUNPCKLWD  Y7, Y6, Y14; \
	VPUNPCKHWD  Y7, Y6, Y15; \
	VPUNPCKLDQ  Y10, Y8, Y0; \
	VPUNPCKHDQ  Y10, Y8, Y1; \
	VPUNPCKLDQ  Y11, Y9, Y2; \
	VPUNPCKHDQ  Y11, Y9, Y3; \
	VPUNPCKLDQ  Y14, Y12, Y4; \
	VPUNPCKHDQ  Y14, Y12, Y5; \
	VPUNPCKLDQ  Y15, Y13, Y6; \
	VPUNPCKHDQ  Y15, Y13, Y7; \
	VPUNPCKLQDQ Y4, Y0, Y8; \
	VPUNPCKHQDQ Y4, Y0, Y9; \
	VPUNPCKLQDQ Y5, Y1, Y10; \
	VPUNPCKHQDQ Y5, Y1, Y11; \
	VPUNPCKLQDQ Y6, Y2, Y12; \
	VPUNPCKHQDQ Y6, Y2, Y13; \
	VPUNPCKLQDQ Y7, Y3, Y14; \
	VPUNPCKHQDQ Y7, Y3, Y15

// ELEMENTS makes elements of eight bytes in Y8 to Y15 of their bytes in Y0 to Y7,
// two in each half of a register: 0 and 1 beside 16 and 17, and so on.
#define ELEMENTS \
	VPUNPCKLBW  Y1, Y0, Y8; \
	VPUNPCKHBW  Y1, Y0, Y9; \
	VPUNPCKLBW  Y3, Y2, Y10; \
	VPUNPCKHBW  Y3, Y2, Y11; \
	VPUNPCKLBW  Y5, Y4, Y12; \
	VPUNPCKHBW  Y5, Y4, Y13; \
	VPUNPCKLBW  Y7, Y6, Y14; \
	VPUNPCKHBW  Y7, Y6, Y15; \
	VPUNPCKLWD  Y10, Y8, Y0; \
	VPUNPCKHWD  Y10, Y8, Y1; \
	VPUNPCKLWD  Y11, Y9, Y2; \
	VPUNPCKHWD  Y11, Y9, Y3; \
	VPUNPCKLWD  Y14, Y12, Y4; \
	VPUNPCKHWD  Y14, Y12, Y5; \
	VPUNPCKLWD  Y15, Y13, Y6; \
	VPUNPCKHWD  Y15, Y13, Y7; \
	VPUNPCKLDQ  Y4, Y0, Y8; \
	VPUNPCKHDQ  Y4, Y0, Y9; \
	VPUNPCKLDQ  Y5, Y1, Y10; \
	VPUNPCKHDQ  Y5, Y1, Y11; \
	VPUNPCKLDQ  Y6, Y2, Y12; \
	VPUNPCKHDQ  Y6, Y2, Y13; \
	VPUNPCKLDQ  Y7, Y3, Y14; \
	VPUNPCKHDQ  Y7, Y3, Y15

// SWAP exchanges the upper bits of a with the lower ones of b.
#define SWAP(shift, mask, a, b, t) \
	VPSRLW shift, a, t; \
	VPXOR  b, t, t; \
	VPAND  mask<>(SB), t, t; \
	VPXOR  t, b, b; \
	VPSLLW shift, t, t; \
	VPXOR  t, a, a

// BITS exchanges bit i of the j-th register with bit j of the i-th, byte by byte.
#define BITS(a, b, c, d, e, f, g, h, t, u, v, w) \
	SWAP($4, nibbles, a, e, t); \
	SWAP($4, nibbles, b, f, u); \
	SWAP($4, nibbles, c, g, v); \
	SWAP($4, nibbles, d, h, w); \
	SWAP($2, twos, a, c, t); \
	SWAP($2, twos, b, d, u); \
	SWAP($2, twos, e, g, v); \
	SWAP($2, twos, f, h, w); \
	SWAP($1, ones, a, b, t); \
	SWAP($1, ones, c, d, u); \
	SWAP($1, ones, e, f, v); \
	SWAP($1, ones, g, h, w)

// ROWS prepares the places of eight rows from a base and R8, their distance.
#define ROWS(base) \
	LEAQ (R8)(R8*2), R9; \
	LEAQ (base)(R8*4), R10

// func split2Kernel(dst, src *byte, n, stride int)
TEXT ·split2Kernel(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ stride+24(FP), R8
	VPCMPEQB Y6, Y6, Y6
	VPSRLW   $8, Y6, Y6

loop:
	VMOVDQU   (SI), Y0
	VMOVDQU   32(SI), Y1
	VPAND     Y6, Y0, Y2
	VPAND     Y6, Y1, Y3
	VPSRLW    $8, Y0, Y0
	VPSRLW    $8, Y1, Y1
	VPACKUSWB Y3, Y2, Y2
	VPACKUSWB Y1, Y0, Y0
	VPERMQ    $0xd8, Y2, Y2
	VPERMQ    $0xd8, Y0, Y0
	VMOVDQU   Y2, (DI)
	VMOVDQU   Y0, (DI)(R8*1)
	ADDQ      $64, SI
	ADDQ      $32, DI
	DECQ      CX
	JNZ       loop
	VZEROUPPER
	RET

// func split4Kernel(dst, src *byte, n, stride int)
TEXT ·split4Kernel(SB), NOSPLIT, $0-32
	MOVQ    dst+0(FP), DI
	MOVQ    src+8(FP), SI
	MOVQ    n+16(FP), CX
	MOVQ    stride+24(FP), R8
	LEAQ    (R8)(R8*2), R9
	VMOVDQU fours<>(SB), Y14
	VMOVDQU halves<>(SB), Y15

loop:
	VMOVDQU     (SI), Y0
	VMOVDQU     32(SI), Y1
	VMOVDQU     64(SI), Y2
	VMOVDQU     96(SI), Y3
	VPSHUFB     Y14, Y0, Y0
	VPSHUFB     Y14, Y1, Y1
	VPSHUFB     Y14, Y2, Y2
	VPSHUFB     Y14, Y3, Y3
	VPUNPCKLDQ  Y1, Y0, Y4
	VPUNPCKHDQ  Y1, Y0, Y5
	VPUNPCKLDQ  Y3, Y2, Y6
	VPUNPCKHDQ  Y3, Y2, Y7
	VPUNPCKLQDQ Y6, Y4, Y0
	VPUNPCKHQDQ Y6, Y4, Y1
	VPUNPCKLQDQ Y7, Y5, Y2
	VPUNPCKHQDQ Y7, Y5, Y3
	VPERMD      Y0, Y15, Y0
	VPERMD      Y1, Y15, Y1
	VPERMD      Y2, Y15, Y2
	VPERMD      Y3, Y15, Y3
	VMOVDQU     Y0, (DI)
	VMOVDQU     Y1, (DI)(R8*1)
	VMOVDQU     Y2, (DI)(R8*2)
	VMOVDQU     Y3, (DI)(R9*1)
	ADDQ        $128, SI
	ADDQ        $32, DI
	DECQ        CX
	JNZ         loop
	VZEROUPPER
	RET

// func split8Kernel(dst, src *byte, n, stride int)
TEXT ·split8Kernel(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ stride+24(FP), R8
	ROWS(DI)

loop:
	LOAD256(0, X0, Y0)
	LOAD256(16, X1, Y1)
	LOAD256(32, X2, Y2)
	LOAD256(48, X3, Y3)
	LOAD256(64, X4, Y4)
	LOAD256(80, X5, Y5)
	LOAD256(96, X6, Y6)
	LOAD256(112, X7, Y7)
	COLUMNS
	VMOVDQU Y8, (DI)
	VMOVDQU Y9, (DI)(R8*1)
	VMOVDQU Y10, (DI)(R8*2)
	VMOVDQU Y11, (DI)(R9*1)
	VMOVDQU Y12, (R10)
	VMOVDQU Y13, (R10)(R8*1)
	VMOVDQU Y14, (R10)(R8*2)
	VMOVDQU Y15, (R10)(R9*1)
	ADDQ    $256, SI
	ADDQ    $32, DI
	ADDQ    $32, R10
	DECQ    CX
	JNZ     loop
	VZEROUPPER
	RET

// LOAD2 loads two elements of sixteen bytes, their lower halves in the lower half
// of the register, and puts the bytes of pairs together.
#define LOAD2(off, y) \
	VPERMQ  $0xd8, off(SI), y; \
	VPSHUFB pairs<>(SB), y, y

// func split16Kernel(dst, src *byte, n, stride int)
TEXT ·split16Kernel(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ stride+24(FP), R8
	ROWS(DI)
	LEAQ (R10)(R8*4), R11
	LEAQ (R11)(R8*4), R12

loop:
	LOAD2(0, Y0)
	LOAD2(32, Y1)
	LOAD2(64, Y2)
	LOAD2(96, Y3)
	LOAD2(128, Y4)
	LOAD2(160, Y5)
	LOAD2(192, Y6)
	LOAD2(224, Y7)
	COLUMNS
	VMOVDQU      X8, (DI)
	VMOVDQU      X9, (DI)(R8*1)
	VMOVDQU      X10, (DI)(R8*2)
	VMOVDQU      X11, (DI)(R9*1)
	VMOVDQU      X12, (R10)
	VMOVDQU      X13, (R10)(R8*1)
	VMOVDQU      X14, (R10)(R8*2)
	VMOVDQU      X15, (R10)(R9*1)
	VEXTRACTI128 $1, Y8, (R11)
	VEXTRACTI128 $1, Y9, (R11)(R8*1)
	VEXTRACTI128 $1, Y10, (R11)(R8*2)
	VEXTRACTI128 $1, Y11, (R11)(R9*1)
	VEXTRACTI128 $1, Y12, (R12)
	VEXTRACTI128 $1, Y13, (R12)(R8*1)
	VEXTRACTI128 $1, Y14, (R12)(R8*2)
	VEXTRACTI128 $1, Y15, (R12)(R9*1)
	ADDQ         $256, SI
	ADDQ         $16, DI
	ADDQ         $16, R10
	ADDQ         $16, R11
	ADDQ         $16, R12
	DECQ         CX
	JNZ          loop
	VZEROUPPER
	RET

// func join2Kernel(dst *byte, rows *[16]*byte, n int)
TEXT ·join2Kernel(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ rows+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ (SI), R8
	MOVQ 8(SI), R9
	XORQ AX, AX

loop:
	VMOVDQU    (R8)(AX*1), Y0
	VMOVDQU    (R9)(AX*1), Y1
	VPUNPCKLBW Y1, Y0, Y2
	VPUNPCKHBW Y1, Y0, Y3
	VPERM2I128 $0x20, Y3, Y2, Y0
	VPERM2I128 $0x31, Y3, Y2, Y1
	VMOVDQU    Y0, (DI)
	VMOVDQU    Y1, 32(DI)
	ADDQ       $32, AX
	ADDQ       $64, DI
	DECQ       CX
	JNZ        loop
	VZEROUPPER
	RET

// func join4Kernel(dst *byte, rows *[16]*byte, n int)
TEXT ·join4Kernel(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ rows+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ (SI), R8
	MOVQ 8(SI), R9
	MOVQ 16(SI), R10
	MOVQ 24(SI), R11
	XORQ AX, AX

loop:
	VMOVDQU    (R8)(AX*1), Y0
	VMOVDQU    (R9)(AX*1), Y1
	VMOVDQU    (R10)(AX*1), Y2
	VMOVDQU    (R11)(AX*1), Y3
	VPUNPCKLBW Y1, Y0, Y4
	VPUNPCKHBW Y1, Y0, Y5
	VPUNPCKLBW Y3, Y2, Y6
	VPUNPCKHBW Y3, Y2, Y7
	VPUNPCKLWD Y6, Y4, Y0
	VPUNPCKHWD Y6, Y4, Y1
	VPUNPCKLWD Y7, Y5, Y2
	VPUNPCKHWD Y7, Y5, Y3
	VPERM2I128 $0x20, Y1, Y0, Y4
	VPERM2I128 $0x20, Y3, Y2, Y5
	VPERM2I128 $0x31, Y1, Y0, Y6
	VPERM2I128 $0x31, Y3, Y2, Y7
	VMOVDQU    Y4, (DI)
	VMOVDQU    Y5, 32(DI)
	VMOVDQU    Y6, 64(DI)
	VMOVDQU    Y7, 96(DI)
	ADDQ       $32, AX
	ADDQ       $128, DI
	DECQ       CX
	JNZ        loop
	VZEROUPPER
	RET

// STORE256 stores the halves of a register 128 bytes apart.
#define STORE256(off, x, y) \
	VMOVDQU      x, off(DI); \
	VEXTRACTI128 $1, y, 128+off(DI)

// ROW loads 32 bytes of a row in the table.
#define ROW(k, y) \
	MOVQ    8*k(SI), DX; \
	VMOVDQU (DX)(AX*1), y

// func join8Kernel(dst *byte, rows *[16]*byte, n int)
TEXT ·join8Kernel(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ rows+8(FP), SI
	MOVQ n+16(FP), CX
	XORQ AX, AX

loop:
	ROW(0, Y0)
	ROW(1, Y1)
	ROW(2, Y2)
	ROW(3, Y3)
	ROW(4, Y4)
	ROW(5, Y5)
	ROW(6, Y6)
	ROW(7, Y7)
	ELEMENTS
	STORE256(0, X8, Y8)
	STORE256(16, X9, Y9)
	STORE256(32, X10, Y10)
	STORE256(48, X11, Y11)
	STORE256(64, X12, Y12)
	STORE256(80, X13, Y13)
	STORE256(96, X14, Y14)
	STORE256(112, X15, Y15)
	ADDQ $32, AX
	ADDQ $256, DI
	DECQ CX
	JNZ  loop
	VZEROUPPER
	RET

// ROWPAIR loads sixteen bytes of a row and of the eighth one after it.
#define ROWPAIR(k, x, y) \
	MOVQ        8*k(SI), DX; \
	MOVQ        64+8*k(SI), BX; \
	VMOVDQU     (DX)(AX*1), x; \
	VINSERTI128 $1, (BX)(AX*1), y, y

// STORE2 stores two elements of sixteen bytes.
#define STORE2(off, y) \
	VPERMQ  $0xd8, y, y; \
	VMOVDQU y, off(DI)

// func join16Kernel(dst *byte, rows *[16]*byte, n int)
TEXT ·join16Kernel(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ rows+8(FP), SI
	MOVQ n+16(FP), CX
	XORQ AX, AX

loop:
	ROWPAIR(0, X0, Y0)
	ROWPAIR(1, X1, Y1)
	ROWPAIR(2, X2, Y2)
	ROWPAIR(3, X3, Y3)
	ROWPAIR(4, X4, Y4)
	ROWPAIR(5, X5, Y5)
	ROWPAIR(6, X6, Y6)
	ROWPAIR(7, X7, Y7)
	ELEMENTS
	STORE2(0, Y8)
	STORE2(32, Y9)
	STORE2(64, Y10)
	STORE2(96, Y11)
	STORE2(128, Y12)
	STORE2(160, Y13)
	STORE2(192, Y14)
	STORE2(224, Y15)
	ADDQ $16, AX
	ADDQ $256, DI
	DECQ CX
	JNZ  loop
	VZEROUPPER
	RET

// func toRowsKernel(dst, src *byte, n, stride int)
TEXT ·toRowsKernel(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ stride+24(FP), R8
	ROWS(DI)

loop:
	LOAD256(0, X0, Y0)
	LOAD256(16, X1, Y1)
	LOAD256(32, X2, Y2)
	LOAD256(48, X3, Y3)
	LOAD256(64, X4, Y4)
	LOAD256(80, X5, Y5)
	LOAD256(96, X6, Y6)
	LOAD256(112, X7, Y7)
	COLUMNS
	BITS(Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15, Y0, Y1, Y2, Y3)
	VMOVDQU Y8, (DI)
	VMOVDQU Y9, (DI)(R8*1)
	VMOVDQU Y10, (DI)(R8*2)
	VMOVDQU Y11, (DI)(R9*1)
	VMOVDQU Y12, (R10)
	VMOVDQU Y13, (R10)(R8*1)
	VMOVDQU Y14, (R10)(R8*2)
	VMOVDQU Y15, (R10)(R9*1)
	ADDQ    $256, SI
	ADDQ    $32, DI
	ADDQ    $32, R10
	DECQ    CX
	JNZ     loop
	VZEROUPPER
	RET

// func fromRowsKernel(dst, src *byte, n, stride int)
TEXT ·fromRowsKernel(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ stride+24(FP), R8
	ROWS(SI)

loop:
	VMOVDQU (SI), Y0
	VMOVDQU (SI)(R8*1), Y1
	VMOVDQU (SI)(R8*2), Y2
	VMOVDQU (SI)(R9*1), Y3
	VMOVDQU (R10), Y4
	VMOVDQU (R10)(R8*1), Y5
	VMOVDQU (R10)(R8*2), Y6
	VMOVDQU (R10)(R9*1), Y7
	BITS(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11)
	ELEMENTS
	STORE256(0, X8, Y8)
	STORE256(16, X9, Y9)
	STORE256(32, X10, Y10)
	STORE256(48, X11, Y11)
	STORE256(64, X12, Y12)
	STORE256(80, X13, Y13)
	STORE256(96, X14, Y14)
	STORE256(112, X15, Y15)
	ADDQ    $32, SI
	ADDQ    $32, R10
	ADDQ    $256, DI
	DECQ    CX
	JNZ     loop
	VZEROUPPER
	RET
