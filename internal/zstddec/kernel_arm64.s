#include "go_asm.h"
#include "textflag.h"

#define COPY32 \
	FLDPQ (R21), (F1, F2) \
	FSTPQ (F1, F2), (R19)

#define COPY64 \
	FLDPQ (R21), (F1, F2)   \
	FLDPQ 32(R21), (F3, F4) \
	FSTPQ (F1, F2), (R19)   \
	FSTPQ (F3, F4), 32(R19)

// RARELY makes R25 an offset where it hardly ever is one of those before, MAYBE where
// that cannot be predicted. Without literals, the offset before last counts as the
// last one, and the fourth is one less than the last.
#define RARELY \
	CMP  $3, R25 \
	BLS  repeat  \
	SUB  $3, R25 \
	MOVD R8, R9  \
	MOVD R7, R8  \
	MOVD R25, R7

#define RARELYTHEN \
repeat:                   \
	CMP  $1, R23          \
	CINC LO, R25, R25     \
	CMP  $2, R25          \
	BHI  older            \
	BEQ  second           \
	MOVD R7, R25          \
	B    copy             \
second:                   \
	MOVD R8, R25          \
	MOVD R7, R8           \
	MOVD R25, R7          \
	B    copy             \
older:                    \
	CMP  $3, R25          \
	SUB  $1, R7, R25      \
	CSEL EQ, R9, R25, R25 \
	MOVD R8, R9           \
	MOVD R7, R8           \
	MOVD R25, R7          \
	CBNZ R25, copy

#define MAYBE \
	CMP  $1, R23           \
	CINC LO, R25, R26      \
	SUB  $1, R7, R19       \
	CMP  $3, R26           \
	CSEL EQ, R9, R19, R19  \
	CSEL HS, R8, R9, R9    \
	CMP  $2, R26           \
	CSEL EQ, R8, R19, R19  \
	CSEL LO, R7, R19, R19  \
	CSEL HS, R7, R8, R8    \
	SUBS $3, R25           \
	CSEL LS, R19, R25, R25 \
	MOVD R25, R7           \
	CBZ  R25, decoded

// func sequencesNew(s *sequenceDecoder, end int, p *patternTable) pause
#define COPY 32
#define FIRST COPY32
#define REPEAT RARELY
#define REPEATED RARELYTHEN

TEXT ·sequencesNew(SB), NOSPLIT, $0-32
#include "sequences_arm64.h"

#undef REPEAT
#undef REPEATED
#define REPEAT MAYBE
#define REPEATED

// func sequencesAgain(s *sequenceDecoder, end int, p *patternTable) pause
TEXT ·sequencesAgain(SB), NOSPLIT, $0-32
#include "sequences_arm64.h"

#undef COPY
#undef FIRST
#define COPY 64
#define FIRST COPY64

// func sequencesLong(s *sequenceDecoder, end int, p *patternTable) pause
TEXT ·sequencesLong(SB), NOSPLIT, $0-32
#include "sequences_arm64.h"

// A lane is a word of the stream, whose highest bits are next. Its lowest set bit
// marks how many were used.

// LOAD makes a lane of a stream and of the bits that it has left. R20 has lanes.
#define LOAD(lane, v, ip) \
	MOVD (lanes_left+8*(lane))(R20), R21 \
	MOVD (lanes_base+8*(lane))(R20), R22 \
	ADD  $7, R21, ip                     \
	ADD  ip>>3, R22, ip                  \
	NEG  R21, R21                        \
	AND  $7, R21                         \
	SUB  $8, ip                          \
	MOVD (ip), v                         \
	ORR  $1, v                           \
	LSL  R21, v, v

// SAVE counts the bits that are left.
#define SAVE(lane, v, ip) \
	MOVD (lanes_base+8*(lane))(R20), R22 \
	RBIT v, R21                          \
	CLZ  R21, R21                        \
	SUB  R22, ip, R22                    \
	LSL  $3, R22                         \
	ADD  $64, R22                        \
	SUB  R21, R22                        \
	MOVD R22, (lanes_left+8*(lane))(R20)

// SYMBOL decodes one literal.
#define SYMBOL(table, v, e, to) \
	LSR   $53, v, e        \
	MOVHU (table)(e<<1), e \
	LSL   e, v, v          \
	LSR   $8, e, e         \
	MOVB  e, to

// ONE and OTHER decode literal i of four lanes each.
#define ONE(i) \
	SYMBOL(R8, R0, R20, i(R10)) \
	SYMBOL(R8, R1, R21, i(R11)) \
	SYMBOL(R8, R2, R22, i(R12)) \
	SYMBOL(R8, R3, R23, i(R13))

