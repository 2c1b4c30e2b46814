#include "go_asm.h"
#include "textflag.h"

// The loop of fast.go, see there. Registers:
//
//	AX  the entry of the next bits, then scratch
//	BX  bits, the next lowest
//	DX  how many of them there are: its low six bits
//	SI  where to read, DI where to write
//	R8  table of literals and lengths, R9 of distances
//	R10 last place to read from at the begin of a turn, R11 to write to
//	R12 how many bits of the first table are looked up
//	R13 length of a match, then its end
//	R14 bits as they were before the entry that is looked at
//	R15 distance
//
// The entry of a match, which may begin with a literal, is kept on the stack with DX and SI as they
// are behind it: whatever the loop does not know is left to Go, as if that entry had not
// been looked at.

// What an entry is.
#define isLong    $const_isLong
#define hasExtra  $const_hasExtra
#define isSpecial $const_isSpecial
#define isLiteral $const_isLiteral

// REFILL reads on to have 56 bits or more.
#define REFILL \
	MOVQ  (SI), CX; \
	SHLXQ DX, CX, CX; \
	ORQ   CX, BX; \
	RORXL $3, DX, CX; \
	ANDL  $7, CX; \
	SUBQ  CX, SI; \
	ADDQ  $7, SI; \
	ORQ   $56, DX

// LOOKUP finds the entry of the next bits.
#define LOOKUP \
	BZHIQ R12, BX, AX; \
	MOVL  (R8)(AX*4), AX

// TAKE uses an entry up, and writes its literals, if it has any.
#define TAKE \
	MOVQ  BX, R14; \
	SHRXQ AX, BX, BX; \
	SUBQ  AX, DX; \
	RORXL $16, AX, CX; \
	MOVW  CX, (DI); \
	RORXL $6, AX, CX; \
	ANDL  $3, CX; \
	ADDQ  CX, DI

// func fastBMI2(t *turns)
TEXT ·fastBMI2(SB), NOSPLIT, $32-8
	MOVQ t+0(FP), AX
	MOVQ turns_src(AX), SI
	MOVQ turns_dst(AX), DI
	MOVQ turns_srcEnd(AX), R10
	MOVQ turns_dstEnd(AX), R11
	MOVQ turns_first(AX), CX
	MOVQ CX, first-32(SP)
	MOVQ $const_litBits, R12
	MOVQ turns_lit(AX), R8
	MOVQ turns_off(AX), R9
	MOVQ turns_bb(AX), BX
	MOVQ turns_bn(AX), DX
	REFILL
	LOOKUP

loop:
	CMPQ SI, R10
	JHI  done
	CMPQ DI, R11
	JHI  done
	TAKE
	TESTL isLiteral, AX
	JZ    match
	LOOKUP
	TAKE
	TESTL isLiteral, AX
	JZ    match
	LOOKUP
	TAKE
	TESTL isLiteral, AX
	JZ    match
	LOOKUP
	REFILL
	JMP  loop

match:
	MOVQ  AX, entry-8(SP)
	MOVQ  DX, bn-16(SP)
	MOVQ  SI, ip-24(SP)
	MOVL  AX, R13
	SHRL  $24, R13
	ADDL  $const_minMatch, R13
	TESTL isSpecial, AX
	JNZ   special

distance:
	MOVBLZX BX, CX // offBits of them
	MOVL    (R9)(CX*4), R15
	REFILL
	TESTL   isSpecial, R15
	JNZ     longDistance

distanceKnown:
	RORXL $8, R15, CX
	ANDL  $15, CX
	BZHIQ R15, BX, AX
	SHRXQ CX, AX, AX
	SHRXQ R15, BX, BX
	SUBQ  R15, DX
	SHRL  $16, R15
	ADDQ  AX, R15
	MOVQ  DI, CX
	SUBQ  first-32(SP), CX
	CMPQ  R15, CX
	JHI   back
	LOOKUP
	REFILL
	ADDQ  DI, R13
	MOVQ  DI, CX
	SUBQ  R15, CX
	CMPQ  R15, $16
	JB    near

copy32:
	MOVOU (CX), X0
	MOVOU X0, (DI)
	MOVOU 16(CX), X1
	MOVOU X1, 16(DI)
	ADDQ  $32, CX
	ADDQ  $32, DI
	CMPQ  DI, R13
	JB    copy32
	MOVQ  R13, DI
	JMP   loop

near:
	CMPQ R15, $8
	JB   repeat

copy8:
	MOVQ (CX), R14
	MOVQ R14, (DI)
	ADDQ $8, CX
	ADDQ $8, DI
	CMPQ DI, R13
	JB   copy8
	MOVQ R13, DI
	JMP  loop

repeat:
	MOVQ    (CX), R14
	MOVL    R15, CX
	SHLL    $3, CX
	BZHIQ   CX, R14, R14
	LEAQ    ·repeated(SB), CX
	IMULQ   (CX)(R15*8), R14
	LEAQ    ·repeatSteps(SB), CX
	MOVBLZX (CX)(R15*1), CX

repeating:
	MOVQ R14, (DI)
	ADDQ CX, DI
	CMPQ DI, R13
	JB   repeating
	MOVQ R13, DI
	JMP  loop

special:
	TESTL isLong, AX
	JZ    short
	MOVL  AX, CX
	SHRL  $8, CX
	ANDL  $15, CX
	BZHIQ CX, BX, CX
	SHRL  $16, AX
	ADDL  CX, AX
	CMPL  AX, $const_litSize
	JAE   back
	MOVL  (R8)(AX*4), AX
	SHRXQ AX, BX, BX
	SUBQ  AX, DX
	TESTL isLiteral, AX
	JZ    longLength
	MOVL  AX, CX
	SHRL  $16, CX
	MOVW  CX, (DI)
	INCQ  DI
	REFILL
	LOOKUP
	JMP   loop

longLength:
	MOVL AX, R13
	SHRL $24, R13
	ADDL $const_minMatch, R13

short:
	TESTL hasExtra, AX
	JZ    noExtra
	SHRL  $8, AX
	ANDL  $15, AX
	BZHIQ AX, BX, CX
	ADDQ  CX, R13
	SHRXQ AX, BX, BX
	SUBQ  AX, DX
	JMP   distance

noExtra:
	TESTL isSpecial, AX
	JZ    distance
	JMP   back

longDistance:
	TESTL isLong, R15
	JZ    back
	SHRQ  $const_offBits, BX
	SUBQ  $const_offBits, DX
	MOVL  R15, CX
	SHRL  $8, CX
	ANDL  $15, CX
	BZHIQ CX, BX, CX
	SHRL  $16, R15
	ADDL  CX, R15
	CMPL  R15, $const_offSize
	JAE   back
	MOVL  (R9)(R15*4), R15
	JMP   distanceKnown

back:
	MOVQ R14, BX
	MOVQ entry-8(SP), AX
	MOVQ bn-16(SP), DX
	MOVQ ip-24(SP), SI
	ADDQ AX, DX
	SHRL $6, AX
	ANDL $3, AX
	SUBQ AX, DI

done:
	MOVQ t+0(FP), AX
	MOVQ SI, turns_src(AX)
	MOVQ DI, turns_dst(AX)
	MOVQ BX, turns_bb(AX)
	MOVQ DX, turns_bn(AX)
	RET
