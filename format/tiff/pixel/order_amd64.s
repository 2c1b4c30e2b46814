#include "textflag.h"

// The order that takes four bytes from each half in turn, and that which undoes it.
DATA halves<>+0(SB)/8, $0x0000000400000000
DATA halves<>+8(SB)/8, $0x0000000500000001
DATA halves<>+16(SB)/8, $0x0000000600000002
DATA halves<>+24(SB)/8, $0x0000000700000003
GLOBL halves<>(SB), RODATA|NOPTR, $32

DATA turns<>+0(SB)/8, $0x0000000200000000
DATA turns<>+8(SB)/8, $0x0000000600000004
DATA turns<>+16(SB)/8, $0x0000000300000001
DATA turns<>+24(SB)/8, $0x0000000700000005
GLOBL turns<>(SB), RODATA|NOPTR, $32

// WINDOWS makes a register with eight values of four bytes each of the bytes at SI,
// and goes on to those behind.
#define WINDOWS(x, y) \
	VMOVDQU     (SI), x; \
	VINSERTI128 $1, (SI)(R8*1), y, y; \
	VPSHUFB     Y8, y, y; \
	VPSLLVD     Y9, y, y; \
	VPSRLD      X10, y, y; \
	ADDQ        R9, SI

#define UNPACK \
	MOVQ    dst+0(FP), DI; \
	MOVQ    src+8(FP), SI; \
	MOVQ    n+16(FP), CX; \
	MOVQ    bits+24(FP), R9; \
	MOVQ    w+32(FP), AX; \
	VMOVDQU (AX), Y8; \
	VMOVDQU 32(AX), Y9; \
	MOVQ    R9, R8; \
	SHRQ    $1, R8; \
	MOVQ    $32, DX; \
	SUBQ    R9, DX; \
	VMOVQ   DX, X10

// func split2AVX2(a, b, src *byte, n int, m *order)
TEXT ·split2AVX2(SB), NOSPLIT, $0-40
	MOVQ           a+0(FP), R8
	MOVQ           b+8(FP), R9
	MOVQ           src+16(FP), SI
	MOVQ           n+24(FP), CX
	MOVQ           m+32(FP), AX
	VBROADCASTI128 (AX), Y7

loop:
	VMOVDQU     (SI), Y0
	VMOVDQU     32(SI), Y1
	VPSHUFB     Y7, Y0, Y0
	VPSHUFB     Y7, Y1, Y1
	VPUNPCKLQDQ Y1, Y0, Y2
	VPUNPCKHQDQ Y1, Y0, Y3
	VPERMQ      $0xd8, Y2, Y2
	VPERMQ      $0xd8, Y3, Y3
	VMOVDQU     Y2, (R8)
	VMOVDQU     Y3, (R9)
	ADDQ        $64, SI
	ADDQ        $32, R8
	ADDQ        $32, R9
	DECQ        CX
	JNZ         loop
	VZEROUPPER
	RET

// func join2AVX2(dst, a, b *byte, n int, m *order)
TEXT ·join2AVX2(SB), NOSPLIT, $0-40
	MOVQ           dst+0(FP), DI
	MOVQ           a+8(FP), R8
	MOVQ           b+16(FP), R9
	MOVQ           n+24(FP), CX
	MOVQ           m+32(FP), AX
	VBROADCASTI128 (AX), Y7

loop:
	VPERMQ      $0xd8, (R8), Y0
	VPERMQ      $0xd8, (R9), Y1
	VPUNPCKLQDQ Y1, Y0, Y2
	VPUNPCKHQDQ Y1, Y0, Y3
	VPSHUFB     Y7, Y2, Y2
	VPSHUFB     Y7, Y3, Y3
	VMOVDQU     Y2, (DI)
	VMOVDQU     Y3, 32(DI)
	ADDQ        $64, DI
	ADDQ        $32, R8
	ADDQ        $32, R9
	DECQ        CX
	JNZ         loop
	VZEROUPPER
	RET

// MASKS loads the members of threes.
#define MASKS \
	VBROADCASTI128 (AX), Y8; \
	VBROADCASTI128 16(AX), Y9; \
	VBROADCASTI128 32(AX), Y10; \
	VBROADCASTI128 48(AX), Y11; \
	VBROADCASTI128 64(AX), Y12

