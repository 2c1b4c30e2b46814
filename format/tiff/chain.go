package tiff

import (
	"encoding/binary"
	"iter"
	"math/bits"

	"github.com/omnizarr/zarr/format/tiff/tag"
)

// chain keeps the pages of a file, of which there may be millions, in a few bytes
// each: of every number, by how much it is not what two pages before let expect.
// Pages of a stack are at equal distances, and alike.
type chain struct {
	kinds  []*kind // that pages have, each once
	blocks [][]byte
	n      int

	// The block that is being filled, and the pages before the next one in it.
	open    []byte
	pace    pace
	numbers map[*kind]int // of kinds
}

// chainBlock is how many pages are kept together: what has to be gone through to
// find one of them.
const chainBlock = 32

// record is a page in numbers.
type record [9]uint64

// pace is the last page of a block, and by how much each number has changed.
type pace struct{ last, step record }

// next takes a page from what was expected to what it is.
func (p *pace) next(off *record) {
	for i := range p.last {
		p.step[i] += off[i]
		p.last[i] += p.step[i]
	}
}

// add keeps a page.
func (c *chain) add(p *page) {
	r := p.record(c.number(p))
	var off record
	mask := uint64(0)
	for i := range r {
		if off[i] = r[i] - c.pace.last[i] - c.pace.step[i]; off[i] != 0 {
			mask |= 1 << i
		}
	}
	c.open = binary.AppendUvarint(c.open, mask)
	for ; mask != 0; mask &= mask - 1 {
		c.open = binary.AppendVarint(c.open, int64(off[bits.TrailingZeros64(mask)]))
	}
	c.pace.next(&off)
	if c.n++; c.n%chainBlock == 0 {
		c.close()
	}
}

// number is that of the kind of a page, 0 if it is no image, or one of so many kinds
// that not all are kept.
func (c *chain) number(p *page) int {
	if p.err != nil {
		return 0
	}
	n := c.numbers[p.kind]
	if n == 0 && len(c.kinds) < maxImages {
		if c.numbers == nil {
			c.numbers = map[*kind]int{}
		}
		c.kinds = append(c.kinds, p.kind)
		n = len(c.kinds)
		c.numbers[p.kind] = n
	}
	return n
}

// close ends a block, which then takes no more memory than it has to.
func (c *chain) close() {
	if len(c.open) > 0 {
		c.blocks = append(c.blocks, append([]byte(nil), c.open...))
	}
	c.open, c.pace = c.open[:0], pace{}
}

// at gives a page. Nobody may add any by then.
func (c *chain) at(n int) page {
	for _, p := range c.from(n) {
		return p
	}
	return page{}
}

// from yields the pages from one on. Those without a kind have to be read again, to
// know what they are or what is wrong with them.
func (c *chain) from(n int) iter.Seq2[int, page] {
	return func(yield func(int, page) bool) {
		for i := n - n%chainBlock; i < c.n; {
			b := c.open
			if i/chainBlock < len(c.blocks) {
				b = c.blocks[i/chainBlock]
			}
			var at pace
			for range min(chainBlock, c.n-i) {
				mask, size := binary.Uvarint(b)
				b = b[size:]
				var off record
				for ; mask != 0; mask &= mask - 1 {
					v, size := binary.Varint(b)
					b = b[size:]
					off[bits.TrailingZeros64(mask)] = uint64(v)
				}
				at.next(&off)
				if i >= n && !yield(i, c.page(&at.last)) {
					return
				}
				i++
			}
		}
	}
}

// cut leaves the first pages only. No more can be added.
func (c *chain) cut(n int) {
	c.close()
	c.blocks, c.n, c.numbers = c.blocks[:(n+chainBlock-1)/chainBlock], n, nil
}

// record gives a page in numbers: where it is, what it is, how its tables are, and
// where.
func (p *page) record(kind int) record {
	what := uint64(kind) << 1
	if p.reduced {
		what |= 1
	}
	return record{
		p.offset, what, p.offsets.form()<<34 | p.counts.form()<<9 | p.sub.form()&(1<<9-1),
		p.offsets.at, p.offsets.count, p.counts.at, p.counts.count, p.sub.at, p.sub.count,
	}
}

// page gives the page that a record is of.
func (c *chain) page(r *record) page {
	p := page{
		offset: r[0], reduced: r[1]&1 != 0,
		offsets: tableOf(r[2]>>34, r[3], r[4]),
		counts:  tableOf(r[2]>>9&(1<<25-1), r[5], r[6]),
		sub:     tableOf(uint64(tag.SubIFDs)<<9|r[2]&(1<<9-1), r[7], r[8]),
	}
	if n := r[1] >> 1; n > 0 {
		p.kind = c.kinds[n-1]
	}
	return p
}

// form is what a table is, but for where and how long, in 25 bits. The types that
// tables can have are small numbers.
func (t *table) form() uint64 {
	one := uint64(0)
	if t.one {
		one = 1
	}
	return uint64(t.id)<<9 | uint64(t.typ)<<1 | one
}

func tableOf(form, at, count uint64) table {
	return table{at: at, count: count, id: tag.ID(form >> 9), typ: tag.Type(form >> 1 & 0xff), one: form&1 != 0}
}
