#include "textflag.h"

// LENGTH reads distance and length of the match that follows the literals. The
// byte that goes on with the length is read in any case, since it cannot be
// predicted whether there is one.
#define LENGTH(long) \
	AND   $15, R6        \
	MOVHU 1(R2), R8      \
	MOVBU 3(R2), R9      \
	CMP   $15, R6        \
	CSEL  EQ, R9, ZR, R9 \
	CINC  EQ, R2, R2     \
	ADD   $3, R2         \
	ADD   $4, R6         \
	ADD   R9, R6         \
	CMP   $255, R9       \
	BEQ   long

// MATCH copies the first 32 bytes of a match. Overlaps cannot be predicted
// either: all of them are looked up, most where they are. What comes first is
// never behind the first 16.
#define MATCH(leave, more) \
	CBZ   R8, leave                        \
	SUB   R8, R0, R10                      \
	CMP   R12, R10                         \
	BLO   leave                            \
	CMP   $32, R8                          \
	CSEL  LO, R8, R13, R9                  \
	ADD   R9<<5, R5, R9                    \
	FLDPQ (R10), (F0, F1)                  \
	FLDPQ (R9), (F2, F3)                   \
	VTBL  V2.B16, [V0.B16], V2.B16         \
	VTBL  V3.B16, [V0.B16, V1.B16], V3.B16 \
	FSTPQ (F2, F3), (R0)                   \
	CMP   $32, R6                          \
	BHI   more                             \
	ADD   R6, R0                           \
	MOVD  R2, R1

// LEFT sets the flags to lower or same if both buffers have their margins yet.
#define LEFT \
	CMP  R3, R0 \
	CCMP LS, R1, R4, $2

// func decodeKernel(dst *byte, dstLen int, src *byte, srcLen, ip, op int, p *patternTable) (newIP, newOP int)
//
// R1, R0   where to read and write
// R2       where to read behind the literals
// R4, R3   from where on too little is left: 48 and 64 bytes before the ends
// R5       table of patterns
// R6       token, then length of the match
// R7, R8   length of the literals, distance
// R11      how much longer to stay in the loop for long literals
// R12      begin of dst
// R13      32
TEXT ·decodeKernel(SB), NOSPLIT, $0-72
	MOVD dst+0(FP), R12
	MOVD dstLen+8(FP), R3
	MOVD src+16(FP), R1
	MOVD srcLen+24(FP), R4
	MOVD ip+32(FP), R6
	MOVD op+40(FP), R0
	MOVD p+48(FP), R5
	MOVD $32, R13
	ADD  R12, R3
	SUB  $64, R3
	ADD  R1, R4
	SUB  $48, R4
	ADD  R6, R1
	ADD  R12, R0
	B    next

	// This loop is for literals that are mostly short.
sequence:
	MOVBU (R1), R6
	FMOVQ 1(R1), F0
	LSR   $4, R6, R7
	CMP   $15, R7
	BEQ   literals
	FMOVQ F0, (R0)
	ADD   R7, R1, R2
	ADD   R7, R0
	LENGTH(long)

match:
	MATCH(leave, more)

next:
	LEFT
	BLS sequence

done:
	MOVD src+16(FP), R6
	SUB  R6, R1
	SUB  R12, R0
	MOVD R1, newIP+56(FP)
	MOVD R0, newOP+64(FP)
	RET

leave:
	SUB R7, R0
	B   done

more:
	ADD R0, R6
	CMP R3, R6
	BHI leave
	MOVD R2, R1
	ADD $32, R0
	CMP $32, R8
	BHI far

	// The last byte of a pattern tells where its last repetition begins: the
	// smallest multiple of the distance from 32 on is one distance further.
	MOVBU 31(R9), R9
	SUB   R9, R8
	ADD   $31, R8
	CMP   $32, R8
	BEQ   fill

far:
	SUB R8, R0, R10

copy:
	FLDPQ.P 32(R10), (F0, F1)
	FSTPQ.P (F0, F1), 32(R0)
	CMP     R6, R0
	BLO     copy
	MOVD    R6, R0
	B       next

fill:
	FSTPQ.P (F2, F3), 32(R0)
	CMP     R6, R0
	BLO     fill
	MOVD    R6, R0
	B       next

long:
	CMP     R4, R2
	BHI     leave
	MOVBU.P 1(R2), R9
	ADD     R9, R6
	CMP     $255, R9
	BEQ     long
	B       match

	// The other loop begins at long literals. It takes the next ones to be long
	// or short as may be, does not guess, and copies 32 of them. It ends when few
	// follow for a while: six a sequence keep it going.
literals:
	MOVD $16, R11
	ADD  $1, R1, R2

sum:
	CMP     R4, R2
	BHI     done
	MOVBU.P 1(R2), R9
	ADD     R9, R7
	CMP     $255, R9
	BEQ     sum

copyLiterals:
	ADD R7, R2, R10
	SUB $1, R10
	ADD R7, R0, R9
	CMP R4, R10
	BHS done
	CMP R3, R9
	BHI done

literals32:
	FLDPQ.P 32(R2), (F0, F1)
	FSTPQ.P (F0, F1), 32(R0)
	CMP     R9, R0
	BLO     literals32
	MOVD    R10, R2
	MOVD    R9, R0

literalMatch:
	LENGTH(long)
	MATCH(leave, more)
	LEFT
	BHI   done
	SUBS  $6, R11
	BLT   sequence
	MOVBU (R1), R6
	MOVBU 1(R1), R9
	LSR   $4, R6, R7
	CMP   $15, R7
	CSEL  EQ, R9, ZR, R9
	CINC  EQ, R1, R2
	ADD   R9, R7
	ADD   $1, R2, R10
	CMP   $32, R7
	BHI   manyLiterals
	ADD   R7, R11
	FLDPQ (R10), (F0, F1)
	FSTPQ (F0, F1), (R0)
	ADD   R7, R2
	ADD   R7, R0
	B     literalMatch

manyLiterals:
	MOVD R10, R2
	CMP  $255, R9
	BNE  copyLiterals
	B    sum
