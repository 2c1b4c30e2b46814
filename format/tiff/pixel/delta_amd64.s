#include "textflag.h"

// UNDELTA loads 32 bytes; then come the SUMs, of pixels, pairs of pixels and so on,
// within each half. Y0 has the bytes, Y5 the sums of all pixels before, in order.
#define UNDELTA \
	MOVQ           row+0(FP), DI; \
	MOVQ           n+8(FP), CX; \
	MOVQ           p+16(FP), SI; \
	VBROADCASTI128 (SI), Y6; \
	VMOVDQU        (SI), Y7; \
	VMOVDQU        32(SI), Y8; \
	VPXOR          Y5, Y5, Y5

#define SUM(shift, ADD) \
	VPSLLDQ shift, Y0, Y1; \
	ADD     Y1, Y0, Y0

// CARRY adds the sums of the lower half to the upper one, those before to both, and
// makes those behind of them. Only the last two instructions have to wait for the
// 32 bytes before.
#define CARRY(ADD) \
	VPERM2I128 $0x08, Y0, Y0, Y1; \
	VPSHUFB    Y6, Y1, Y1; \
	ADD        Y1, Y0, Y0; \
	VPERMQ     $0xee, Y0, Y2; \
	VPSHUFB    Y7, Y2, Y2; \
	ADD        Y5, Y0, Y0; \
	VMOVDQU    Y0, (DI)

#define NEXT(ADD) \
	ADD  Y2, Y5, Y5; \
	ADDQ $32, DI; \
	DECQ CX; \
	JNZ  loop; \
	VZEROUPPER; \
	RET

// func undelta1x1AVX2(row *byte, n int, p *period)
TEXT ·undelta1x1AVX2(SB), NOSPLIT, $0-24
	UNDELTA

loop:
	VMOVDQU (DI), Y0
	SUM($1, VPADDB)
	SUM($2, VPADDB)
	SUM($4, VPADDB)
	SUM($8, VPADDB)
	CARRY(VPADDB)
	NEXT(VPADDB)

// func undelta2x1AVX2(row *byte, n int, p *period)
TEXT ·undelta2x1AVX2(SB), NOSPLIT, $0-24
	UNDELTA

loop:
	VMOVDQU (DI), Y0
	SUM($2, VPADDB)
	SUM($4, VPADDB)
	SUM($8, VPADDB)
	CARRY(VPADDB)
	NEXT(VPADDB)

// func undelta3x1AVX2(row *byte, n int, p *period)
TEXT ·undelta3x1AVX2(SB), NOSPLIT, $0-24
	UNDELTA

loop:
	VMOVDQU (DI), Y0
	SUM($3, VPADDB)
	SUM($6, VPADDB)
	SUM($12, VPADDB)
	CARRY(VPADDB)
	VPSHUFB Y8, Y5, Y5
	NEXT(VPADDB)

// func undelta4x1AVX2(row *byte, n int, p *period)
TEXT ·undelta4x1AVX2(SB), NOSPLIT, $0-24
	UNDELTA

loop:
	VMOVDQU (DI), Y0
	SUM($4, VPADDB)
	SUM($8, VPADDB)
	CARRY(VPADDB)
	NEXT(VPADDB)

// func undelta1x2AVX2(row *byte, n int, p *period)
TEXT ·undelta1x2AVX2(SB), NOSPLIT, $0-24
	UNDELTA

loop:
	VMOVDQU (DI), Y0
	SUM($2, VPADDW)
	SUM($4, VPADDW)
	SUM($8, VPADDW)
	CARRY(VPADDW)
	NEXT(VPADDW)

// func undelta2x2AVX2(row *byte, n int, p *period)
TEXT ·undelta2x2AVX2(SB), NOSPLIT, $0-24
	UNDELTA

loop:
	VMOVDQU (DI), Y0
	SUM($4, VPADDW)
	SUM($8, VPADDW)
	CARRY(VPADDW)
	NEXT(VPADDW)

// func undelta3x2AVX2(row *byte, n int, p *period)
TEXT ·undelta3x2AVX2(SB), NOSPLIT, $0-24
	UNDELTA

