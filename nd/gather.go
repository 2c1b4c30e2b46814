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
	c := copier{dst.Data, src.Data, dst.Size, 1}
	c.copyIndexed(dst.Offset, src.Offset, to, from, dst.Strides, src.Strides)
	settle(dst.Data)
}

func (c *copier) copyIndexed(d, s int, to, from []Index, ds, ss []int) {
	if len(to) == 0 {
		copy(c.dst[d:d+c.run], c.src[s:s+c.run])
		return
	}
	t, f := to[0], from[0]
	if len(to) == 1 && t.List == nil && f.List == nil {
		l := loop{t.N, t.Step * ds[0], f.Step * ss[0]}
		d, s = d+t.Start*ds[0], s+f.Start*ss[0]
		if l.ds == c.run && l.ss == c.run {
			copy(c.dst[d:d+l.n*c.run], c.src[s:s+l.n*c.run])
		} else if l.n > 0 {
			c.row(d, s, l)
		}
		return
	}
	for k := range t.N {
		c.copyIndexed(d+t.at(k)*ds[0], s+f.at(k)*ss[0], to[1:], from[1:], ds[1:], ss[1:])
	}
}

func (x Index) at(k int) int {
	if x.List != nil {
		return x.List[k]
	}
	return x.Start + k*x.Step
}
