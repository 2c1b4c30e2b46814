package pco

// A choice is made on a sample of groups of neighbours.
const (
	groupLen  = 256
	minGroups = 8
)

// choose finds a mode and differences that make the numbers small.
func (e *encoder) choose(o Options) plan {
	n := len(e.nums)
	fixed := min(o.Order, maxOrder, n-1)
	if o.Lookback {
		fixed = 0
	}
	group := e.takeSample()
	e.schemes = append(e.schemes[:0], scheme{mode: classic})
	if !o.Classic {
		e.findSchemes()
	}
	if fixed >= 0 && len(e.schemes) == 1 {
		return plan{e.schemes[0], fixed, o.Lookback && n > 1}
	}
	var best plan
	least := 0.0
	e.prepare(&e.first, len(e.sample))
	e.prepare(&e.second, len(e.sample))
	for i, s := range e.schemes {
		s.split(e.first.latents, e.second.latents, e.sample, e.t)
		p := plan{scheme: s}
		var cost, second float64
		p.order, cost = e.bestOrder(e.first.latents, group, fixed, o.Level)
		if s.mode != classic {
			log := min(binsLog(o.Level, len(e.sample)), 6)
			second = e.perNumber(e.second.latents, e.t.bits(), log) + e.stored(1)
		}
		if cost > lookbackCost && fixed < 0 && n > 1 {
			if c := e.withLookback(o.Level) + lookbackCost; c < cost {
				p.order, p.lookback, cost = 0, true, c
			}
		}
		if cost += second; i == 0 || cost < least {
			best, least = p, cost
		}
	}
	best.lookback = best.lookback || o.Lookback && n > 1
	return best
}

// withLookback is how many bits a first latent of the sample takes with
// lookbacks.
func (e *encoder) withLookback(level int) float64 {
	log := binsLog(level, len(e.sample))
	backs := e.searcher.search(e.first.latents, e.first.width)
	cost := e.perNumber(backs, 32, log) + e.stored(1)
	e.first.lookBack(backs)
	cost += e.perNumber(e.first.latents, e.first.width, log)
	e.first.latents = e.first.all
	return cost
}

// takeSample copies some groups of numbers, or all if there are few. It returns
// the length of a group.
func (e *encoder) takeSample() int {
	n := len(e.nums)
	groups := max(minGroups, n/groupLen/32)
	if n <= groups*groupLen {
		e.sample = append(e.sample[:0], e.nums...)
		return n
	}
	e.sample = e.sample[:0]
	for i := range groups {
		at := (n - groupLen) / (groups - 1) * i
		e.sample = append(e.sample, e.nums[at:at+groupLen]...)
	}
	return groupLen
}

// bestOrder tries orders of differences, all if fixed is negative, until they
// do not help any more. It gives the best and the bits that a number takes.
func (e *encoder) bestOrder(latents []uint64, group, fixed, level int) (int, float64) {
	log := binsLog(level, len(latents))
	e.trial = append(e.trial[:0], latents...)
	mid, mask := uint64(1)<<(e.t.bits()-1), masks[e.t.bits()]
	best, least := 0, 0.0
	most := maxOrder
	if fixed >= 0 {
		most = fixed
	}
	for order := 0; order <= min(most, group-1); order++ {
		e.scratch = e.scratch[:0]
		for at := 0; at < len(e.trial); at += group {
			g := e.trial[at : at+group]
			if order > 0 {
				differences(g, order)
			}
			for _, x := range g[order:] {
				if order > 0 {
					x = (x + mid) & mask
				}
				e.scratch = append(e.scratch, x)
			}
		}
		if fixed >= 0 && order < fixed {
			continue
		}
		cost := e.perNumber(e.scratch, e.t.bits(), log) + e.stored(order)
		if order > best && fixed < 0 && cost >= least {
			break
		}
		best, least = order, cost
	}
	return best, least
}

// stored is how many bits of each number it takes to store some as they are.
func (e *encoder) stored(n int) float64 {
	return float64(n) * float64(e.t.bits()) / float64(len(e.nums))
}

// perNumber is about how many bits a latent takes if there are as many as
// numbers in the chunk, with the bins that suit the sample.
func (e *encoder) perNumber(latents []uint64, width, log uint) float64 {
	meta, body := e.trainer.train(latents, width, log)
	return meta/float64(len(e.nums)) + body/float64(max(1, len(latents)))
}
