#include "textflag.h"

// Factors of pairs of coefficients, see inverseGo: the products of its sums are
// taken apart, so that each term is a sum of two products.
DATA pair26a<>+0(SB)/8, $0x115129cf115129cf
DATA pair26a<>+8(SB)/8, $0x115129cf115129cf
DATA pair26a<>+16(SB)/8, $0x115129cf115129cf
DATA pair26a<>+24(SB)/8, $0x115129cf115129cf
GLOBL pair26a<>(SB), RODATA|NOPTR, $32

DATA pair26b<>+0(SB)/8, $0xd6301151d6301151
DATA pair26b<>+8(SB)/8, $0xd6301151d6301151
DATA pair26b<>+16(SB)/8, $0xd6301151d6301151
DATA pair26b<>+24(SB)/8, $0xd6301151d6301151
GLOBL pair26b<>(SB), RODATA|NOPTR, $32

DATA pairZ3<>+0(SB)/8, $0x25a1e6dc25a1e6dc
DATA pairZ3<>+8(SB)/8, $0x25a1e6dc25a1e6dc
DATA pairZ3<>+16(SB)/8, $0x25a1e6dc25a1e6dc
DATA pairZ3<>+24(SB)/8, $0x25a1e6dc25a1e6dc
GLOBL pairZ3<>(SB), RODATA|NOPTR, $32

DATA pairZ4<>+0(SB)/8, $0x192525a1192525a1
DATA pairZ4<>+8(SB)/8, $0x192525a1192525a1
DATA pairZ4<>+16(SB)/8, $0x192525a1192525a1
DATA pairZ4<>+24(SB)/8, $0x192525a1192525a1
GLOBL pairZ4<>(SB), RODATA|NOPTR, $32

DATA pair71a<>+0(SB)/8, $0xe333ecc1e333ecc1
DATA pair71a<>+8(SB)/8, $0xe333ecc1e333ecc1
DATA pair71a<>+16(SB)/8, $0xe333ecc1e333ecc1
DATA pair71a<>+24(SB)/8, $0xe333ecc1e333ecc1
GLOBL pair71a<>(SB), RODATA|NOPTR, $32

DATA pair71b<>+0(SB)/8, $0x133ee333133ee333
DATA pair71b<>+8(SB)/8, $0x133ee333133ee333
DATA pair71b<>+16(SB)/8, $0x133ee333133ee333
DATA pair71b<>+24(SB)/8, $0x133ee333133ee333
GLOBL pair71b<>(SB), RODATA|NOPTR, $32

DATA pair53a<>+0(SB)/8, $0xadfdefb0adfdefb0
DATA pair53a<>+8(SB)/8, $0xadfdefb0adfdefb0
DATA pair53a<>+16(SB)/8, $0xadfdefb0adfdefb0
DATA pair53a<>+24(SB)/8, $0xadfdefb0adfdefb0
GLOBL pair53a<>(SB), RODATA|NOPTR, $32

DATA pair53b<>+0(SB)/8, $0x1051adfd1051adfd
DATA pair53b<>+8(SB)/8, $0x1051adfd1051adfd
DATA pair53b<>+16(SB)/8, $0x1051adfd1051adfd
DATA pair53b<>+24(SB)/8, $0x1051adfd1051adfd
GLOBL pair53b<>(SB), RODATA|NOPTR, $32

// Halves of what the passes shift away.
DATA round1<>+0(SB)/8, $0x0000040000000400
DATA round1<>+8(SB)/8, $0x0000040000000400
DATA round1<>+16(SB)/8, $0x0000040000000400
DATA round1<>+24(SB)/8, $0x0000040000000400
GLOBL round1<>(SB), RODATA|NOPTR, $32

DATA round2<>+0(SB)/8, $0x0002000000020000
DATA round2<>+8(SB)/8, $0x0002000000020000
DATA round2<>+16(SB)/8, $0x0002000000020000
DATA round2<>+24(SB)/8, $0x0002000000020000
GLOBL round2<>(SB), RODATA|NOPTR, $32