loop:
	VMOVDQU (DI), Y0
	SUM($6, VPADDW)
	SUM($12, VPADDW)
	CARRY(VPADDW)
	VPSHUFB Y8, Y5, Y5
	NEXT(VPADDW)

// func undelta4x2AVX2(row *byte, n int, p *period)
TEXT ·undelta4x2AVX2(SB), NOSPLIT, $0-24
	UNDELTA

loop:
	VMOVDQU (DI), Y0
	SUM($8, VPADDW)
	CARRY(VPADDW)
	NEXT(VPADDW)

// func undelta1x4AVX2(row *byte, n int, p *period)
TEXT ·undelta1x4AVX2(SB), NOSPLIT, $0-24
	UNDELTA

loop:
	VMOVDQU (DI), Y0
	SUM($4, VPADDD)
	SUM($8, VPADDD)
	CARRY(VPADDD)
	NEXT(VPADDD)

// func undelta2x4AVX2(row *byte, n int, p *period)
TEXT ·undelta2x4AVX2(SB), NOSPLIT, $0-24
	UNDELTA

loop:
	VMOVDQU (DI), Y0
	SUM($8, VPADDD)
	CARRY(VPADDD)
	NEXT(VPADDD)

// func undelta3x4AVX2(row *byte, n int, p *period)
TEXT ·undelta3x4AVX2(SB), NOSPLIT, $0-24
	UNDELTA

loop:
	VMOVDQU (DI), Y0
	SUM($12, VPADDD)
	CARRY(VPADDD)
	VPSHUFB Y8, Y5, Y5
	NEXT(VPADDD)

// func undeltaWideAVX2(row *byte, n, stride, size int)
TEXT ·undeltaWideAVX2(SB), NOSPLIT, $0-32
	MOVQ row+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ stride+16(FP), R8
	MOVQ size+24(FP), R9
	LEAQ (SI)(R8*1), DI
	CMPQ R9, $2
	JLT  bytes
	JEQ  words
	CMPQ R9, $4
	JEQ  doubles

quads:
	VMOVDQU (SI), Y0
	VPADDQ  (DI), Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	DECQ    CX
	JNZ     quads
	VZEROUPPER
	RET

bytes:
	VMOVDQU (SI), Y0
	VPADDB  (DI), Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	DECQ    CX
	JNZ     bytes
	VZEROUPPER
	RET

words:
	VMOVDQU (SI), Y0
	VPADDW  (DI), Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	DECQ    CX
	JNZ     words
	VZEROUPPER
	RET

doubles:
	VMOVDQU (SI), Y0
	VPADDD  (DI), Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	DECQ    CX
	JNZ     doubles
	VZEROUPPER
	RET

// func deltaAVX2(last *byte, n, stride, size int)
TEXT ·deltaAVX2(SB), NOSPLIT, $0-32
	MOVQ last+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ stride+16(FP), R8
	MOVQ size+24(FP), R9
	SUBQ $31, DI
	MOVQ DI, SI
	SUBQ R8, SI
	CMPQ R9, $2
	JLT  bytes
	JEQ  words
	CMPQ R9, $4
	JEQ  doubles

quads:
	VMOVDQU (DI), Y0
	VPSUBQ  (SI), Y0, Y0
	VMOVDQU Y0, (DI)
	SUBQ    $32, SI
	SUBQ    $32, DI
	DECQ    CX
	JNZ     quads
	VZEROUPPER
	RET

bytes:
	VMOVDQU (DI), Y0
	VPSUBB  (SI), Y0, Y0
	VMOVDQU Y0, (DI)
	SUBQ    $32, SI
	SUBQ    $32, DI
	DECQ    CX
	JNZ     bytes
	VZEROUPPER
	RET

words:
	VMOVDQU (DI), Y0
	VPSUBW  (SI), Y0, Y0
	VMOVDQU Y0, (DI)
	SUBQ    $32, SI
	SUBQ    $32, DI
	DECQ    CX
	JNZ     words
	VZEROUPPER
	RET

doubles:
	VMOVDQU (DI), Y0
	VPSUBD  (SI), Y0, Y0
	VMOVDQU Y0, (DI)
	SUBQ    $32, SI
	SUBQ    $32, DI
	DECQ    CX
	JNZ     doubles
	VZEROUPPER
	RET