// BLEND makes Y3 to Y5 of Y0 to Y2, each of all three.
#define BLEND \
	VPBLENDVB Y8, Y1, Y0, Y3; \
	VPBLENDVB Y8, Y2, Y1, Y4; \
	VPBLENDVB Y8, Y0, Y2, Y5; \
	VPBLENDVB Y9, Y2, Y3, Y3; \
	VPBLENDVB Y9, Y0, Y4, Y4; \
	VPBLENDVB Y9, Y1, Y5, Y5

// func split3AVX2(a, b, c, src *byte, n int, m *threes)
TEXT ·split3AVX2(SB), NOSPLIT, $0-48
	MOVQ a+0(FP), R8
	MOVQ b+8(FP), R9
	MOVQ c+16(FP), R10
	MOVQ src+24(FP), SI
	MOVQ n+32(FP), CX
	MOVQ m+40(FP), AX
	MASKS

loop:
	VMOVDQU     (SI), X0
	VMOVDQU     16(SI), X1
	VMOVDQU     32(SI), X2
	VINSERTI128 $1, 48(SI), Y0, Y0
	VINSERTI128 $1, 64(SI), Y1, Y1
	VINSERTI128 $1, 80(SI), Y2, Y2
	BLEND
	VPSHUFB     Y10, Y3, Y3
	VPSHUFB     Y11, Y4, Y4
	VPSHUFB     Y12, Y5, Y5
	VMOVDQU     Y3, (R8)
	VMOVDQU     Y4, (R9)
	VMOVDQU     Y5, (R10)
	ADDQ        $96, SI
	ADDQ        $32, R8
	ADDQ        $32, R9
	ADDQ        $32, R10
	DECQ        CX
	JNZ         loop
	VZEROUPPER
	RET

// func join3AVX2(dst, a, b, c *byte, n int, m *threes)
TEXT ·join3AVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), R8
	MOVQ b+16(FP), R9
	MOVQ c+24(FP), R10
	MOVQ n+32(FP), CX
	MOVQ m+40(FP), AX
	MASKS

loop:
	VMOVDQU      (R8), Y0
	VMOVDQU      (R9), Y1
	VMOVDQU      (R10), Y2
	VPSHUFB      Y10, Y0, Y0
	VPSHUFB      Y11, Y1, Y1
	VPSHUFB      Y12, Y2, Y2
	BLEND
	VMOVDQU      X3, (DI)
	VMOVDQU      X4, 16(DI)
	VMOVDQU      X5, 32(DI)
	VEXTRACTI128 $1, Y3, 48(DI)
	VEXTRACTI128 $1, Y4, 64(DI)
	VEXTRACTI128 $1, Y5, 80(DI)
	ADDQ         $96, DI
	ADDQ         $32, R8
	ADDQ         $32, R9
	ADDQ         $32, R10
	DECQ         CX
	JNZ          loop
	VZEROUPPER
	RET

// SQUARE makes Y0 to Y3 of the columns of four bytes of Y0 to Y3, in each half.
#define SQUARE \
	VPUNPCKLDQ  Y1, Y0, Y4; \
	VPUNPCKHDQ  Y1, Y0, Y5; \
	VPUNPCKLDQ  Y3, Y2, Y6; \
	VPUNPCKHDQ  Y3, Y2, Y7; \
	VPUNPCKLQDQ Y6, Y4, Y0; \
	VPUNPCKHQDQ Y6, Y4, Y1; \
	VPUNPCKLQDQ Y7, Y5, Y2; \
	VPUNPCKHQDQ Y7, Y5, Y3

// func split4AVX2(a, b, c, d, src *byte, n int, m *order)
TEXT ·split4AVX2(SB), NOSPLIT, $0-56
	MOVQ           a+0(FP), R8
	MOVQ           b+8(FP), R9
	MOVQ           c+16(FP), R10
	MOVQ           d+24(FP), R11
	MOVQ           src+32(FP), SI
	MOVQ           n+40(FP), CX
	MOVQ           m+48(FP), AX
	VBROADCASTI128 (AX), Y8
	VMOVDQU        halves<>(SB), Y9

