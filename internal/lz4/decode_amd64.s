#include "go_asm.h"
#include "textflag.h"

// LENGTH reads distance and length of the match that follows the literals. The
// byte that goes on with the length is read in any case, since it cannot be
// predicted whether there is one. The table of patterns begins with zeros.
#define LENGTH(long) \
	ANDL    $15, AX         \
	MOVWLZX 1(R12), DX      \
	MOVBLZX 3(R12), CX      \
	CMPL    AX, $15         \
	CMOVLNE (R14), CX       \
	SBBQ    $-4, R12        \
	LEAL    4(AX)(CX*1), AX \
	CMPL    CX, $255        \
	JEQ     long

// MATCH copies the first 32 bytes of a match. Overlaps cannot be predicted
// either: all of them are shuffled, most into what they were.
#define MATCH(leave, more) \
	TESTL          DX, DX                \
	JEQ            leave                 \
	MOVQ           DI, R11               \
	SUBQ           DX, R11               \
	CMPQ           R11, dst+0(FP)        \
	JCS            leave                 \
	MOVL           $32, BX               \
	CMPL           DX, BX                \
	CMOVLCS        DX, BX                \
	SHLL           $6, BX                \
	VMOVDQU        (R11), Y0             \
	VBROADCASTI128 (R11), Y1             \
	VPSHUFB        (R14)(BX*1), Y0, Y0   \
	VPSHUFB        32(R14)(BX*1), Y1, Y1 \
	VPOR           Y0, Y1, Y0            \
	VMOVDQU        Y0, (DI)              \
	CMPQ           AX, $32               \
	JHI            more                  \
	ADDQ           AX, DI                \
	MOVQ           R12, SI

// func decodeKernel(dst *byte, dstLen int, src *byte, srcLen, ip, op int, p *patternTable) (newIP, newOP int)
//
// SI, DI   where to read and write
// R12      where to read behind the literals
// R10, R9  from where on too little is left: 48 and 64 bytes before the ends
// R14      table of patterns
// AX       token, then length of the match
// R13, DX  length of the literals, distance
// R8       how much longer to stay in the loop for long literals
TEXT ·decodeKernel(SB), NOSPLIT, $0-72
	MOVQ dst+0(FP), DI
	MOVQ dstLen+8(FP), R9
	MOVQ src+16(FP), SI
	MOVQ srcLen+24(FP), R10
	MOVQ p+48(FP), R14
	LEAQ -64(DI)(R9*1), R9
	LEAQ -48(SI)(R10*1), R10
	ADDQ ip+32(FP), SI
	ADDQ op+40(FP), DI
	JMP  next

	// This loop is for literals that are mostly short.
sequence:
	MOVBLZX (SI), AX
	VMOVDQU 1(SI), X0
	MOVL    AX, R13
	SHRL    $4, R13
	CMPL    R13, $15
	JEQ     literals
	VMOVDQU X0, (DI)
	LEAQ    (SI)(R13*1), R12
	ADDQ    R13, DI
	LENGTH(long)

match:
	MATCH(leave, more)

next:
	CMPQ DI, R9
	JHI  done
	CMPQ SI, R10
	JLS  sequence

done:
	SUBQ src+16(FP), SI
	SUBQ dst+0(FP), DI
	MOVQ SI, newIP+56(FP)
	MOVQ DI, newOP+64(FP)
	VZEROUPPER
	RET

leave:
	SUBQ R13, DI
	JMP  done

more:
	ADDQ    DI, AX
	CMPQ    AX, R9
	JHI     leave
	MOVQ    R12, SI
	ADDQ    $32, DI
	CMPL    DX, $32
	JHI     far
	MOVBLZX patternTable_step(R14)(DX*1), DX
	CMPL    DX, $32
	JEQ     fill

far:
	MOVQ DI, R11
	SUBQ DX, R11

copy:
	VMOVDQU (R11), Y0
	VMOVDQU Y0, (DI)
	ADDQ    $32, R11
	ADDQ    $32, DI
	CMPQ    DI, AX
	JCS     copy
	MOVQ    AX, DI
	JMP     next

fill:
	VMOVDQU Y0, (DI)
	ADDQ    $32, DI
	CMPQ    DI, AX
	JCS     fill
	MOVQ    AX, DI
	JMP     next

long:
	CMPQ    R12, R10
	JHI     leave
	MOVBLZX (R12), BX
	INCQ    R12
	ADDQ    BX, AX
	CMPL    BX, $255
	JEQ     long
	JMP     match

	// The other loop begins at long literals. It takes the next ones to be long
	// or short as may be, does not guess, and copies 32 of them. It ends when few
	// follow for a while: six a sequence keep it going.
literals:
	MOVL $16, R8
	LEAQ 1(SI), R12

sum:
	CMPQ    R12, R10
	JHI     done
	MOVBLZX (R12), BX
	INCQ    R12
	ADDQ    BX, R13
	CMPL    BX, $255
	JEQ     sum

copyLiterals:
	LEAQ -1(R12)(R13*1), R11
	LEAQ (DI)(R13*1), BX
	CMPQ R11, R10
	JCC  done
	CMPQ BX, R9
	JHI  done

literals32:
	VMOVDQU (R12), Y0
	VMOVDQU Y0, (DI)
	ADDQ    $32, R12
	ADDQ    $32, DI
	CMPQ    DI, BX
	JCS     literals32
	MOVQ    R11, R12
	MOVQ    BX, DI

literalMatch:
	LENGTH(long)
	MATCH(leave, more)
	CMPQ    DI, R9
	JHI     done
	CMPQ    SI, R10
	JHI     done
	SUBQ    $6, R8
	JLT     sequence
	MOVBLZX (SI), AX
	MOVBLZX 1(SI), BX
	MOVL    AX, R13
	SHRL    $4, R13
	MOVQ    SI, R12
	CMPL    AX, $240
	CMOVLCS (R14), BX
	SBBQ    $-2, R12
	ADDL    BX, R13
	CMPL    R13, $32
	JHI     manyLiterals
	ADDQ    R13, R8
	VMOVDQU (R12), Y0
	VMOVDQU Y0, (DI)
	LEAQ    -1(R12)(R13*1), R12
	ADDQ    R13, DI
	JMP     literalMatch

manyLiterals:
	CMPL BX, $255
	JNE  copyLiterals
	JMP  sum
