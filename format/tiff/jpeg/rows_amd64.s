#include "textflag.h"

// Three parts of one sample and one of another.
DATA three1<>+0(SB)/8, $0x0103010301030103
DATA three1<>+8(SB)/8, $0x0103010301030103
DATA three1<>+16(SB)/8, $0x0103010301030103
DATA three1<>+24(SB)/8, $0x0103010301030103
GLOBL three1<>(SB), RODATA|NOPTR, $32

DATA words1<>+0(SB)/8, $0x0001000100010001
DATA words1<>+8(SB)/8, $0x0001000100010001
DATA words1<>+16(SB)/8, $0x0001000100010001
DATA words1<>+24(SB)/8, $0x0001000100010001
GLOBL words1<>(SB), RODATA|NOPTR, $32

DATA words2<>+0(SB)/8, $0x0002000200020002
DATA words2<>+8(SB)/8, $0x0002000200020002
DATA words2<>+16(SB)/8, $0x0002000200020002
DATA words2<>+24(SB)/8, $0x0002000200020002
GLOBL words2<>(SB), RODATA|NOPTR, $32

DATA words7<>+0(SB)/8, $0x0007000700070007
DATA words7<>+8(SB)/8, $0x0007000700070007
DATA words7<>+16(SB)/8, $0x0007000700070007
DATA words7<>+24(SB)/8, $0x0007000700070007
GLOBL words7<>(SB), RODATA|NOPTR, $32

DATA words8<>+0(SB)/8, $0x0008000800080008
DATA words8<>+8(SB)/8, $0x0008000800080008
DATA words8<>+16(SB)/8, $0x0008000800080008
DATA words8<>+24(SB)/8, $0x0008000800080008
GLOBL words8<>(SB), RODATA|NOPTR, $32

DATA centre<>+0(SB)/8, $0x0080008000800080
DATA centre<>+8(SB)/8, $0x0080008000800080
DATA centre<>+16(SB)/8, $0x0080008000800080
DATA centre<>+24(SB)/8, $0x0080008000800080
GLOBL centre<>(SB), RODATA|NOPTR, $32

// The fractions of the factors of colourGo, with their sign where they are nearer to
// the next integer.
DATA crRed<>+0(SB)/8, $0x66e966e966e966e9
DATA crRed<>+8(SB)/8, $0x66e966e966e966e9
DATA crRed<>+16(SB)/8, $0x66e966e966e966e9
DATA crRed<>+24(SB)/8, $0x66e966e966e966e9
GLOBL crRed<>(SB), RODATA|NOPTR, $32

DATA cbBlue<>+0(SB)/8, $0xc5a2c5a2c5a2c5a2
DATA cbBlue<>+8(SB)/8, $0xc5a2c5a2c5a2c5a2
DATA cbBlue<>+16(SB)/8, $0xc5a2c5a2c5a2c5a2
DATA cbBlue<>+24(SB)/8, $0xc5a2c5a2c5a2c5a2
GLOBL cbBlue<>(SB), RODATA|NOPTR, $32

DATA cbcrGreen<>+0(SB)/8, $0x492ea7e6492ea7e6
DATA cbcrGreen<>+8(SB)/8, $0x492ea7e6492ea7e6
DATA cbcrGreen<>+16(SB)/8, $0x492ea7e6492ea7e6
DATA cbcrGreen<>+24(SB)/8, $0x492ea7e6492ea7e6
GLOBL cbcrGreen<>(SB), RODATA|NOPTR, $32

DATA half<>+0(SB)/8, $0x0000800000008000
DATA half<>+8(SB)/8, $0x0000800000008000
DATA half<>+16(SB)/8, $0x0000800000008000
DATA half<>+24(SB)/8, $0x0000800000008000
GLOBL half<>(SB), RODATA|NOPTR, $32

// func doubleRowKernel(out, src *byte, n int)
// does n times 32 samples; src is the first of them.
TEXT ·doubleRowKernel(SB), NOSPLIT, $0-24
	MOVQ    out+0(FP), DI
	MOVQ    src+8(FP), SI
	MOVQ    n+16(FP), CX
	VMOVDQU three1<>(SB), Y13
	VMOVDQU words1<>(SB), Y14
	VMOVDQU words2<>(SB), Y15

