#include "go_asm.h"
#include "textflag.h"

DATA seven<>(SB)/8, $7
GLOBL seven<>(SB), RODATA|NOPTR, $8

DATA top<>(SB)/8, $0x8000000000000000
GLOBL top<>(SB), RODATA|NOPTR, $8

#define COPY16 \
	VMOVDQU (AX), X1 \
	VMOVDQU X1, (CX)

#define COPY32 \
	VMOVDQU (AX), Y1 \
	VMOVDQU Y1, (CX)

#define COPY64 \
	VMOVDQU (AX), Y1   \
	VMOVDQU 32(AX), Y2 \
	VMOVDQU Y1, (CX)   \
	VMOVDQU Y2, 32(CX)

// RARELY makes BP an offset where it hardly ever is one of those before, MAYBE where
// that cannot be predicted. Without literals, the offset before last counts as the
// last one, and the fourth is one less than the last.
#define RARELY \
	CMPQ  BP, $3   \
	JLS   repeat   \
	SUBQ  $3, BP       \
	VMOVQ 32(SP), X15  \
	MOVQ  R11, 32(SP)  \
	MOVQ  BP, R11

#define RARELYTHEN \
repeat:                \
	CMPQ    BX, $1      \
	ADCQ    $0, BP      \
	CMPQ    BP, $2      \
	JHI     older       \
	JEQ     second      \
	MOVQ    R11, BP     \
	JMP     copy        \
second:                \
	MOVQ    32(SP), BP  \
	MOVQ    R11, 32(SP) \
	MOVQ    BP, R11     \
	JMP     copy        \
older:                 \
	VMOVQ   X15, CX     \
	CMPQ    BP, $3      \
	LEAQ    -1(R11), BP \
	CMOVQEQ CX, BP      \
	VMOVQ   32(SP), X15 \
	MOVQ    R11, 32(SP) \
	MOVQ    BP, R11     \
	TESTQ   BP, BP      \
	JNE     copy

#define MAYBE \
	MOVQ    BP, AX      \
	CMPQ    BX, $1      \
	ADCQ    $0, AX      \
	VMOVQ   X15, R14    \
	LEAQ    -1(R11), CX \
	CMPQ    AX, $3      \
	CMOVQEQ R14, CX     \
	CMOVQCC 32(SP), R14 \
	CMPQ    AX, $2      \
	MOVQ    32(SP), AX  \
	CMOVQEQ AX, CX      \
	CMOVQCS R11, CX     \
	CMOVQCC R11, AX     \
	MOVQ    AX, 32(SP)  \
	SUBQ    $3, BP      \
	CMOVQLS CX, BP      \
	VMOVQ   R14, X15    \
	MOVQ    BP, R11     \
	TESTQ   BP, BP      \
	JEQ     decoded

// func sequencesNew(s *sequenceDecoder, end int, p *patternTable) pause
#define COPY 16
#define FIRST COPY16
#define REPEAT RARELY
#define REPEATED RARELYTHEN

TEXT ·sequencesNew(SB), NOSPLIT, $40-32
#include "sequences_amd64.h"

#undef COPY
#undef FIRST
#define COPY 32
#define FIRST COPY32
#undef REPEAT
#undef REPEATED
#define REPEAT MAYBE
#define REPEATED

// func sequencesAgain(s *sequenceDecoder, end int, p *patternTable) pause
TEXT ·sequencesAgain(SB), NOSPLIT, $40-32
#include "sequences_amd64.h"

#undef COPY
#undef FIRST
#define COPY 64
#define FIRST COPY64

// func sequencesLong(s *sequenceDecoder, end int, p *patternTable) pause
TEXT ·sequencesLong(SB), NOSPLIT, $40-32
#include "sequences_amd64.h"

// A lane is a word of the stream, whose highest bits are next. Its lowest set bit
// marks how many were used.

// LOAD makes a lane of a stream and of the bits that it has left.
#define LOAD(lane, v) \
	MOVQ  lanes_left+8*lane(DI), AX \
	MOVQ  AX, CX                    \
	ADDQ  $7, AX                    \
	SHRQ  $3, AX                    \
	NEGQ  CX                        \
	ANDQ  $7, CX                    \
	ADDQ  lanes_base+8*lane(DI), AX \
	SUBQ  $8, AX                    \
	MOVQ  (AX), v                   \
	ORQ   $1, v                     \
	SHLXQ CX, v, v

// SAVE counts the bits that are left.
#define SAVE(lane, v, ip) \
	TZCNTQ v, AX                     \
	MOVQ   ip, CX                    \
	SUBQ   lanes_base+8*lane(DI), CX \
	LEAQ   64(CX*8), CX              \
	SUBQ   AX, CX                    \
	MOVQ   CX, lanes_left+8*lane(DI)

// func fourStreams(l *lanes)
//
// R8 to R11    lanes
// R12 to R15   where they were loaded from
// SI           the table
// DI, BP, BX   where the first lane is written, distance of the second, of the fourth
// DX           53
TEXT ·fourStreams(SB), NOSPLIT, $16-8
	MOVQ l+0(FP), DI
	LOAD(0, R8)
	MOVQ AX, R12
	LOAD(1, R9)
	MOVQ AX, R13
	LOAD(2, R10)
	MOVQ AX, R14
	LOAD(3, R11)
	MOVQ AX, R15
	MOVQ lanes_tables(DI), SI
	MOVQ lanes_step(DI), BP
	MOVQ lanes_rounds(DI), AX
	LEAQ (AX)(AX*4), AX
	MOVQ lanes_out(DI), DI
	ADDQ DI, AX
	MOVQ AX, 0(SP)
	LEAQ (BP)(BP*2), BX
	MOVQ $53, DX

