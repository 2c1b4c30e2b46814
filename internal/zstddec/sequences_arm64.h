// The kernel of sequences. Whoever includes it defines COPY, the bytes that a match is
// copied by, FIRST, which copies them, and REPEAT and REPEATED, which make an offset of
// its value.
//
// R0            the sequenceDecoder
// R1            address of the next bit of the stream, as a bit
// R2, R3        where literals are read and bytes are written
// R4, R5, R6    states of literal length, match length, offset
// R7, R8, R9    repeated offsets
// R10           end of the literals
// R11           end of what may be written
// R12           where matches may begin
// R13           sequences until the bits are counted again
// R14           ones
// R15, R16      entries of match lengths and offsets
// R17           bits of the stream
// R20, R21, R22 entries of literal length, match length, offset
// R23, R24, R25 length of literals, length of match, offset
// R26           why it stops
	MOVD s+0(FP), R0
	MOVD sequenceDecoder_state+0(R0), R4
	MOVD sequenceDecoder_state+8(R0), R6
	MOVD sequenceDecoder_state+16(R0), R5
	MOVD sequenceDecoder_stream(R0), R1
	MOVD sequenceDecoder_left(R0), R17
	ADD  R1<<3, R17, R1
	SUB  $1, R1
	MOVD sequenceDecoder_literals(R0), R2
	MOVD sequenceDecoder_literals+8(R0), R10
	MOVD sequenceDecoder_lit(R0), R17
	ADD  R2, R10
	ADD  R17, R2
	MOVD sequenceDecoder_dst(R0), R3
	MOVD end+8(FP), R11
	MOVD sequenceDecoder_low(R0), R12
	MOVD sequenceDecoder_at(R0), R17
	ADD  R3, R11
	ADD  R3, R12
	ADD  R17, R3
	MOVD sequenceDecoder_repeated+0(R0), R7
	MOVD sequenceDecoder_repeated+8(R0), R8
	MOVD sequenceDecoder_repeated+16(R0), R9
	MOVD ZR, R13
	MOVD $-1, R14
	ADD  $sequenceDecoder_ml, R0, R15
	ADD  $sequenceDecoder_of, R0, R16

count:
	// A sequence takes at most 57 bits here, and 57 must be there to be loaded.
	MOVD sequenceDecoder_stream(R0), R19
	ADD  $1, R1, R17
	SUB  R19<<3, R17
	LSR  $6, R17
	MOVD sequenceDecoder_count(R0), R19
	SUB  $1, R19, R20
	CMP  R20, R17
	CSEL GT, R20, R17, R13
	MOVD $const_tail, R26
	CMP  $0, R13
	BLE  leave
	SUB  R13, R19
	MOVD R19, sequenceDecoder_count(R0)

next:
	// The stream is read backwards, and all that follows waits for it.
	LSR  $3, R1, R26
	MOVD -7(R26), R17
	MVN  R1, R19
	AND  $7, R19
	LSL  R19, R17, R17

	MOVD (R0)(R4<<3), R20
	MOVD (R15)(R5<<3), R21
	MOVD (R16)(R6<<3), R22
	ADD  R20, R21, R19
	ADD  R22, R19
	MOVB R19, R23
	CMP  $-57, R23
	BLT  strange
	ADD  R23, R1

	// The value of an offset is at the top, below the bit that it implies. Shifts take
	// the low six bits of what they are told, which are enough of each field.
	LSR $1, R17, R25
	ORR $(1<<63), R25
	LSR $8, R22, R26
	LSR R26, R25, R25
	LSR R19, R17, R17

	// Next states, from the lowest bits on.
	LSR $16, R22, R26
	LSR $24, R21, R19
	LSL R26, R14, R6
	BIC R6, R17, R6
	ADD R22>>48, R6
	LSR R26, R17, R5
	ADD R19, R26
	LSL R19, R14, R19
	BIC R19, R5
	ADD R21>>48, R5
	LSR R26, R17, R17
	LSR $40, R20, R26
	LSL R26, R14, R4
	BIC R4, R17, R4
	ADD R20>>48, R4
	LSR R26, R17, R17

	// Lengths.
	UBFX $8, R20, $8, R20
	ADD  $sequenceDecoder_llLengths, R0, R26
	MOVD (R26)(R20<<3), R20
	LSL  R20, R14, R23
	BIC  R23, R17, R23
	LSR  R20, R17, R17
	ADD  R20>>8, R23
	UBFX $8, R21, $8, R21
	ADD  $sequenceDecoder_mlLengths, R0, R26
	MOVD (R26)(R21<<3), R21
	LSL  R21, R14, R24
	BIC  R24, R17, R24
	ADD  R21>>8, R24

	REPEAT

