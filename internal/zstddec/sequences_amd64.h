// The kernel of sequences. Whoever includes it defines COPY, the bytes that a match is
// copied by, FIRST, which copies them, and REPEAT and REPEATED, which make an offset of
// its value.
//
// R15           the sequenceDecoder
// R8, R9, R10   states, entries and next states of literal length, match length, offset
// DX            address of the next bit of the stream, as a bit
// SI, DI        where literals are read and bytes are written
// R11, R12, X15 repeated offsets
// AX            bits of the stream
// BX, R13, BP   length of literals, length of match, offset
// 0(SP)         end of the literals
// 8(SP)         end of what may be written
// 16(SP)        where matches may begin
// 24(SP)        sequences until the bits are counted again
	MOVQ s+0(FP), R15
	MOVQ sequenceDecoder_state+0(R15), R8
	MOVQ sequenceDecoder_state+8(R15), R10
	MOVQ sequenceDecoder_state+16(R15), R9
	MOVQ sequenceDecoder_stream(R15), DX
	SHLQ $3, DX
	ADDQ sequenceDecoder_left(R15), DX
	DECQ DX
	MOVQ sequenceDecoder_literals(R15), SI
	MOVQ sequenceDecoder_literals+8(R15), AX
	ADDQ SI, AX
	MOVQ AX, 0(SP)
	ADDQ sequenceDecoder_lit(R15), SI
	MOVQ sequenceDecoder_dst(R15), DI
	MOVQ end+8(FP), AX
	ADDQ DI, AX
	MOVQ AX, 8(SP)
	MOVQ sequenceDecoder_low(R15), AX
	ADDQ DI, AX
	MOVQ AX, 16(SP)
	ADDQ sequenceDecoder_at(R15), DI
	MOVQ sequenceDecoder_repeated+0(R15), R11
	MOVQ sequenceDecoder_repeated+8(R15), R12
	VMOVQ sequenceDecoder_repeated+16(R15), X15
	MOVQ $0, 24(SP)

count:
	// A sequence takes at most 57 bits here, and 57 must be there to be loaded.
	MOVQ sequenceDecoder_stream(R15), CX
	SHLQ $3, CX
	LEAQ 1(DX), AX
	SUBQ CX, AX
	SHRQ $6, AX
	MOVQ sequenceDecoder_count(R15), CX
	DECQ CX
	CMPQ AX, CX
	CMOVQGT CX, AX
	MOVQ $const_tail, BX
	TESTQ AX, AX
	JLE  leave
	SUBQ AX, sequenceDecoder_count(R15)
	MOVQ AX, 24(SP)

next:
	// The stream is read backwards, and all that follows waits for it.
	MOVQ       DX, AX
	SHRQ       $3, AX
	PREFETCHT0 -256(AX)
	MOVQ       -7(AX), AX
	ANDNQ      seven<>(SB), DX, CX
	SHLXQ      CX, AX, AX

	MOVQ    sequenceDecoder_ll(R15)(R8*8), CX
	ADDQ    sequenceDecoder_ml(R15)(R9*8), CX
	ADDQ    sequenceDecoder_of(R15)(R10*8), CX
	MOVBQSX CX, BX
	CMPQ    BX, $-57
	JLT     strange
	ADDQ    BX, DX

	// The value of an offset is at the top, below the bit that it implies. Fields of
	// entries are loaded one by one: there are more ports for loads than for shifts.
	RORXQ   $1, AX, BP
	SHRXQ   CX, AX, AX
	ORQ     top<>(SB), BP
	MOVBLZX sequenceDecoder_of+2(R15)(R10*8), CX
	SHRXQ   CX, BP, BP

	// Next states, from the lowest bits on.
	MOVBLZX sequenceDecoder_of+1(R15)(R10*8), CX
	MOVBLZX sequenceDecoder_ml+1(R15)(R9*8), R13
	LEAQ    (CX)(R13*1), BX
	MOVWLZX sequenceDecoder_of+6(R15)(R10*8), R10
	BZHIQ   CX, AX, R14
	ADDQ    R14, R10
	SHRXQ   CX, AX, R14
	SHRXQ   BX, AX, AX
	BZHIQ   R13, R14, R14
	MOVBLZX sequenceDecoder_ll+1(R15)(R8*8), CX
	BZHIQ   CX, AX, R13
	SHRXQ   CX, AX, AX

	// Lengths.
	MOVBLZX sequenceDecoder_ll+2(R15)(R8*8), CX
	BZHIQ   CX, AX, BX
	SHRXQ   CX, AX, AX
	MOVL    sequenceDecoder_ll+3(R15)(R8*8), CX
	MOVWLZX sequenceDecoder_ll+6(R15)(R8*8), R8
	ANDL    $0xffffff, CX
	ADDQ    CX, BX
	ADDQ    R13, R8
	MOVBLZX sequenceDecoder_ml+2(R15)(R9*8), CX
	BZHIQ   CX, AX, R13
	MOVL    sequenceDecoder_ml+3(R15)(R9*8), CX
	MOVWLZX sequenceDecoder_ml+6(R15)(R9*8), R9
	ANDL    $0xffffff, CX
	ADDQ    CX, R13
	ADDQ    R14, R9

	REPEAT