loop:
	VMOVDQU    (SI), Y0
	VMOVDQU    -1(SI), Y1
	VMOVDQU    1(SI), Y2
	VPUNPCKLBW Y1, Y0, Y3
	VPUNPCKHBW Y1, Y0, Y4
	VPUNPCKLBW Y2, Y0, Y5
	VPUNPCKHBW Y2, Y0, Y6
	VPMADDUBSW Y13, Y3, Y3
	VPMADDUBSW Y13, Y4, Y4
	VPMADDUBSW Y13, Y5, Y5
	VPMADDUBSW Y13, Y6, Y6
	VPADDW     Y14, Y3, Y3
	VPADDW     Y14, Y4, Y4
	VPADDW     Y15, Y5, Y5
	VPADDW     Y15, Y6, Y6
	VPSRLW     $2, Y3, Y3
	VPSRLW     $2, Y4, Y4
	VPSRLW     $2, Y5, Y5
	VPSRLW     $2, Y6, Y6
	VPSLLW     $8, Y5, Y5
	VPSLLW     $8, Y6, Y6
	VPOR       Y5, Y3, Y3
	VPOR       Y6, Y4, Y4
	VPERM2I128 $0x20, Y4, Y3, Y5
	VPERM2I128 $0x31, Y4, Y3, Y6
	VMOVDQU    Y5, (DI)
	VMOVDQU    Y6, 32(DI)
	ADDQ       $32, SI
	ADDQ       $64, DI
	DECQ       CX
	JNZ        loop
	VZEROUPPER
	RET

// BETWEEN makes words in lo and hi of three parts of near and one of far.
#define BETWEEN(off, lo, hi) \
	VMOVDQU    off(SI), Y0; \
	VMOVDQU    off(DX), Y1; \
	VPUNPCKLBW Y1, Y0, lo; \
	VPUNPCKHBW Y1, Y0, hi; \
	VPMADDUBSW Y13, lo, lo; \
	VPMADDUBSW Y13, hi, hi

// DOUBLE interpolates between words: here becomes the bytes.
#define DOUBLE(before, here, after) \
	VPADDW here, here, Y0; \
	VPADDW Y0, here, here; \
	VPADDW Y14, here, Y0; \
	VPADDW Y15, here, here; \
	VPADDW before, Y0, Y0; \
	VPADDW after, here, here; \
	VPSRLW $4, Y0, Y0; \
	VPSRLW $4, here, here; \
	VPSLLW $8, here, here; \
	VPOR   Y0, here, here

// func doubleRowsKernel(out, near, far *byte, n int)
// does n times 32 samples; near and far are the first of them.
TEXT ·doubleRowsKernel(SB), NOSPLIT, $0-32
	MOVQ    out+0(FP), DI
	MOVQ    near+8(FP), SI
	MOVQ    far+16(FP), DX
	MOVQ    n+24(FP), CX
	VMOVDQU three1<>(SB), Y13
	VMOVDQU words8<>(SB), Y14
	VMOVDQU words7<>(SB), Y15

loop:
	BETWEEN(-1, Y2, Y3)
	BETWEEN(0, Y4, Y5)
	BETWEEN(1, Y6, Y7)
	DOUBLE(Y2, Y4, Y6)
	DOUBLE(Y3, Y5, Y7)
	VPERM2I128 $0x20, Y5, Y4, Y0
	VPERM2I128 $0x31, Y5, Y4, Y1
	VMOVDQU    Y0, (DI)
	VMOVDQU    Y1, 32(DI)
	ADDQ       $32, SI
	ADDQ       $32, DX
	ADDQ       $64, DI
	DECQ       CX
	JNZ        loop
	VZEROUPPER
	RET