#define SYMBOL(v, e, h, to) \
	SHRXQ   DX, v, e       \
	MOVWLZX (SI)(e*2), e   \
	SHLXQ   e, v, v        \
	MOVB    h, to

#define FOUR(i) \
	SYMBOL(R8, AX, AH, i(DI))        \
	SYMBOL(R9, CX, CH, i(DI)(BP*1))  \
	SYMBOL(R10, AX, AH, i(DI)(BP*2)) \
	SYMBOL(R11, CX, CH, i(DI)(BX*1))

#define REFILL(v, ip) \
	TZCNTQ v, AX       \
	MOVQ   AX, CX      \
	SHRQ   $3, AX      \
	SUBQ   AX, ip      \
	ANDL   $7, CX      \
	MOVQ   (ip), v     \
	ORQ    $1, v       \
	SHLXQ  CX, v, v

four:
	FOUR(0)
	FOUR(1)
	FOUR(2)
	FOUR(3)
	FOUR(4)
	ADDQ $5, DI
	REFILL(R8, R12)
	REFILL(R9, R13)
	REFILL(R10, R14)
	REFILL(R11, R15)
	CMPQ DI, 0(SP)
	JCS  four

	MOVQ l+0(FP), DI
	SAVE(0, R8, R12)
	SAVE(1, R9, R13)
	SAVE(2, R10, R14)
	SAVE(3, R11, R15)
	RET

// func eightStreams(l *lanes)
//
// R8 to R15    lanes
// SI, BP       tables of the first and the last four
// DI, BX       where the first lane is written, distance of the second
// DX           53
// 0 to 56(SP)  where lanes were loaded from
// 64(SP)       where the first lane ends
// 72 to 104(SP) distances of the last five from the first
TEXT ·eightStreams(SB), NOSPLIT, $112-8
	MOVQ l+0(FP), DI
	LOAD(0, R8)
	MOVQ AX, 0(SP)
	LOAD(1, R9)
	MOVQ AX, 8(SP)
	LOAD(2, R10)
	MOVQ AX, 16(SP)
	LOAD(3, R11)
	MOVQ AX, 24(SP)
	LOAD(4, R12)
	MOVQ AX, 32(SP)
	LOAD(5, R13)
	MOVQ AX, 40(SP)
	LOAD(6, R14)
	MOVQ AX, 48(SP)
	LOAD(7, R15)
	MOVQ AX, 56(SP)
	MOVQ lanes_tables+0(DI), SI
	MOVQ lanes_tables+8(DI), BP
	MOVQ lanes_step+0(DI), BX
	LEAQ (BX)(BX*2), AX
	MOVQ AX, 72(SP)
	MOVQ lanes_out+8(DI), AX
	SUBQ lanes_out+0(DI), AX
	MOVQ AX, 80(SP)
	ADDQ lanes_step+8(DI), AX
	MOVQ AX, 88(SP)
	ADDQ lanes_step+8(DI), AX
	MOVQ AX, 96(SP)
	ADDQ lanes_step+8(DI), AX
	MOVQ AX, 104(SP)
	MOVQ lanes_rounds(DI), AX
	LEAQ (AX)(AX*4), AX
	MOVQ lanes_out+0(DI), DI
	ADDQ DI, AX
	MOVQ AX, 64(SP)
	MOVQ $53, DX

#define SYMBOLOF(table, v, to) \
	SHRXQ   DX, v, AX         \
	MOVWLZX (table)(AX*2), AX \
	SHLXQ   AX, v, v          \
	MOVB    AH, to

#define EIGHT(i) \
	SYMBOLOF(SI, R8, i(DI))        \
	SYMBOLOF(SI, R9, i(DI)(BX*1))  \
	SYMBOLOF(SI, R10, i(DI)(BX*2)) \
	MOVQ 72(SP), CX                \
	SYMBOLOF(SI, R11, i(DI)(CX*1)) \
	MOVQ 80(SP), CX                \
	SYMBOLOF(BP, R12, i(DI)(CX*1)) \
	MOVQ 88(SP), CX                \
	SYMBOLOF(BP, R13, i(DI)(CX*1)) \
	MOVQ 96(SP), CX                \
	SYMBOLOF(BP, R14, i(DI)(CX*1)) \
	MOVQ 104(SP), CX               \
	SYMBOLOF(BP, R15, i(DI)(CX*1))

#define REFILLFROM(v, slot) \
	TZCNTQ v, CX           \
	MOVQ   slot(SP), AX    \
	MOVQ   CX, v           \
	SHRQ   $3, v           \
	SUBQ   v, AX           \
	ANDL   $7, CX          \
	MOVQ   (AX), v         \
	MOVQ   AX, slot(SP)    \
	ORQ    $1, v           \
	SHLXQ  CX, v, v

eight:
	EIGHT(0)
	EIGHT(1)
	EIGHT(2)
	EIGHT(3)
	EIGHT(4)
	ADDQ $5, DI
	REFILLFROM(R8, 0)
	REFILLFROM(R9, 8)
	REFILLFROM(R10, 16)
	REFILLFROM(R11, 24)
	REFILLFROM(R12, 32)
	REFILLFROM(R13, 40)
	REFILLFROM(R14, 48)
	REFILLFROM(R15, 56)
	CMPQ DI, 64(SP)
	JCS  eight

	MOVQ l+0(FP), DI
	SAVE(0, R8, 0(SP))
	SAVE(1, R9, 8(SP))
	SAVE(2, R10, 16(SP))
	SAVE(3, R11, 24(SP))
	SAVE(4, R12, 32(SP))
	SAVE(5, R13, 40(SP))
	SAVE(6, R14, 48(SP))
	SAVE(7, R15, 56(SP))
	RET