#define OTHER(i) \
	SYMBOL(R9, R4, R20, i(R14)) \
	SYMBOL(R9, R5, R21, i(R15)) \
	SYMBOL(R9, R6, R22, i(R16)) \
	SYMBOL(R9, R7, R23, i(R17))

#define REFILL(v, ip) \
	RBIT v, R20         \
	CLZ  R20, R20       \
	SUB  R20>>3, ip, ip \
	AND  $7, R20        \
	MOVD (ip), v        \
	ORR  $1, v          \
	LSL  R20, v, v

// func fourStreams(l *lanes)
//
// R0 to R3    lanes
// R4 to R7    where they were loaded from
// R8          the table
// R10 to R13  where they are written
// R19         the end of the first
TEXT ·fourStreams(SB), NOSPLIT, $0-8
	MOVD l+0(FP), R20
	LOAD(0, R0, R4)
	LOAD(1, R1, R5)
	LOAD(2, R2, R6)
	LOAD(3, R3, R7)
	MOVD lanes_tables(R20), R8
	MOVD lanes_out(R20), R10
	MOVD lanes_step(R20), R21
	MOVD lanes_rounds(R20), R22
	ADD  R21, R10, R11
	ADD  R21, R11, R12
	ADD  R21, R12, R13
	ADD  R22<<2, R22, R22
	ADD  R22, R10, R19

four:
	ONE(0)
	ONE(1)
	ONE(2)
	ONE(3)
	ONE(4)
	REFILL(R0, R4)
	REFILL(R1, R5)
	REFILL(R2, R6)
	REFILL(R3, R7)
	ADD $5, R10
	ADD $5, R11
	ADD $5, R12
	ADD $5, R13
	CMP R19, R10
	BLO four

	MOVD l+0(FP), R20
	SAVE(0, R0, R4)
	SAVE(1, R1, R5)
	SAVE(2, R2, R6)
	SAVE(3, R3, R7)
	RET

// LOADTWO and SAVETWO are for lanes that were loaded from what the stack has.
#define LOADTWO(lane, v, w, slot) \
	LOAD(lane, v, R23)   \
	LOAD(lane+1, w, R24) \
	STP (R23, R24), slot

#define SAVETWO(lane, v, w, slot) \
	LDP slot, (R23, R24) \
	SAVE(lane, v, R23)   \
	SAVE(lane+1, w, R24)

#define REFILLTWO(v, w, slot) \
	LDP slot, (R23, R24) \
	REFILL(v, R23)       \
	REFILL(w, R24)       \
	STP (R23, R24), slot

// func eightStreams(l *lanes)
//
// R0 to R7    lanes; where they were loaded from is on the stack
// R8, R9      tables of the first and the last four
// R10 to R17  where they are written
// R19         the end of the first
TEXT ·eightStreams(SB), NOSPLIT, $64-8
	MOVD l+0(FP), R20
	LOADTWO(0, R0, R1, ip01-64(SP))
	LOADTWO(2, R2, R3, ip23-48(SP))
	LOADTWO(4, R4, R5, ip45-32(SP))
	LOADTWO(6, R6, R7, ip67-16(SP))
	MOVD lanes_tables+0(R20), R8
	MOVD lanes_tables+8(R20), R9
	MOVD lanes_out+0(R20), R10
	MOVD lanes_rounds(R20), R22
	MOVD lanes_out+8(R20), R14
	MOVD lanes_step+0(R20), R21
	MOVD lanes_step+8(R20), R23
	ADD  R21, R10, R11
	ADD  R21, R11, R12
	ADD  R21, R12, R13
	ADD  R23, R14, R15
	ADD  R23, R15, R16
	ADD  R23, R16, R17
	ADD  R22<<2, R22, R22
	ADD  R22, R10, R19

eight:
	ONE(0)
	OTHER(0)
	ONE(1)
	OTHER(1)
	ONE(2)
	OTHER(2)
	ONE(3)
	OTHER(3)
	ONE(4)
	OTHER(4)
	REFILLTWO(R0, R1, ip01-64(SP))
	REFILLTWO(R2, R3, ip23-48(SP))
	REFILLTWO(R4, R5, ip45-32(SP))
	REFILLTWO(R6, R7, ip67-16(SP))
	ADD $5, R10
	ADD $5, R11
	ADD $5, R12
	ADD $5, R13
	ADD $5, R14
	ADD $5, R15
	ADD $5, R16
	ADD $5, R17
	CMP R19, R10
	BLO eight

	MOVD l+0(FP), R20
	SAVETWO(0, R0, R1, ip01-64(SP))
	SAVETWO(2, R2, R3, ip23-48(SP))
	SAVETWO(4, R4, R5, ip45-32(SP))
	SAVETWO(6, R6, R7, ip67-16(SP))
	RET