copy:
	VMOVDQU (SI), X0
	LEAQ    (DI)(BX*1), CX
	LEAQ    (CX)(R13*1), R14
	LEAQ    (SI)(BX*1), AX
	CMPQ    R14, 8(SP)
	JHI     decoded
	CMPQ    AX, 0(SP)
	JHI     decoded
	MOVQ    CX, AX
	SUBQ    16(SP), AX
	SUBQ    BP, AX // as numbers of bytes: it may be more than the address
	JCS     decoded
	ADDQ    16(SP), AX
	VMOVDQU X0, (DI)
	ADDQ    BX, SI
	CMPQ    BX, $16
	JHI     literals

match:
	CMPQ  BP, $COPY
	JCS   near
	FIRST
	CMPQ  R13, $COPY
	JHI   long

done:
	MOVQ R14, DI
	DECQ 24(SP)
	JNZ  next
	JMP  count

literals:
	// SI is behind them already.
	MOVQ SI, R13
	SUBQ BX, R13

moreLiterals:
	VMOVDQU 16(R13), Y0
	VMOVDQU Y0, 16(DI)
	ADDQ    $32, R13
	ADDQ    $32, DI
	LEAQ    16(DI), BX
	CMPQ    BX, CX
	JCS     moreLiterals
	MOVQ    R14, R13
	SUBQ    CX, R13
	JMP     match

long:
	ADDQ $COPY, AX
	ADDQ $COPY, CX

moreMatch:
	FIRST
	ADDQ $COPY, AX
	ADDQ $COPY, CX
	CMPQ CX, R14
	JCS  moreMatch
	JMP  done

near:
	CMPQ BP, $16
	JCS  overlap

nearMatch:
	VMOVDQU (AX), X0
	VMOVDQU X0, (CX)
	ADDQ    $16, AX
	ADDQ    $16, CX
	CMPQ    CX, R14
	JCS     nearMatch
	JMP     done

overlap:
	VMOVDQU (AX), X0
	MOVQ    p+16(FP), BX
	MOVBLZX patternTable_step(BX)(BP*1), AX
	SHLQ    $4, BP
	VPSHUFB patternTable_shuffle(BX)(BP*1), X0, X0

moreOverlap:
	VMOVDQU X0, (CX)
	ADDQ    AX, CX
	CMPQ    CX, R14
	JCS     moreOverlap
	JMP     done

	REPEATED

decoded:
	MOVQ BX, sequenceDecoder_pending+0(R15)
	MOVQ R13, sequenceDecoder_pending+8(R15)
	MOVQ BP, sequenceDecoder_pending+16(R15)
	DECQ 24(SP)
	MOVQ $const_decoded, BX
	JMP  leave

strange:
	MOVQ $const_strange, BX

leave:
	MOVQ  24(SP), AX
	ADDQ  AX, sequenceDecoder_count(R15)
	MOVQ  R8, sequenceDecoder_state+0(R15)
	MOVQ  R10, sequenceDecoder_state+8(R15)
	MOVQ  R9, sequenceDecoder_state+16(R15)
	MOVQ  R11, sequenceDecoder_repeated+0(R15)
	MOVQ  R12, sequenceDecoder_repeated+8(R15)
	VMOVQ X15, sequenceDecoder_repeated+16(R15)
	MOVQ  sequenceDecoder_stream(R15), AX
	SHLQ  $3, AX
	SUBQ  AX, DX
	INCQ  DX
	MOVQ  DX, sequenceDecoder_left(R15)
	SUBQ  sequenceDecoder_literals(R15), SI
	MOVQ  SI, sequenceDecoder_lit(R15)
	SUBQ  sequenceDecoder_dst(R15), DI
	MOVQ  DI, sequenceDecoder_at(R15)
	MOVQ  BX, ret+24(FP)
	VZEROUPPER
	RET
