package inflate

// Margins of fast: what one turn may read, and what it may write. It reads eight
// bytes twice, the second time up to seven bytes further. It writes up to five
// literals and a match, and up to 31 bytes behind that.
const (
	srcMargin = 24
	dstMargin = 6 + maxMatch + 32 + 2
)

// fast decodes symbols as long as it stays away from the ends of both buffers by
// a margin, or until the block ends.
//
// A turn begins with at least 56 bits in bb and the entry for the next of them in
// e, and uses up to three entries: those of literals have up to 12 bits, and one
// with a length up to 15+5, which leaves enough to look up the distance. More is
// read before its 15+13 bits are used, and at the end of the turn. Of bn only the
// low six bits count, so that an entry can be subtracted whole.
//
// Where there is a kernel it does most turns, and leaves to this loop what ends a block or is
// wrong.
func (d *decoder) fast() error {
	if len(d.src)-d.ip < srcMargin || len(d.dst)-d.op < dstMargin {
		return nil
	}
	d.turnsFast()
	const (
		mask    = 1<<litBits - 1
		offMask = 1<<offBits - 1
	)

	src, dst := memoryOf(d.src), memoryOf(d.dst)
	srcEnd, dstEnd := uint(len(d.src)-srcMargin), uint(len(d.dst)-dstMargin)
	lit, off := d.lit, d.off
	ip, op := uint(d.ip), uint(d.op)
	bb, bn := d.bb, uint64(d.bn)

	wrong := ""
	bb |= src.load(ip) << (bn & 63)
	ip += uint(bn^63) >> 3 & 7
	bn |= 56
	e := lit[bb&mask]
	for ip <= srcEnd && op <= dstEnd {
		bb >>= e & 63
		bn -= uint64(e)
		dst.store2(op, uint16(e>>lowShift))
		op += uint(e >> countShift & 3)
		if e&isLiteral != 0 {
			e = lit[bb&mask]
			bb >>= e & 63
			bn -= uint64(e)
			dst.store2(op, uint16(e>>lowShift))
			op += uint(e >> countShift & 3)
			if e&isLiteral != 0 {
				e = lit[bb&mask]
				bb >>= e & 63
				bn -= uint64(e)
				dst.store2(op, uint16(e>>lowShift))
				op += uint(e >> countShift & 3)
				if e&isLiteral != 0 {
					e = lit[bb&mask]
					bb |= src.load(ip) << (bn & 63)
					ip += uint(bn^63) >> 3 & 7
					bn |= 56
					continue
				}
			}
		}
		length := uint(e>>highShift) + minMatch
		if e&isSpecial != 0 {
			if e&isLong != 0 {
				e = lit[uint64(e>>lowShift)+bb&(1<<(e>>extraShift&15)-1)]
				bb >>= e & 63
				bn -= uint64(e)
				if e&isLiteral != 0 {
					dst.store2(op, uint16(e>>lowShift))
					op++
					bb |= src.load(ip) << (bn & 63)
					ip += uint(bn^63) >> 3 & 7
					bn |= 56
					e = lit[bb&mask]
					continue
				}
				length = uint(e>>highShift) + minMatch
			}
			if e&hasExtra != 0 {
				extra := e >> extraShift & 15
				length += uint(bb & (1<<extra - 1))
				bb >>= extra
				bn -= uint64(extra)
			} else if e&isSpecial != 0 {
				if e == isEnd|e&takes {
					d.state = betweenBlocks
				} else {
					wrong = noLength
				}
				break
			}
		}
		o := off[bb&offMask]
		bb |= src.load(ip) << (bn & 63)
		ip += uint(bn^63) >> 3 & 7
		bn |= 56
		if o&isSpecial != 0 {
			if o&isLong == 0 {
				wrong = noDistance
				break
			}
			bb >>= offBits
			bn -= offBits
			o = off[uint64(o>>lowShift)+bb&(1<<(o>>extraShift&15)-1)]
		}
		distance := uint(o>>lowShift) + uint(bb&(1<<(o&63)-1)>>(o>>extraShift&15))
		bb >>= o & 63
		bn -= uint64(o)
		if distance > op {
			d.distance = int(distance)
			wrong = tooFar
			break
		}
		e = lit[bb&mask]
		bb |= src.load(ip) << (bn & 63)
		ip += uint(bn^63) >> 3 & 7
		bn |= 56

		end := op + length
		switch {
		case distance >= 16:
			dst.copy32(op, op-distance)
			for op += 32; op < end; op += 32 {
				dst.copy32(op, op-distance)
			}
		case distance >= 8:
			for ; op < end; op += 8 {
				dst.store(op, dst.load(op-distance))
			}
		default:
			dst.repeat(op, end, distance)
		}
		op = end
	}
	d.ip, d.op, d.bb, d.bn = int(ip), int(op), bb, uint(bn&63)
	switch wrong {
	case "":
		return nil
	case tooFar:
		return d.corrupt(tooFar, d.distance)
	}
	return d.corrupt("%s", wrong)
}
