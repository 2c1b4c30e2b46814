#include "go_asm.h"
#include "textflag.h"

// 0, 4, 8, ... : positions of every second element.
DATA  ·steps<>+0(SB)/4, $0
DATA  ·steps<>+4(SB)/4, $4
DATA  ·steps<>+8(SB)/4, $8
DATA  ·steps<>+12(SB)/4, $12
DATA  ·steps<>+16(SB)/4, $16
DATA  ·steps<>+20(SB)/4, $20
DATA  ·steps<>+24(SB)/4, $24
DATA  ·steps<>+28(SB)/4, $28
GLOBL ·steps<>(SB), RODATA|NOPTR, $32

// ALL makes all eight words of y the constant c.
#define ALL(c, x, y) \
	MOVL         $(c), AX; \
	VMOVD        AX, x; \
	VPBROADCASTD x, y

// HASH hashes eight elements, each of them four bytes behind the other, and puts entries of the table for them, and where
// those belong, onto the stack. Y4 has their positions.
#define HASH(from, at) \
	VPMADDWD from(SI), Y8, Y0; \
	VPAND    from+4(SI), Y10, Y1; \
	VPMADDWD Y1, Y9, Y1; \
	VPADDD   Y1, Y0, Y0; \
	VPSLLD   $8, Y0, Y1; \
	VPSRLD   X12, Y1, Y1; \
	VPAND    Y0, Y11, Y0; \
	VPOR     Y0, Y4, Y0; \
	VMOVDQU  Y1, at(SP); \
	VMOVDQU  Y0, at+32(SP)

// PUT has the entry i of those on the stack change places with the one in the table, and keeps how far they are apart.
#define PUT(at, i, to) \
	MOVL at+4*i(SP), AX; \
	MOVL at+32+4*i(SP), CX; \
	MOVL (DX)(AX*4), R8; \
	MOVL CX, (DX)(AX*4); \
	SUBL R8, CX; \
	MOVL CX, to(DI)

// func laneDistances(p unsafe.Pointer, cand, table *uint32, n uint, pos, shift uint32)
TEXT ·laneDistances(SB), NOSPLIT, $128-40
	MOVQ p+0(FP), SI
	MOVQ cand+8(FP), DI
	MOVQ table+16(FP), DX
	MOVQ n+24(FP), BX
	ALL(const_laneFactor0&0xffff | const_laneFactor1<<16, X8, Y8)
	ALL(const_laneFactor2&0xffff, X9, Y9)
	ALL(0xff, X10, Y10)
	ALL(0xff<<const_segmentBits, X11, Y11)
	ALL(2, X6, Y6)
	ALL(30, X7, Y7)
	MOVL shift+36(FP), AX
	VMOVQ AX, X12
	MOVL pos+32(FP), AX
	VMOVQ AX, X4
	VPBROADCASTD X4, Y4
	VPADDD ·steps<>(SB), Y4, Y4

distances:
	HASH(0, 0)
	VPADDD Y6, Y4, Y4
	HASH(2, 64)
	VPADDD Y7, Y4, Y4
	PUT(0, 0, 0)
	PUT(64, 0, 4)
	PUT(0, 1, 8)
	PUT(64, 1, 12)
	PUT(0, 2, 16)
	PUT(64, 2, 20)
	PUT(0, 3, 24)
	PUT(64, 3, 28)
	PUT(0, 4, 32)
	PUT(64, 4, 36)
	PUT(0, 5, 40)
	PUT(64, 5, 44)
	PUT(0, 6, 48)
	PUT(64, 6, 52)
	PUT(0, 7, 56)
	PUT(64, 7, 60)
	ADDQ $32, SI
	ADDQ $64, DI
	SUBQ $16, BX
	JNE  distances
	VZEROUPPER
	RET

// PARSE computes what the span costs from the element i of eight on: w of what it costs from the next one on, and w3 from the third.
#define PARSE(i, w, w3, out) \
	VPAND   w3, X11, X4; \
	VMOVD   4*i(SP), X5; \
	VPADDD  X4, X5, X4; \
	VPADDD  w, X10, X5; \
	VPMINUD X4, X5, out; \
	VMOVD   out, (laneScratch_path+4*i)(DI)(BX*4)

// func laneParse(sc *laneScratch, n uint, first uint32)
TEXT ·laneParse(SB), NOSPLIT, $32-20
	MOVQ sc+0(FP), DI
	MOVQ n+8(FP), BX
	VMOVD (laneScratch_path+0)(DI)(BX*4), X0 // of the elements behind: n, n+1 and n+2
	VMOVD (laneScratch_path+4)(DI)(BX*4), X1
	VMOVD (laneScratch_path+8)(DI)(BX*4), X2
	ALL(const_litCost, X10, Y10)
	ALL(~const_pathMask, X11, Y11)
	ALL(const_matched, X12, Y12)
	ALL(1<<31, X13, Y13)
	ALL(const_laneJump, X14, Y14)
	ALL(8, X9, Y9)
	VMOVQ BX, X7
	VPBROADCASTD X7, Y7
	VMOVDQU ·steps<>(SB), Y6
	VPSRLD $2, Y6, Y8
	VPADDD Y8, Y7, Y7 // elements
	MOVL first+16(FP), AX
	LEAL (AX)(BX*2), AX
	VMOVD AX, X8
	VPBROADCASTD X8, Y8
	VPSRLD $1, Y6, Y6
	VPADDD Y6, Y8, Y8 // their positions

