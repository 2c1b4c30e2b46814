package nd

// Index says which positions of an axis are meant: N of them, from Start on at
// a distance of Step, or those in List if it is not nil.
type Index struct {
	N, Start, Step int
	List           []int
}

// CopyIndexed copies elements between positions of both views: for every axis,
// the k-th position of src goes to the k-th position of dst.
func CopyIndexed(dst View, to []Index, src View, from []Index) {
	copyIndexed(dst, src, dst.Offset, src.Offset, 0, to, from)
}

func copyIndexed(dst, src View, d, s, axis int, to, from []Index) {
	if axis == len(to) {
		copy(dst.Data[d:d+dst.Size], src.Data[s:s+src.Size])
		return
	}
	t, f := to[axis], from[axis]
	if axis == len(to)-1 && t.List == nil && f.List == nil {
		l := loop{t.N, t.Step * dst.Strides[axis], f.Step * src.Strides[axis]}
		d, s = d+t.Start*dst.Strides[axis], s+f.Start*src.Strides[axis]
		if l.ds == dst.Size && l.ss == src.Size {
			copy(dst.Data[d:d+l.n*dst.Size], src.Data[s:s+l.n*src.Size])
		} else if l.n > 0 {
			copyRow(dst.Data, src.Data, d, s, dst.Size, l)
		}
		return
	}
	for k := range t.N {
		copyIndexed(dst, src, d+t.at(k)*dst.Strides[axis], s+f.at(k)*src.Strides[axis], axis+1, to, from)
	}
}

func (x Index) at(k int) int {
	if x.List != nil {
		return x.List[k]
	}
	return x.Start + k*x.Step
}