copy:
	FMOVQ (R2), F0
	ADD   R23, R3, R19
	ADD   R24, R19, R20
	ADD   R23, R2, R21
	CMP   R11, R20
	BHI   decoded
	CMP   R10, R21
	BHI   decoded
	SUB   R12, R19, R22
	CMP   R22, R25 // as numbers of bytes: it may be more than the address
	BHI   decoded
	SUB   R25, R19, R21
	FMOVQ F0, (R3)
	ADD   R23, R2
	CMP   $16, R23
	BHI   literals

match:
	CMP $COPY, R25
	BLO near
	FIRST
	CMP $COPY, R24
	BHI long

done:
	MOVD R20, R3
	SUBS $1, R13
	BNE  next
	B    count

literals:
	SUB R23, R2, R22 // it is behind them already

moreLiterals:
	FLDPQ 16(R22), (F0, F1)
	FSTPQ (F0, F1), 16(R3)
	ADD   $32, R22
	ADD   $32, R3
	ADD   $16, R3, R26
	CMP   R19, R26
	BLO   moreLiterals
	B     match

long:
	ADD $COPY, R21
	ADD $COPY, R19

moreMatch:
	FIRST
	ADD $COPY, R21
	ADD $COPY, R19
	CMP R20, R19
	BLO moreMatch
	B   done

near:
	CMP $16, R25
	BLO overlap

nearMatch:
	FMOVQ.P 16(R21), F0
	FMOVQ.P F0, 16(R19)
	CMP     R20, R19
	BLO     nearMatch
	B       done

overlap:
	FMOVQ (R21), F0
	MOVD  p+16(FP), R26
	ADD   $patternTable_step, R26, R22
	MOVBU (R22)(R25), R21
	ADD   R25<<4, R26
	FMOVQ patternTable_shuffle(R26), F1
	VTBL  V1.B16, [V0.B16], V0.B16

moreOverlap:
	FMOVQ F0, (R19)
	ADD   R21, R19
	CMP   R20, R19
	BLO   moreOverlap
	B     done

	REPEATED

decoded:
	MOVD R23, sequenceDecoder_pending+0(R0)
	MOVD R24, sequenceDecoder_pending+8(R0)
	MOVD R25, sequenceDecoder_pending+16(R0)
	SUB  $1, R13
	MOVD $const_decoded, R26
	B    leave

strange:
	MOVD $const_strange, R26

leave:
	MOVD sequenceDecoder_count(R0), R17
	ADD  R13, R17
	MOVD R17, sequenceDecoder_count(R0)
	MOVD R4, sequenceDecoder_state+0(R0)
	MOVD R6, sequenceDecoder_state+8(R0)
	MOVD R5, sequenceDecoder_state+16(R0)
	MOVD R7, sequenceDecoder_repeated+0(R0)
	MOVD R8, sequenceDecoder_repeated+8(R0)
	MOVD R9, sequenceDecoder_repeated+16(R0)
	MOVD sequenceDecoder_stream(R0), R17
	SUB  R17<<3, R1
	ADD  $1, R1
	MOVD R1, sequenceDecoder_left(R0)
	MOVD sequenceDecoder_literals(R0), R17
	SUB  R17, R2
	MOVD R2, sequenceDecoder_lit(R0)
	MOVD sequenceDecoder_dst(R0), R17
	SUB  R17, R3
	MOVD R3, sequenceDecoder_at(R0)
	MOVD R26, ret+24(FP)
	RET
