#include "go_asm.h"
#include "textflag.h"

// HASH makes the slot of the eight bytes in v.
#define HASH(v) \
	SHLQ  $24, v           \
	IMULQ R11, v           \
	SHRQ  $(64-const_tableLog), v

// EQUAL counts in AX how many of 64 bytes are equal, behind the first four at
// the offsets a and b. The carry is set if all are.
#define EQUAL(a, b) \
	VMOVDQU   4(R8)(a*1), Y0      \
	VMOVDQU   36(R8)(a*1), Y1     \
	VPCMPEQB  4(R8)(b*1), Y0, Y0  \
	VPCMPEQB  36(R8)(b*1), Y1, Y1 \
	VPMOVMSKB Y0, AX              \
	VPMOVMSKB Y1, CX              \
	SHLQ      $32, CX             \
	ORQ       CX, AX              \
	NOTQ      AX                  \
	TZCNTQ    AX, AX

// TOKEN makes the low half of a token of the length in AX.
#define TOKEN \
	MOVL    $15, DX \
	CMPQ    AX, DX  \
	CMOVQCS AX, DX

// func seekKernel(t *table, dst, src *byte, s *progress, near uint) bool
//
// R8, R10  src, table
// SI, R9   offsets in src: where to look for a match, where literals begin
// DI       where to write
// DX, BX   where a match was seen before, its distance
// AX, CX   length of the match without its first four bytes, of the literals
// R12      from where on no match begins
// R13      where the search ends
// R14      matches without literals between them
// R11      factor of hashes
// 0(SP)    end of dst, 8(SP) the last place for a sequence
TEXT ·seekKernel(SB), NOSPLIT, $16-41
	MOVQ t+0(FP), R10
	MOVQ dst+8(FP), DI
	MOVQ src+16(FP), R8
	MOVQ s+24(FP), AX
	MOVQ progress_room(AX), BX
	ADDQ DI, BX
	MOVQ BX, 0(SP)
	SUBQ $const_sequenceRoom, BX
	MOVQ BX, 8(SP)
	MOVQ progress_ip(AX), SI
	MOVQ progress_lit(AX), R9
	MOVQ progress_limit(AX), R12
	MOVQ progress_joined(AX), R14
	ADDQ progress_op(AX), DI
	MOVQ $889523592379, R11

next:
	MOVQ    0(SP), R13
	SUBQ    DI, R13
	ADDQ    R9, R13
	CMPQ    R13, R12
	CMOVQHI R12, R13
	MOVQ    s+24(FP), CX
	MOVQ    progress_tries(CX), CX

search:
	CMPQ SI, R13
	JCC  none
	MOVQ (R8)(SI*1), AX
	MOVQ AX, BX
	HASH(BX)
	MOVL (R10)(BX*4), DX
	MOVL SI, (R10)(BX*4)
	CMPL AX, (R8)(DX*1)
	JNE  step
	MOVQ SI, BX
	SUBQ DX, BX
	CMPQ BX, $const_maxDistance
	JHI  step
	CMPQ SI, near+32(FP)
	JHI  found
	CMPQ DI, 8(SP)
	JHI  found
	CMPQ SI, R9
	JNE  back

forward:
	EQUAL(SI, DX)
	JCS more

	// Nearly all matches of a plane have no literals before them.
counted:
	MOVQ SI, CX
	SUBQ R9, CX
	JNE  literals
	INCQ R14
	CMPQ R14, $const_joinedMin
	JLS  match
	SUBQ $1, AX
	ADCQ $0, AX

match:
	TOKEN
	MOVB DX, (DI)

	// What goes on with the length is written in any case, as it cannot be
	// predicted whether that is needed.
distance:
	MOVW BX, 1(DI)
	LEAQ -15(AX), DX
	MOVB DX, 3(DI)
	ADDQ $3, DI
	CMPQ AX, $15
	SBBQ $-1, DI
	LEAQ 4(SI)(AX*1), SI
	MOVQ SI, R9
	CMPQ SI, R12
	JCC  none
	MOVQ -2(R8)(SI*1), BX
	HASH(BX)
	LEAQ -2(SI), CX
	MOVL CX, (R10)(BX*4)
	JMP  next

literals:
	CMPQ    CX, $15
	JCC     found
	XORL    R14, R14
	VMOVDQU (R8)(R9*1), X0
	VMOVDQU X0, 1(DI)
	TOKEN
	MOVL    CX, R13
	SHLL    $4, R13
	ORL     R13, DX
	MOVB    DX, (DI)
	ADDQ    CX, DI
	JMP     distance

step:
	MOVQ CX, AX
	SHRQ $6, AX
	ADDQ AX, SI
	INCQ CX
	JMP  search

	// Eight bytes before the match at a time, at most all literals.
back:
	CMPQ    DX, $8
	JCS     found
	MOVQ    -8(R8)(SI*1), AX
	XORQ    -8(R8)(DX*1), AX
	LZCNTQ  AX, AX
	SHRQ    $3, AX
	MOVQ    SI, CX
	SUBQ    R9, CX
	CMPQ    AX, CX
	CMOVQHI CX, AX
	SUBQ    AX, SI
	SUBQ    AX, DX
	CMPQ    AX, $8
	JNE     forward
	CMPQ    SI, R9
	JNE     back
	JMP     forward

	// Longer matches, up to what one byte can say.
more:
	MOVL $64, R13

longer:
	LEAQ (SI)(R13*1), AX
	CMPQ AX, near+32(FP)
	JHI  found
	LEAQ (DX)(R13*1), CX
	EQUAL(AX, CX)
	JCC  grown
	ADDQ $64, R13
	CMPQ R13, $256
	JCS  longer

found:
	MOVB $1, ret+40(FP)
	JMP  done

grown:
	ADDQ R13, AX
	JMP  counted

none:
	MOVB $0, ret+40(FP)

done:
	MOVQ s+24(FP), AX
	SUBQ dst+8(FP), DI
	MOVQ SI, progress_ip(AX)
	MOVQ R9, progress_lit(AX)
	MOVQ DX, progress_from(AX)
	MOVQ DI, progress_op(AX)
	MOVQ R14, progress_joined(AX)
	VZEROUPPER
	RET