// The difference between samples around 0 and around 128.
DATA flip<>+0(SB)/8, $0x8080808080808080
DATA flip<>+8(SB)/8, $0x8080808080808080
DATA flip<>+16(SB)/8, $0x8080808080808080
DATA flip<>+24(SB)/8, $0x8080808080808080
GLOBL flip<>(SB), RODATA|NOPTR, $32

// PASS transforms X0 to X7, rows of eight words, by columns. The result is
// transposed: Y0 holds rows 0 and 4 of it, Y1 rows 1 and 5, and so on.
#define PASS(half, shift) \
	VPADDW      X4, X0, X8; \
	VPSUBW      X4, X0, X9; \
	VPMOVSXWD   X8, Y8; \
	VPMOVSXWD   X9, Y9; \
	VPSLLD      $13, Y8, Y8; \
	VPSLLD      $13, Y9, Y9; \
	VPADDD      half, Y8, Y8; \
	VPADDD      half, Y9, Y9; \
	VPUNPCKLWD  X6, X2, X10; \
	VPUNPCKHWD  X6, X2, X11; \
	VINSERTI128 $1, X11, Y10, Y10; \
	VPMADDWD    pair26a<>(SB), Y10, Y11; \
	VPMADDWD    pair26b<>(SB), Y10, Y10; \
	VPADDD      Y11, Y8, Y0; \
	VPSUBD      Y11, Y8, Y6; \
	VPADDD      Y10, Y9, Y2; \
	VPSUBD      Y10, Y9, Y4; \
	VPADDW      X3, X7, X8; \
	VPADDW      X1, X5, X9; \
	VPUNPCKLWD  X9, X8, X10; \
	VPUNPCKHWD  X9, X8, X11; \
	VINSERTI128 $1, X11, Y10, Y10; \
	VPMADDWD    pairZ3<>(SB), Y10, Y11; \
	VPMADDWD    pairZ4<>(SB), Y10, Y12; \
	VPUNPCKLWD  X1, X7, X8; \
	VPUNPCKHWD  X1, X7, X9; \
	VINSERTI128 $1, X9, Y8, Y8; \
	VPUNPCKLWD  X3, X5, X9; \
	VPUNPCKHWD  X3, X5, X10; \
	VINSERTI128 $1, X10, Y9, Y9; \
	VPMADDWD    pair71a<>(SB), Y8, Y13; \
	VPMADDWD    pair71b<>(SB), Y8, Y8; \
	VPMADDWD    pair53a<>(SB), Y9, Y14; \
	VPMADDWD    pair53b<>(SB), Y9, Y9; \
	VPADDD      Y11, Y13, Y13; \
	VPADDD      Y12, Y14, Y14; \
	VPADDD      Y11, Y9, Y9; \
	VPADDD      Y12, Y8, Y8; \
	VPADDD      Y8, Y0, Y1; \
	VPSUBD      Y8, Y0, Y15; \
	VPADDD      Y9, Y2, Y3; \
	VPSUBD      Y9, Y2, Y12; \
	VPADDD      Y14, Y4, Y5; \
	VPSUBD      Y14, Y4, Y11; \
	VPADDD      Y13, Y6, Y7; \
	VPSUBD      Y13, Y6, Y10; \
	VPSRAD      shift, Y1, Y1; \
	VPSRAD      shift, Y3, Y3; \
	VPSRAD      shift, Y5, Y5; \
	VPSRAD      shift, Y7, Y7; \
	VPSRAD      shift, Y10, Y10; \
	VPSRAD      shift, Y11, Y11; \
	VPSRAD      shift, Y12, Y12; \
	VPSRAD      shift, Y15, Y15; \
	VPACKSSDW   Y3, Y1, Y0; \
	VPACKSSDW   Y7, Y5, Y1; \
	VPACKSSDW   Y11, Y10, Y2; \
	VPACKSSDW   Y15, Y12, Y3; \
	VPUNPCKLWD  Y1, Y0, Y4; \
	VPUNPCKHWD  Y1, Y0, Y5; \
	VPUNPCKLWD  Y3, Y2, Y6; \
	VPUNPCKHWD  Y3, Y2, Y7; \
	VPUNPCKLWD  Y5, Y4, Y8; \
	VPUNPCKHWD  Y5, Y4, Y9; \
	VPUNPCKLWD  Y7, Y6, Y10; \
	VPUNPCKHWD  Y7, Y6, Y11; \
	VPUNPCKLQDQ Y10, Y8, Y0; \
	VPUNPCKHQDQ Y10, Y8, Y1; \
	VPUNPCKLQDQ Y11, Y9, Y2; \
	VPUNPCKHQDQ Y11, Y9, Y3

