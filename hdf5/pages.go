package hdf5

import (
	"fmt"
	"io"
	"sync"
)

// pages reads metadata in blocks and keeps them. A read that goes on where
// another ended reads more, up to mostAhead, since each may be a request.
type pages struct {
	r     io.ReaderAt
	size  int64
	block int64
	limit int64 // bytes that are kept

	mu    sync.Mutex
	have  map[int64][]byte // by number of the block
	reads []span           // what was read, the oldest first
	held  int64
	next  int64 // the block behind the last read
	ahead int64 // how many blocks that read had
	count int   // how many reads there were
}

// span is one read: some blocks from the first on.
type span struct{ first, n int64 }

const (
	mostAhead = 1 << 20
	// mostMeta is the largest piece of metadata that is read. Nothing that
	// libraries write comes near it.
	mostMeta = 256 << 20
)

func newPages(r io.ReaderAt, size int64, o Options) *pages {
	p := &pages{r: r, size: size, block: 16 << 10, limit: 16 << 20, have: map[int64][]byte{}, next: -1}
	if o.Block > 0 {
		p.block = int64(o.Block)
	}
	if o.Cache > 0 {
		p.limit = o.Cache
	}
	return p
}

// get gives n bytes at an offset, which the caller has checked to lie in the
// file. They must not be changed.
func (p *pages) get(off, n int64) ([]byte, error) {
	if n > mostAhead {
		if n > mostMeta {
			return nil, fmt.Errorf("%d bytes of metadata in one piece are more than the limit of %d", n, mostMeta)
		}
		b := make([]byte, n)
		return b, p.readAt(b, off)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	first, last := off/p.block, (off+max(n, 1)-1)/p.block
	if first == last {
		b, err := p.fetch(first, last)
		if err != nil {
			return nil, err
		}
		b = b[off-first*p.block:]
		return b[:n:n], nil
	}
	out := make([]byte, 0, n)
	for i := first; i <= last; i++ {
		b, err := p.fetch(i, last)
		if err != nil {
			return nil, err
		}
		b = b[max(off-i*p.block, 0):]
		out = append(out, b[:min(int64(len(b)), n-int64(len(out)))]...)
	}
	return out, nil
}

// fetch gives a block, and reads those up to last if they are missing too.
func (p *pages) fetch(i, last int64) ([]byte, error) {
	if b, ok := p.have[i]; ok {
		return b, nil
	}
	n := last - i + 1
	if i == p.next || i == p.next+1 { // the way goes on
		n = max(n, min(2*p.ahead, mostAhead/p.block))
	}
	for j := i + 1; j < i+n; j++ {
		if _, ok := p.have[j]; ok {
			n = j - i
			break
		}
	}
	start := i * p.block
	b := make([]byte, min(n*p.block, p.size-start))
	if err := p.readAt(b, start); err != nil {
		return nil, err
	}
	p.count++
	p.next, p.ahead = i+n, n
	read := span{first: i}
	for rest := b; len(rest) > 0; read.n++ {
		k := min(int64(len(rest)), p.block)
		p.have[i+read.n] = rest[:k:k]
		rest = rest[k:]
	}
	p.reads, p.held = append(p.reads, read), p.held+int64(len(b))
	for p.held > p.limit && len(p.reads) > 1 {
		old := p.reads[0]
		p.reads = p.reads[1:]
		for j := old.first; j < old.first+old.n; j++ {
			p.held -= int64(len(p.have[j]))
			delete(p.have, j)
		}
	}
	return p.have[i], nil
}

// readAt fills b, or fails.
func (p *pages) readAt(b []byte, off int64) error {
	n, err := p.r.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}
