package numeric

import (
	"sync"

	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/nd"
)

// block is how many elements pass through a Pipe at once: few enough that what
// lies between its steps stays in the first-level cache.
const block = 512

// shortRun is the number of elements below which a run is not worth a call.
const shortRun = 16

// Runs calls f with all elements of two views of the same shape, in C order, as
// runs that are contiguous in both. Views that have none go through lent memory.
func Runs(dst, src nd.View, f func(dst, src []byte) error) error {
	n := src.Len()
	if n == 0 {
		return nil
	}
	// The axes from k on are one run in both.
	k, run := len(src.Shape), 1
	for k > 0 && (src.Shape[k-1] == 1 || dst.Strides[k-1] == run*dst.Size && src.Strides[k-1] == run*src.Size) {
		k--
		run *= src.Shape[k]
	}
	if run < n && run < shortRun {
		return throughCopies(dst, src, n, f)
	}
	var at [nd.MaxRank]int
	idx := at[:k]
	for {
		d, s := dst.Offset+dst.Dot(idx), src.Offset+src.Dot(idx)
		if err := f(dst.Data[d:d+run*dst.Size], src.Data[s:s+run*src.Size]); err != nil {
			return err
		}
		if !nd.Next(idx, src.Shape[:k]) {
			return nil
		}
	}
}

// throughCopies makes those views contiguous that are not.
func throughCopies(dst, src nd.View, n int, f func(dst, src []byte) error) error {
	s, ok := src.Contiguous()
	if !ok {
		hold := buf.Get(n * src.Size)
		defer hold.Free()
		s = hold.B[:n*src.Size]
		nd.Copy(nd.Of(s, src.Size, src.Shape...), src)
	}
	if d, ok := dst.Contiguous(); ok {
		return f(d, s)
	}
	hold := buf.Get(n * dst.Size)
	defer hold.Free()
	d := hold.B[:n*dst.Size]
	if err := f(d, s); err != nil {
		return err
	}
	nd.Copy(dst, nd.Of(d, dst.Size, dst.Shape...))
	return nil
}

// Pipe is kernels one behind the other. The zero value copies.
type Pipe struct {
	in    int // bytes of a number that goes in
	steps []step
}

type step struct {
	run  Kernel
	size int // bytes of a number that comes out
}

// NewPipe is a pipe for numbers of so many bytes, without steps.
func NewPipe(size int) *Pipe { return &Pipe{in: size} }

// Add puts a kernel behind the others, whose numbers have size bytes. A nil
// kernel changes nothing.
func (p *Pipe) Add(k Kernel, size int) {
	if k != nil {
		p.steps = append(p.steps, step{k, size})
	}
}

// between is the memory between the steps of a pipe.
type between [2][block * 8]byte

var betweens = sync.Pool{New: func() any { return new(between) }}

// Run computes dst from src.
func (p *Pipe) Run(dst, src []byte) {
	switch len(p.steps) {
	case 0:
		copy(dst, src)
		return
	case 1:
		p.steps[0].run(dst, src)
		return
	}
	mem := betweens.Get().(*between)
	defer betweens.Put(mem)
	last := p.steps[len(p.steps)-1]
	for len(src) > 0 {
		n := min(block, len(src)/p.in)
		cur := src[:n*p.in]
		for i, s := range p.steps[:len(p.steps)-1] {
			out := mem[i%2][:n*s.size]
			s.run(out, cur)
			cur = out
		}
		last.run(dst[:n*last.size], cur)
		dst, src = dst[n*last.size:], src[n*p.in:]
	}
}