// func blendRowsKernel(out, near, far *byte, n, round int)
// does n times 32 samples.
TEXT ·blendRowsKernel(SB), NOSPLIT, $0-40
	MOVQ         out+0(FP), DI
	MOVQ         near+8(FP), SI
	MOVQ         far+16(FP), DX
	MOVQ         n+24(FP), CX
	MOVQ         round+32(FP), AX
	VMOVD        AX, X14
	VPBROADCASTW X14, Y14
	VMOVDQU      three1<>(SB), Y13

loop:
	BETWEEN(0, Y2, Y3)
	VPADDW    Y14, Y2, Y2
	VPADDW    Y14, Y3, Y3
	VPSRLW    $2, Y2, Y2
	VPSRLW    $2, Y3, Y3
	VPACKUSWB Y3, Y2, Y2
	VMOVDQU   Y2, (DI)
	ADDQ      $32, SI
	ADDQ      $32, DX
	ADDQ      $32, DI
	DECQ      CX
	JNZ       loop
	VZEROUPPER
	RET

// CONVERT makes words of red, green and blue of sixteen pixels.
#define CONVERT(off, red, green, blue) \
	VPMOVZXBW  off(SI), Y0; \
	VPMOVZXBW  off(R8), Y1; \
	VPMOVZXBW  off(R9), Y2; \
	VPSUBW     Y15, Y1, Y1; \
	VPSUBW     Y15, Y2, Y2; \
	VPADDW     Y2, Y2, red; \
	VPADDW     Y1, Y1, Y3; \
	VPMULHW    Y14, red, red; \
	VPMULHW    Y13, Y3, blue; \
	VPADDW     Y12, red, red; \
	VPADDW     Y12, blue, blue; \
	VPSRAW     $1, red, red; \
	VPSRAW     $1, blue, blue; \
	VPADDW     Y2, red, red; \
	VPADDW     Y3, blue, blue; \
	VPADDW     Y0, red, red; \
	VPADDW     Y0, blue, blue; \
	VPUNPCKLWD Y2, Y1, Y3; \
	VPUNPCKHWD Y2, Y1, Y1; \
	VPMADDWD   Y11, Y3, Y3; \
	VPMADDWD   Y11, Y1, Y1; \
	VPADDD     Y10, Y3, Y3; \
	VPADDD     Y10, Y1, Y1; \
	VPSRAD     $16, Y3, Y3; \
	VPSRAD     $16, Y1, Y1; \
	VPACKSSDW  Y1, Y3, green; \
	VPSUBW     Y2, green, green; \
	VPADDW     Y0, green, green

// func colourKernel(red, green, blue, y, cb, cr *byte, n int)
// does n times 32 pixels.
TEXT ·colourKernel(SB), NOSPLIT, $0-56
	MOVQ    red+0(FP), DI
	MOVQ    green+8(FP), R10
	MOVQ    blue+16(FP), R11
	MOVQ    y+24(FP), SI
	MOVQ    cb+32(FP), R8
	MOVQ    cr+40(FP), R9
	MOVQ    n+48(FP), CX
	VMOVDQU centre<>(SB), Y15
	VMOVDQU crRed<>(SB), Y14
	VMOVDQU cbBlue<>(SB), Y13
	VMOVDQU words1<>(SB), Y12
	VMOVDQU cbcrGreen<>(SB), Y11
	VMOVDQU half<>(SB), Y10

loop:
	CONVERT(0, Y4, Y5, Y6)
	CONVERT(16, Y7, Y8, Y9)
	VPACKUSWB Y7, Y4, Y4
	VPACKUSWB Y8, Y5, Y5
	VPACKUSWB Y9, Y6, Y6
	VPERMQ    $0xd8, Y4, Y4
	VPERMQ    $0xd8, Y5, Y5
	VPERMQ    $0xd8, Y6, Y6
	VMOVDQU   Y4, (DI)
	VMOVDQU   Y5, (R10)
	VMOVDQU   Y6, (R11)
	ADDQ      $32, SI
	ADDQ      $32, R8
	ADDQ      $32, R9
	ADDQ      $32, DI
	ADDQ      $32, R10
	ADDQ      $32, R11
	DECQ      CX
	JNZ       loop
	VZEROUPPER
	RET
