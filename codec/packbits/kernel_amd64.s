#include "textflag.h"

// func cpuid(leaf uint32) (eax, ebx, ecx, edx uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	XORL CX, CX
	CPUID
	MOVL AX, eax+8(FP)
	MOVL BX, ebx+12(FP)
	MOVL CX, ecx+16(FP)
	MOVL DX, edx+20(FP)
	RET

// func depositBytes(dst, src *byte, n, step int, mask uint64)
TEXT ·depositBytes(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ step+24(FP), BX
	MOVQ mask+32(FP), R8
	LEAQ (BX)(BX*2), R9
	SUBQ $4, CX
	JL   rest

four:
	MOVQ  (SI), AX
	MOVQ  (SI)(BX*1), DX
	MOVQ  (SI)(BX*2), R10
	MOVQ  (SI)(R9*1), R11
	LEAQ  (SI)(BX*4), SI
	PDEPQ R8, AX, AX
	PDEPQ R8, DX, DX
	PDEPQ R8, R10, R10
	PDEPQ R8, R11, R11
	MOVQ  AX, (DI)
	MOVQ  DX, 8(DI)
	MOVQ  R10, 16(DI)
	MOVQ  R11, 24(DI)
	ADDQ  $32, DI
	SUBQ  $4, CX
	JGE   four

rest:
	ADDQ $4, CX
	JZ   done

one:
	MOVQ  (SI), AX
	ADDQ  BX, SI
	PDEPQ R8, AX, AX
	MOVQ  AX, (DI)
	ADDQ  $8, DI
	DECQ  CX
	JNZ   one

done:
	RET

// func depositSignedBytes(dst, src *byte, n, step int, mask, sign, ext uint64)
TEXT ·depositSignedBytes(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ step+24(FP), BX
	MOVQ mask+32(FP), R8
	MOVQ sign+40(FP), R9
	MOVQ ext+48(FP), R10
	SUBQ $2, CX
	JL   rest

two:
	MOVQ  (SI), AX
	MOVQ  (SI)(BX*1), DX
	LEAQ  (SI)(BX*2), SI
	PDEPQ R8, AX, AX
	PDEPQ R8, DX, DX
	MOVQ  AX, R11
	MOVQ  DX, R12
	ANDQ  R9, R11
	ANDQ  R9, R12
	IMULQ R10, R11
	IMULQ R10, R12
	ORQ   R11, AX
	ORQ   R12, DX
	MOVQ  AX, (DI)
	MOVQ  DX, 8(DI)
	ADDQ  $16, DI
	SUBQ  $2, CX
	JGE   two

rest:
	ADDQ  $2, CX
	JZ    done
	MOVQ  (SI), AX
	PDEPQ R8, AX, AX
	MOVQ  AX, R11
	ANDQ  R9, R11
	IMULQ R10, R11
	ORQ   R11, AX
	MOVQ  AX, (DI)

done:
	RET

// func depositBits(dst, src *byte, n, step int, mask, sign, ext uint64)
TEXT ·depositBits(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ step+24(FP), BX
	MOVQ mask+32(FP), R8
	MOVQ sign+40(FP), R9
	MOVQ ext+48(FP), R10
	XORL R12, R12            // the bit where the word begins

loop:
	MOVQ  R12, AX
	MOVL  R12, DX
	SHRQ  $3, AX
	ANDL  $7, DX
	MOVQ  (SI)(AX*1), AX
	SHRXQ DX, AX, AX
	PDEPQ R8, AX, AX
	MOVQ  AX, R11
	ANDQ  R9, R11
	IMULQ R10, R11
	ORQ   R11, AX
	MOVQ  AX, (DI)
	ADDQ  BX, R12
	ADDQ  $8, DI
	DECQ  CX
	JNZ   loop
	RET

// func depositWide(dst, src *byte, n, step int, mask, sign, ext uint64)
TEXT ·depositWide(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ step+24(FP), BX
	MOVQ mask+32(FP), R8
	MOVQ sign+40(FP), R9
	MOVQ ext+48(FP), R10
	XORL R12, R12            // the bit where the word begins

loop:
	MOVQ    R12, AX
	MOVL    R12, DX
	SHRQ    $3, AX
	ANDL    $7, DX
	MOVBQZX 8(SI)(AX*1), R13
	MOVQ    (SI)(AX*1), AX
	SHRXQ   DX, AX, AX
	XORL    $63, DX
	ADDQ    R13, R13
	SHLXQ   DX, R13, R13
	ORQ     R13, AX
	PDEPQ   R8, AX, AX
	MOVQ    AX, R11
	ANDQ    R9, R11
	IMULQ   R10, R11
	ORQ     R11, AX
	MOVQ    AX, (DI)
	ADDQ    BX, R12
	ADDQ    $8, DI
	DECQ    CX
	JNZ     loop
	RET

// func extractBytes(dst, src *byte, n, step int, mask uint64)
TEXT ·extractBytes(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ step+24(FP), BX
	MOVQ mask+32(FP), R8
	LEAQ (BX)(BX*2), R9
	SUBQ $4, CX
	JL   rest

four:
	MOVQ  (SI), AX
	MOVQ  8(SI), DX
	MOVQ  16(SI), R10
	MOVQ  24(SI), R11
	ADDQ  $32, SI
	PEXTQ R8, AX, AX
	PEXTQ R8, DX, DX
	PEXTQ R8, R10, R10
	PEXTQ R8, R11, R11
	MOVQ  AX, (DI)
	MOVQ  DX, (DI)(BX*1)
	MOVQ  R10, (DI)(BX*2)
	MOVQ  R11, (DI)(R9*1)
	LEAQ  (DI)(BX*4), DI
	SUBQ  $4, CX
	JGE   four

rest:
	ADDQ $4, CX
	JZ   done

one:
	MOVQ  (SI), AX
	ADDQ  $8, SI
	PEXTQ R8, AX, AX
	MOVQ  AX, (DI)
	ADDQ  BX, DI
	DECQ  CX
	JNZ   one

done:
	RET

// func extractBits(dst, src *byte, n, step int, mask uint64)
TEXT ·extractBits(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ step+24(FP), BX
	MOVQ mask+32(FP), R8
	XORL R12, R12            // the bit of the byte where the word begins
	XORL R13, R13            // what is in that byte already

loop:
	MOVQ  (SI), AX
	ADDQ  $8, SI
	PEXTQ R8, AX, AX
	SHLXQ R12, AX, AX
	ORQ   R13, AX
	MOVQ  AX, (DI)
	ADDQ  BX, R12
	MOVQ  R12, DX
	ANDQ  $-8, DX
	ANDQ  $7, R12
	SHRXQ DX, AX, R13
	SHRQ  $3, DX
	ADDQ  DX, DI
	DECQ  CX
	JNZ   loop
	RET

// func extractWide(dst, src *byte, n, step int, mask uint64) uint64
TEXT ·extractWide(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ step+24(FP), BX
	MOVQ mask+32(FP), R8
	XORL R12, R12            // how many bits of the next eight bytes are there
	XORL R13, R13            // these bits

loop:
	MOVQ  (SI), AX
	ADDQ  $8, SI
	PEXTQ R8, AX, AX
	SHLXQ R12, AX, DX
	ORQ   DX, R13
	ADDQ  BX, R12
	CMPQ  R12, $64
	JLT   next
	MOVQ  R13, (DI)
	ADDQ  $8, DI
	SUBQ  $64, R12
	MOVQ  BX, DX
	SUBQ  R12, DX
	SHRXQ DX, AX, R13

next:
	DECQ CX
	JNZ  loop
	MOVQ R13, ret+40(FP)
	RET

DATA ·nibble<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL ·nibble<>(SB), RODATA|NOPTR, $8

// func unpack4Kernel(dst, src *byte, n int, table *[16]byte)
TEXT ·unpack4Kernel(SB), NOSPLIT, $0-32
	MOVQ           dst+0(FP), DI
	MOVQ           src+8(FP), SI
	MOVQ           n+16(FP), CX
	MOVQ           table+24(FP), AX
	VBROADCASTI128 (AX), Y14
	VPBROADCASTQ   ·nibble<>(SB), Y15

loop:
	VPMOVZXBW (SI), Y0
	VPSLLW    $4, Y0, Y1
	VPOR      Y1, Y0, Y0
	VPAND     Y15, Y0, Y0
	VPSHUFB   Y0, Y14, Y0
	VMOVDQU   Y0, (DI)
	ADDQ      $16, SI
	ADDQ      $32, DI
	DECQ      CX
	JNZ       loop
	VZEROUPPER
	RET

// func unpack2Kernel(dst, src *byte, n int, tables *[2][16]byte)
TEXT ·unpack2Kernel(SB), NOSPLIT, $0-32
	MOVQ           dst+0(FP), DI
	MOVQ           src+8(FP), SI
	MOVQ           n+16(FP), CX
	MOVQ           tables+24(FP), AX
	VBROADCASTI128 (AX), Y13
	VBROADCASTI128 16(AX), Y14
	VPBROADCASTQ   ·nibble<>(SB), Y15

loop:
	VPMOVZXBW  (SI), Y0
	VPSLLW     $4, Y0, Y1
	VPOR       Y1, Y0, Y0
	VPAND      Y15, Y0, Y0
	VPSHUFB    Y0, Y13, Y1
	VPSHUFB    Y0, Y14, Y2
	VPUNPCKLBW Y2, Y1, Y3
	VPUNPCKHBW Y2, Y1, Y4
	VPERM2I128 $0x20, Y4, Y3, Y0
	VPERM2I128 $0x31, Y4, Y3, Y1
	VMOVDQU    Y0, (DI)
	VMOVDQU    Y1, 32(DI)
	ADDQ       $16, SI
	ADDQ       $64, DI
	DECQ       CX
	JNZ        loop
	VZEROUPPER
	RET

// Weights of the scalars that become one number, and the order of the parts of
// a result.
DATA ·pack4<>+0(SB)/8, $0x1001100110011001
GLOBL ·pack4<>(SB), RODATA|NOPTR, $8
DATA ·pack2<>+0(SB)/8, $0x0401040104010401
DATA ·pack2<>+8(SB)/8, $0x0010000100100001
DATA ·pack2<>+16(SB)/8, $0x0303030303030303
GLOBL ·pack2<>(SB), RODATA|NOPTR, $24
DATA ·lanes<>+0(SB)/8, $0x0000000400000000
DATA ·lanes<>+8(SB)/8, $0x0000000500000001
DATA ·lanes<>+16(SB)/8, $0x0000000600000002
DATA ·lanes<>+24(SB)/8, $0x0000000700000003
GLOBL ·lanes<>(SB), RODATA|NOPTR, $32

// func pack4Kernel(dst, src *byte, n, first int)
TEXT ·pack4Kernel(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	MOVQ         src+8(FP), SI
	MOVQ         n+16(FP), CX
	VMOVQ        first+24(FP), X13
	VPBROADCASTQ ·pack4<>(SB), Y14
	VPBROADCASTQ ·nibble<>(SB), Y15

loop:
	VMOVDQU    (SI), Y0
	VMOVDQU    32(SI), Y1
	VPSRLW     X13, Y0, Y0
	VPSRLW     X13, Y1, Y1
	VPAND      Y15, Y0, Y0
	VPAND      Y15, Y1, Y1
	VPMADDUBSW Y14, Y0, Y0
	VPMADDUBSW Y14, Y1, Y1
	VPACKUSWB  Y1, Y0, Y0
	VPERMQ     $0xd8, Y0, Y0
	VMOVDQU    Y0, (DI)
	ADDQ       $64, SI
	ADDQ       $32, DI
	DECQ       CX
	JNZ        loop
	VZEROUPPER
	RET

// func pack2Kernel(dst, src *byte, n, first int)
TEXT ·pack2Kernel(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	MOVQ         src+8(FP), SI
	MOVQ         n+16(FP), CX
	VMOVQ        first+24(FP), X11
	VPBROADCASTQ ·pack2<>+0(SB), Y12
	VPBROADCASTQ ·pack2<>+8(SB), Y13
	VPBROADCASTQ ·pack2<>+16(SB), Y15
	VMOVDQU      ·lanes<>(SB), Y14

loop:
	VMOVDQU    (SI), Y0
	VMOVDQU    32(SI), Y1
	VMOVDQU    64(SI), Y2
	VMOVDQU    96(SI), Y3
	VPSRLW     X11, Y0, Y0
	VPSRLW     X11, Y1, Y1
	VPSRLW     X11, Y2, Y2
	VPSRLW     X11, Y3, Y3
	VPAND      Y15, Y0, Y0
	VPAND      Y15, Y1, Y1
	VPAND      Y15, Y2, Y2
	VPAND      Y15, Y3, Y3
	VPMADDUBSW Y12, Y0, Y0
	VPMADDUBSW Y12, Y1, Y1
	VPMADDUBSW Y12, Y2, Y2
	VPMADDUBSW Y12, Y3, Y3
	VPMADDWD   Y13, Y0, Y0
	VPMADDWD   Y13, Y1, Y1
	VPMADDWD   Y13, Y2, Y2
	VPMADDWD   Y13, Y3, Y3
	VPACKUSDW  Y1, Y0, Y0
	VPACKUSDW  Y3, Y2, Y2
	VPACKUSWB  Y2, Y0, Y0
	VPERMD     Y0, Y14, Y0
	VMOVDQU    Y0, (DI)
	ADDQ       $128, SI
	ADDQ       $32, DI
	DECQ       CX
	JNZ        loop
	VZEROUPPER
	RET

// func packBoolsKernel(dst, src *byte, n int, shuffle *[16]byte)
TEXT ·packBoolsKernel(SB), NOSPLIT, $0-32
	MOVQ           dst+0(FP), DI
	MOVQ           src+8(FP), SI
	MOVQ           n+16(FP), CX
	MOVQ           shuffle+24(FP), AX
	VBROADCASTI128 (AX), Y14
	VPXOR          Y15, Y15, Y15

loop:
	VMOVDQU   (SI), Y0
	VMOVDQU   32(SI), Y1
	VPSHUFB   Y14, Y0, Y0
	VPSHUFB   Y14, Y1, Y1
	VPCMPEQB  Y15, Y0, Y0
	VPCMPEQB  Y15, Y1, Y1
	VPMOVMSKB Y0, AX
	VPMOVMSKB Y1, DX
	SHLQ      $32, DX
	ORQ       DX, AX
	NOTQ      AX
	MOVQ      AX, (DI)
	ADDQ      $64, SI
	ADDQ      $8, DI
	DECQ      CX
	JNZ       loop
	VZEROUPPER
	RET

DATA ·byteOfBit<>+0(SB)/8, $0x0000000000000000
DATA ·byteOfBit<>+8(SB)/8, $0x0101010101010101
DATA ·byteOfBit<>+16(SB)/8, $0x0202020202020202
DATA ·byteOfBit<>+24(SB)/8, $0x0303030303030303
GLOBL ·byteOfBit<>(SB), RODATA|NOPTR, $32

// func unpackBoolsKernel(dst, src *byte, n int, weights uint64)
TEXT ·unpackBoolsKernel(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	MOVQ         src+8(FP), SI
	MOVQ         n+16(FP), CX
	VPBROADCASTQ weights+24(FP), Y14
	VMOVDQU      ·byteOfBit<>(SB), Y13
	VPCMPEQB     Y15, Y15, Y15
	VPABSB       Y15, Y15

loop:
	VPBROADCASTD (SI), Y0
	VPBROADCASTD 4(SI), Y1
	VPSHUFB      Y13, Y0, Y0
	VPSHUFB      Y13, Y1, Y1
	VPAND        Y14, Y0, Y0
	VPAND        Y14, Y1, Y1
	VPMINUB      Y15, Y0, Y0
	VPMINUB      Y15, Y1, Y1
	VMOVDQU      Y0, (DI)
	VMOVDQU      Y1, 32(DI)
	ADDQ         $8, SI
	ADDQ         $64, DI
	DECQ         CX
	JNZ          loop
	VZEROUPPER
	RET
