package pco

import (
	"fmt"
)

// undo turns the differences in v.out into n latents. Latents that are stored
// in front come out first, so that as many differences at the end mean nothing.
// backs are the places that lookback refers to.
func (d *decoder) undo(v *variable, n int, backs []uint64) error {
	if v.stateLen == 0 {
		return nil
	}
	// Differences are signed: zero is in the middle of their range.
	mid := uint64(1) << (v.bits - 1)
	out := v.out[:n]
	for i := range out {
		out[i] += mid
	}
	switch d.delta {
	case consecutive:
		v.sum(out)
	case lookback:
		return v.lookBack(out, backs, 1<<d.windowLog)
	case conv1:
		d.predict(v, out)
	}
	return nil
}

// sum adds differences up, once for each order.
func (v *variable) sum(out []uint64) {
	for k := v.stateLen - 1; k >= 0; k-- {
		m := v.moments[k]
		for i, x := range out {
			out[i] = m
			m += x
		}
		v.moments[k] = m
	}
}

// predict adds to each difference a weighted sum of the latents before it.
func (d *decoder) predict(v *variable, out []uint64) {
	var all [32 + batchLen]uint64
	order := v.stateLen
	copy(all[:], v.moments[:order])
	mask := masks[v.bits]
	weights := d.weights[:order]
	for i, x := range out {
		s := d.bias
		for k, l := range all[i : i+order] {
			s += weights[k] * int64(l)
		}
		all[i+order] = (x + uint64(max(s, 0)>>d.quantisation)) & mask
	}
	copy(out, all[:])
	copy(v.moments[:order], all[len(out):])
}

// startWindow makes room for what a chunk of n numbers may look back at.
func (v *variable) startWindow(n, window int) {
	size := 2 * max(window, batchLen)
	if window >= n+v.stateLen {
		size = n + v.stateLen + batchLen // it never has to move
	}
	v.window = grow(v.window, size)
	v.at = v.stateLen
}

// lookBack adds to each difference an earlier latent.
func (v *variable) lookBack(out, backs []uint64, window int) error {
	if v.at+len(out) > len(v.window) {
		copy(v.window, v.window[v.at-window:v.at])
		v.at = window
	}
	for i, b := range backs {
		back := int(uint32(b))
		if back < 1 || back > window {
			return fmt.Errorf("looks back %d numbers in a window of %d", back, window)
		}
		pos := v.at + i
		x := out[i]
		if back <= pos { // there are zeros before the first latent
			x += v.window[pos-back]
		}
		v.window[pos] = x
	}
	copy(out, v.window[v.at-v.stateLen:])
	v.at += len(out)
	return nil
}