loop:
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	VMOVDQU 64(SI), Y2
	VMOVDQU 96(SI), Y3
	VPSHUFB Y8, Y0, Y0
	VPSHUFB Y8, Y1, Y1
	VPSHUFB Y8, Y2, Y2
	VPSHUFB Y8, Y3, Y3
	SQUARE
	VPERMD  Y0, Y9, Y0
	VPERMD  Y1, Y9, Y1
	VPERMD  Y2, Y9, Y2
	VPERMD  Y3, Y9, Y3
	VMOVDQU Y0, (R8)
	VMOVDQU Y1, (R9)
	VMOVDQU Y2, (R10)
	VMOVDQU Y3, (R11)
	ADDQ    $128, SI
	ADDQ    $32, R8
	ADDQ    $32, R9
	ADDQ    $32, R10
	ADDQ    $32, R11
	DECQ    CX
	JNZ     loop
	VZEROUPPER
	RET

// func join4AVX2(dst, a, b, c, d *byte, n int, m *order)
TEXT ·join4AVX2(SB), NOSPLIT, $0-56
	MOVQ           dst+0(FP), DI
	MOVQ           a+8(FP), R8
	MOVQ           b+16(FP), R9
	MOVQ           c+24(FP), R10
	MOVQ           d+32(FP), R11
	MOVQ           n+40(FP), CX
	MOVQ           m+48(FP), AX
	VBROADCASTI128 (AX), Y8
	VMOVDQU        turns<>(SB), Y9

loop:
	VPERMD  (R8), Y9, Y0
	VPERMD  (R9), Y9, Y1
	VPERMD  (R10), Y9, Y2
	VPERMD  (R11), Y9, Y3
	SQUARE
	VPSHUFB Y8, Y0, Y0
	VPSHUFB Y8, Y1, Y1
	VPSHUFB Y8, Y2, Y2
	VPSHUFB Y8, Y3, Y3
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	VMOVDQU Y2, 64(DI)
	VMOVDQU Y3, 96(DI)
	ADDQ    $128, DI
	ADDQ    $32, R8
	ADDQ    $32, R9
	ADDQ    $32, R10
	ADDQ    $32, R11
	DECQ    CX
	JNZ     loop
	VZEROUPPER
	RET

// func swapAVX2(b *byte, n int, m *order)
TEXT ·swapAVX2(SB), NOSPLIT, $0-24
	MOVQ           b+0(FP), DI
	MOVQ           n+8(FP), CX
	MOVQ           m+16(FP), AX
	VBROADCASTI128 (AX), Y7

loop:
	VMOVDQU (DI), Y0
	VPSHUFB Y7, Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ    $32, DI
	DECQ    CX
	JNZ     loop
	VZEROUPPER
	RET

// func unpack1AVX2(dst, src *byte, n, bits int, w *windows)
TEXT ·unpack1AVX2(SB), NOSPLIT, $0-40
	UNPACK
	VMOVDQU halves<>(SB), Y11

loop:
	WINDOWS(X0, Y0)
	WINDOWS(X1, Y1)
	WINDOWS(X2, Y2)
	WINDOWS(X3, Y3)
	VPACKUSDW Y1, Y0, Y0
	VPACKUSDW Y3, Y2, Y2
	VPACKUSWB Y2, Y0, Y0
	VPERMD    Y0, Y11, Y0
	VMOVDQU   Y0, (DI)
	ADDQ      $32, DI
	DECQ      CX
	JNZ       loop
	VZEROUPPER
	RET

// func unpack2AVX2(dst, src *byte, n, bits int, w *windows)
TEXT ·unpack2AVX2(SB), NOSPLIT, $0-40
	UNPACK

loop:
	WINDOWS(X0, Y0)
	WINDOWS(X1, Y1)
	VPACKUSDW Y1, Y0, Y0
	VPERMQ    $0xd8, Y0, Y0
	VMOVDQU   Y0, (DI)
	ADDQ      $32, DI
	DECQ      CX
	JNZ       loop
	VZEROUPPER
	RET

// func unpack4AVX2(dst, src *byte, n, bits int, w *windows)
TEXT ·unpack4AVX2(SB), NOSPLIT, $0-40
	UNPACK

loop:
	WINDOWS(X0, Y0)
	VMOVDQU Y0, (DI)
	ADDQ    $32, DI
	DECQ    CX
	JNZ     loop
	VZEROUPPER
	RET