parse:
	SUBQ      $8, BX
	VPSUBD    Y9, Y7, Y7
	VPSUBD    Y9, Y8, Y8
	VPSUBD    Y9, Y8, Y8
	VMOVDQU   (DI)(BX*4), Y3
	VPMINUD   Y3, Y8, Y4
	VPCMPEQD  Y3, Y4, Y4      // where the distance is at most the position
	VPSLLD    $8, Y3, Y5
	VPOR      Y14, Y5, Y5
	VPAND     Y4, Y5, Y5
	VMOVDQU   Y5, (DI)(BX*4)
	VCVTDQ2PS Y3, Y3
	VPSRLD    $(20-const_pathBits), Y3, Y3
	VPAND     Y11, Y3, Y3
	VPADDD    Y12, Y3, Y3
	VPADDD    Y7, Y3, Y3
	VPBLENDVB Y4, Y3, Y13, Y3
	VMOVDQU   Y3, 0(SP)

	// Of X0 to X3, each is the cost from one element on; the one that is not needed any more is next.
	PARSE(7, X0, X2, X3)
	PARSE(6, X3, X1, X2)
	PARSE(5, X2, X0, X1)
	PARSE(4, X1, X3, X0)
	PARSE(3, X0, X2, X3)
	PARSE(2, X3, X1, X2)
	PARSE(1, X2, X0, X1)
	PARSE(0, X1, X3, X0)
	TESTQ BX, BX
	JNE   parse
	VZEROUPPER
	RET

// FLUSH moves whole bytes to the output.
#define FLUSH \
	MOVQ  R8, (DI); \
	MOVL  R9, AX; \
	SHRL  $3, AX; \
	ADDQ  AX, DI; \
	MOVL  R9, AX; \
	ANDL  $56, AX; \
	SHRXQ AX, R8, R8; \
	ANDL  $7, R9

// ADD adds the CX lowest bits of AX.
#define ADD \
	BZHIQ CX, AX, AX; \
	SHLXQ R9, AX, AX; \
	ORQ   AX, R8; \
	ADDQ  CX, R9

// STEP encodes one of the three codes of a sequence.
#define STEP(code, table, state) \
	MOVBLZX code(BX)(R13*4), AX; \
	MOVL    (fseTable_sym+fseSymbol_deltaBits)(table)(AX*8), CX; \
	ADDL    state, CX; \
	SHRL    $16, CX; \
	MOVLQSX (fseTable_sym+fseSymbol_deltaState)(table)(AX*8), AX; \
	BZHIL   CX, state, BP; \
	SHRXL   CX, state, state; \
	ADDQ    state, AX; \
	MOVWLZX fseTable_state(table)(AX*2), state; \
	SHLXQ   R9, BP, BP; \
	ORQ     BP, R8; \
	ADDQ    CX, R9

// func writeSequences(w *sequenceWriter)
TEXT ·writeSequences(SB), NOSPLIT, $8-8
	MOVQ w+0(FP), AX
	MOVQ sequenceWriter_out(AX), DI
	MOVQ sequenceWriter_acc(AX), R8
	MOVQ sequenceWriter_nb(AX), R9
	MOVQ sequenceWriter_i(AX), R13
	MOVQ sequenceWriter_seqs(AX), SI
	MOVQ sequenceWriter_code(AX), BX
	MOVQ sequenceWriter_of(AX), R14
	MOVQ sequenceWriter_ml(AX), R15
	MOVQ sequenceWriter_ll(AX), DX
	MOVL sequenceWriter_so(AX), R10
	MOVL sequenceWriter_sm(AX), R11
	MOVL sequenceWriter_sl(AX), R12

turn:
	CMPB 3(BX)(R13*4), $0
	JNE  long

offset:
	MOVBLZX 2(BX)(R13*4), CX
	RORXQ   $40, (SI)(R13*8), AX
	ADD
	FLUSH
	DECQ    R13
	STEP(2, R14, R10)
	STEP(1, R15, R11)
	STEP(0, DX, R12)
	TESTQ   R13, R13
	JNE     turn

	MOVQ w+0(FP), AX
	MOVQ DI, sequenceWriter_out(AX)
	MOVQ R8, sequenceWriter_acc(AX)
	MOVQ R9, sequenceWriter_nb(AX)
	MOVQ R13, sequenceWriter_i(AX)
	MOVL R10, sequenceWriter_so(AX)
	MOVL R11, sequenceWriter_sm(AX)
	MOVL R12, sequenceWriter_sl(AX)
	RET

long:
	MOVBLZX 0(BX)(R13*4), AX
	LEAQ    ·llBits(SB), CX
	MOVBLZX (CX)(AX*1), CX
	MOVQ    (SI)(R13*8), AX
	ADD
	FLUSH
	MOVBLZX 1(BX)(R13*4), AX
	LEAQ    ·mlBits(SB), CX
	MOVBLZX (CX)(AX*1), CX
	RORXQ   $20, (SI)(R13*8), AX
	ADD
	FLUSH
	JMP     offset
