#include "go_asm.h"
#include "textflag.h"

// HASH makes the slot of the low five bytes of v.
#define HASH(v, slot) \
	MUL R12, v, slot \
	LSR $(64-const_tableLog), slot, slot

// EQUAL counts in R5 how many of 64 bytes are equal, behind the first four at
// the offsets a and b: 64 if all are. It uses R6. A bit of each byte that is
// equal stays, at the place that it has among those of eight bytes.
#define EQUAL(a, b) \
	ADD   R8, a, R5                              \
	ADD   R8, b, R6                              \
	ADD   $4, R5                                 \
	ADD   $4, R6                                 \
	VLD1  (R5), [V0.B16, V1.B16, V2.B16, V3.B16] \
	VLD1  (R6), [V4.B16, V5.B16, V6.B16, V7.B16] \
	VCMEQ V0.B16, V4.B16, V0.B16                 \
	VCMEQ V1.B16, V5.B16, V1.B16                 \
	VCMEQ V2.B16, V6.B16, V2.B16                 \
	VCMEQ V3.B16, V7.B16, V3.B16                 \
	VAND  V16.B16, V0.B16, V0.B16                \
	VAND  V16.B16, V1.B16, V1.B16                \
	VAND  V16.B16, V2.B16, V2.B16                \
	VAND  V16.B16, V3.B16, V3.B16                \
	VADDP V1.B16, V0.B16, V0.B16                 \
	VADDP V3.B16, V2.B16, V2.B16                 \
	VADDP V2.B16, V0.B16, V0.B16                 \
	VADDP V0.B16, V0.B16, V0.B16                 \
	VMOV  V0.D[0], R5                            \
	MVN   R5, R5                                 \
	RBIT  R5, R5                                 \
	CLZ   R5, R5

// TOKEN makes the low half of a token of the length in R5.
#define TOKEN \
	CMP  $15, R5 \
	CSEL LO, R5, R21, R3

// func seekKernel(t *table, dst, src *byte, s *progress, near uint) bool
//
// R8, R10  src, table
// R1, R2   offsets in src: where to look for a match, where literals begin
// R0       where to write
// R3, R4   where a match was seen before, its distance
// R5, R6   length of the match without its first four bytes, of the literals
// R7       from where on no match begins
// R9       where the search ends
// R11      matches without literals between them
// R12      factor of hashes, for the low five of eight bytes
// R13, R14 end of dst, the last place for a sequence
// R15      near
// R16, R17 tries of a search that begins, s
// R20      how many bytes of a long match are known to be equal
// R21      15
// V16      a bit for each of eight bytes, twice
TEXT ·seekKernel(SB), NOSPLIT, $0-41
	MOVD t+0(FP), R10
	MOVD dst+8(FP), R0
	MOVD src+16(FP), R8
	MOVD s+24(FP), R17
	MOVD near+32(FP), R15
	MOVD progress_room(R17), R13
	ADD  R0, R13
	SUB  $const_sequenceRoom, R13, R14
	MOVD progress_ip(R17), R1
	MOVD progress_lit(R17), R2
	MOVD progress_limit(R17), R7
	MOVD progress_joined(R17), R11
	MOVD progress_tries(R17), R16
	MOVD progress_op(R17), R4
	ADD  R4, R0
	MOVD $(889523592379<<24), R12
	MOVD $15, R21
	MOVD $0x8040201008040201, R5
	VDUP R5, V16.D2

next:
	SUB  R0, R13, R9
	ADD  R2, R9
	CMP  R7, R9
	CSEL HI, R7, R9, R9
	MOVD R16, R6

search:
	CMP   R9, R1
	BHS   none
	MOVD  (R8)(R1), R5
	HASH(R5, R4)
	MOVWU (R10)(R4<<2), R3
	MOVW  R1, (R10)(R4<<2)
	MOVWU (R8)(R3), R19
	CMPW  R5, R19
	BNE   step
	SUB   R3, R1, R4
	CMP   $const_maxDistance, R4
	BHI   step
	CMP   R15, R1
	CCMP  LS, R0, R14, $2
	BHI   found
	CMP   R2, R1
	BNE   back

forward:
	EQUAL(R1, R3)
	CMP $64, R5
	BEQ more

	// Nearly all matches of a plane have no literals before them.
counted:
	SUBS R2, R1, R6
	BNE  literals
	ADD  $1, R11
	CMP  $const_joinedMin, R11
	BLS  match
	SUBS $1, R5
	CINC LO, R5, R5

match:
	TOKEN
	MOVB R3, (R0)

	// What goes on with the length is written in any case, as it cannot be
	// predicted whether that is needed.
distance:
	MOVH R4, 1(R0)
	SUB  $15, R5, R6
	MOVB R6, 3(R0)
	ADD  $3, R0
	CMP  $15, R5
	CINC HS, R0, R0
	ADD  R5, R1
	ADD  $4, R1
	MOVD R1, R2
	CMP  R7, R1
	BHS  none
	ADD  R8, R1, R5
	MOVD -2(R5), R4
	HASH(R4, R4)
	SUB  $2, R1, R6
	MOVW R6, (R10)(R4<<2)
	B    next

literals:
	CMP   $15, R6
	BHS   found
	MOVD  ZR, R11
	ADD   R8, R2, R19
	FMOVQ (R19), F0
	FMOVQ F0, 1(R0)
	TOKEN
	ORR   R6<<4, R3
	MOVB  R3, (R0)
	ADD   R6, R0
	B     distance

step:
	ADD R6>>6, R1
	ADD $1, R6
	B   search

	// Eight bytes before the match at a time, at most all literals.
back:
	CMP  $8, R3
	BLO  found
	ADD  R8, R1, R5
	ADD  R8, R3, R6
	MOVD -8(R5), R5
	MOVD -8(R6), R6
	EOR  R6, R5
	CLZ  R5, R5
	LSR  $3, R5
	SUB  R2, R1, R6
	CMP  R6, R5
	CSEL HI, R6, R5, R5
	SUB  R5, R1
	SUB  R5, R3
	CMP  $8, R5
	BNE  forward
	CMP  R2, R1
	BNE  back
	B    forward

	// Longer matches, up to what one byte can say.
more:
	MOVD $64, R20

longer:
	ADD R20, R1, R5
	CMP R15, R5
	BHI found
	ADD R20, R3, R6
	EQUAL(R5, R6)
	CMP $64, R5
	BNE grown
	ADD $64, R20
	CMP $256, R20
	BLO longer

found:
	MOVD $1, R5
	B    done

grown:
	ADD R20, R5
	B   counted

none:
	MOVD ZR, R5

done:
	MOVB R5, ret+40(FP)
	MOVD dst+8(FP), R4
	SUB  R4, R0
	MOVD R1, progress_ip(R17)
	MOVD R2, progress_lit(R17)
	MOVD R3, progress_from(R17)
	MOVD R0, progress_op(R17)
	MOVD R11, progress_joined(R17)
	RET
