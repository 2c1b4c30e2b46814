// The kernel of sequences. Whoever includes it defines COPY, the bytes that a match is
// copied by, FIRST, which copies them, and REPEAT and REPEATED, which make an offset of
// its value.
//
// R15           the sequenceDecoder
// R8, R9, R10   where the entries are of literal length, match length, offset
// R12           the sum of them
// DX            address of the next bit of the stream, as a bit
// SI, DI        where literals are read and bytes are written
// R11, 32(SP), X15 repeated offsets
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
	MOVQ sequenceDecoder_repeated+8(R15), AX
	MOVQ AX, 32(SP)
	VMOVQ sequenceDecoder_repeated+16(R15), X15
	MOVQ $0, 24(SP)
	LEAQ sequenceDecoder_ll(R15)(R8*8), R8
	LEAQ sequenceDecoder_ml(R15)(R9*8), R9
	LEAQ sequenceDecoder_of(R15)(R10*8), R10
	MOVQ (R8), R12
	ADDQ (R9), R12
	ADDQ (R10), R12

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

	MOVBQSX R12, BX
	CMPQ    BX, $-57
	JLT     strange
	ADDQ    BX, DX

	// The value of an offset is at the top, below the bit that it implies.
	RORXQ   $1, AX, BP
	ORQ     top<>(SB), BP
	MOVBLZX 1(R10), CX
	SHRXQ   CX, BP, BP

	// Next states, from the lowest bits on.
	SHRXQ   R12, AX, AX
	RORXQ   $16, R12, CX
	RORXQ   $32, R12, BX
	BEXTRQ  CX, AX, R13
	BZHIQ   CX, AX, CX
	BEXTRQ  BX, AX, R14
	MOVWLZX 6(R10), R10
	LEAQ    sequenceDecoder_of(R15)(R10*8), R10
	MOVQ    (R10)(CX*8), R12
	LEAQ    (R10)(CX*8), R10
	MOVBLZX 5(R8), CX
	ADDQ    CX, BX
	SHRXQ   BX, AX, AX
	MOVBLZX 1(R9), CX
	MOVWLZX 6(R9), R9
	LEAQ    sequenceDecoder_ml(R15)(R9*8), R9
	ADDQ    (R9)(R13*8), R12
	LEAQ    (R9)(R13*8), R9
	MOVBLZX 1(R8), BX
	MOVWLZX 6(R8), R8
	LEAQ    sequenceDecoder_ll(R15)(R8*8), R8
	ADDQ    (R8)(R14*8), R12
	LEAQ    (R8)(R14*8), R8

	// Lengths.
	MOVQ  sequenceDecoder_llLengths(R15)(BX*8), R14
	BZHIQ R14, AX, BX
	SHRXQ R14, AX, AX
	SHRQ  $8, R14
	ADDQ  R14, BX
	MOVQ  sequenceDecoder_mlLengths(R15)(CX*8), R14
	BZHIQ R14, AX, R13
	SHRQ  $8, R14
	ADDQ  R14, R13

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
	LEAQ  sequenceDecoder_ll(R15), AX
	SUBQ  AX, R8
	SHRQ  $3, R8
	MOVQ  R8, sequenceDecoder_state+0(R15)
	LEAQ  sequenceDecoder_of(R15), AX
	SUBQ  AX, R10
	SHRQ  $3, R10
	MOVQ  R10, sequenceDecoder_state+8(R15)
	LEAQ  sequenceDecoder_ml(R15), AX
	SUBQ  AX, R9
	SHRQ  $3, R9
	MOVQ  R9, sequenceDecoder_state+16(R15)
	MOVQ  R11, sequenceDecoder_repeated+0(R15)
	MOVQ  32(SP), AX
	MOVQ  AX, sequenceDecoder_repeated+8(R15)
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