// func inverseKernel(dst *byte, stride int, b *[64]int16, q *[64]uint16)
TEXT ·inverseKernel(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ stride+8(FP), DX
	MOVQ b+16(FP), SI
	MOVQ q+24(FP), CX

	VMOVDQU 0(SI), X0
	VPMULLW 0(CX), X0, X0
	VMOVDQU 16(SI), Y1
	VPOR    48(SI), Y1, Y2
	VPOR    80(SI), Y2, Y2
	VMOVDQU 112(SI), X7
	VPOR    Y7, Y2, Y2
	VPTEST  Y2, Y2
	JNZ     columns

	// All rows are like the first.
	VPSLLW     $2, X0, X0
	VPUNPCKHWD X0, X0, X6
	VPUNPCKLWD X0, X0, X2
	VPSHUFD    $0x00, X2, X0
	VPSHUFD    $0x55, X2, X1
	VPSHUFD    $0xff, X2, X3
	VPSHUFD    $0xaa, X2, X2
	VPSHUFD    $0x00, X6, X4
	VPSHUFD    $0x55, X6, X5
	VPSHUFD    $0xff, X6, X7
	VPSHUFD    $0xaa, X6, X6
	JMP        rows

columns:
	VPMULLW 16(CX), X1, X1
	VMOVDQU 32(SI), X2
	VPMULLW 32(CX), X2, X2
	VMOVDQU 48(SI), X3
	VPMULLW 48(CX), X3, X3
	VMOVDQU 64(SI), X4
	VPMULLW 64(CX), X4, X4
	VMOVDQU 80(SI), X5
	VPMULLW 80(CX), X5, X5
	VMOVDQU 96(SI), X6
	VPMULLW 96(CX), X6, X6
	VPMULLW 112(CX), X7, X7
	PASS(round1<>(SB), $11)
	VEXTRACTI128 $1, Y0, X4
	VEXTRACTI128 $1, Y1, X5
	VEXTRACTI128 $1, Y2, X6
	VEXTRACTI128 $1, Y3, X7

rows:
	PASS(round2<>(SB), $18)
	VPACKSSWB    Y1, Y0, Y0
	VPACKSSWB    Y3, Y2, Y2
	VPXOR        flip<>(SB), Y0, Y0
	VPXOR        flip<>(SB), Y2, Y2
	VEXTRACTI128 $1, Y0, X1
	VEXTRACTI128 $1, Y2, X3
	LEAQ         (DX)(DX*2), R8
	LEAQ         (DI)(DX*4), R9
	VMOVQ        X0, (DI)
	VPEXTRQ      $1, X0, (DI)(DX*1)
	VMOVQ        X2, (DI)(DX*2)
	VPEXTRQ      $1, X2, (DI)(R8*1)
	VMOVQ        X1, (R9)
	VPEXTRQ      $1, X1, (R9)(DX*1)
	VMOVQ        X3, (R9)(DX*2)
	VPEXTRQ      $1, X3, (R9)(R8*1)
	VZEROUPPER
	RET
