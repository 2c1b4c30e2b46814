package main

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
)

// fleet is who works: machines of one core that differ, die and are replaced.
type fleet struct {
	workers int
	// Every so many workers is slow, and every so many hangs, as machines do whose
	// neighbours or disks are bad: they work on, at a part of the speed.
	slow, hanging           float64 // parts of all
	slowSpeed, hangingSpeed float64
	lifetime                float64 // seconds until a worker dies, on average
	replaced                float64 // seconds until another has taken its place and opened the job
}

// work is what is to be done: items that take as long as they take on a good machine.
type work struct {
	items  int
	mean   float64 // seconds
	spread float64 // deviation of the logarithm
	fails  float64 // how often an item must be tried again, of all
	skip   float64 // seconds to see that an item is done already
}

// way is how items come to workers.
type way struct {
	name  string
	share int  // items that a worker takes at once and that nobody else does
	twice bool // who has nothing to do does again what others are late with
}

// outcome is what a simulation tells, in seconds.
type outcome struct {
	wall   float64
	paid   float64 // all workers, each from the start until nothing is left for it
	redone int     // items that were begun more than once
	deaths int
}

// simulation has the state of one run: who is free when, and what happens to them.
type simulation struct {
	fleet
	work
	random *rand.Rand
	out    outcome
}

type worker struct {
	free  float64 // when
	speed float64
	dies  float64 // when
}

type queue []worker

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].free < q[j].free }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(worker)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// simulate runs the work once. The same seed gives the same result everywhere.
func simulate(f fleet, w work, how way, seed uint64) outcome {
	s := simulation{fleet: f, work: w, random: rand.New(rand.NewPCG(seed, 17))}
	ready := make(queue, f.workers)
	for i := range ready {
		ready[i] = s.begun(0)
	}
	heap.Init(&ready)
	left := w.items
	var last []float64 // when each worker had done its last share
	for left > 0 {
		n := min(how.share, left)
		left -= n
		ready[0] = s.do(ready[0], n)
		heap.Fix(&ready, 0)
	}
	for _, x := range ready {
		last = append(last, x.free)
	}
	if how.twice {
		s.again(ready, last)
	}
	s.out.wall = slices.Max(last)
	for _, t := range last {
		s.out.paid += t
	}
	return s.out
}

// begun is a fresh worker.
func (s *simulation) begun(at float64) worker {
	w := worker{free: at, speed: 1, dies: at + s.random.ExpFloat64()*s.lifetime}
	switch draw := s.random.Float64(); {
	case draw < s.hanging:
		w.speed = s.hangingSpeed
	case draw < s.hanging+s.slow:
		w.speed = s.slowSpeed
	}
	return w
}

// do is a worker that has done a share. Who takes the place of one that died finds what is
// done by the mark of the copy, and passes over it.
func (s *simulation) do(w worker, n int) worker {
	for i := 0; i < n; i++ {
		end := w.free + s.takes()/w.speed
		if s.random.Float64() < s.fails {
			end += s.takes() / w.speed
			s.out.redone++
		}
		if end > w.dies {
			s.out.deaths++
			s.out.redone++
			w = s.begun(w.dies + s.replaced)
			w.free += float64(i) * s.skip
			i--
			continue
		}
		w.free = end
	}
	return w
}

// takes is how long an item takes on a good machine.
func (s *simulation) takes() float64 {
	return s.mean * math.Exp(s.spread*s.random.NormFloat64()-s.spread*s.spread/2)
}

// again lets workers without work do the items that would be done last once more; each item
// counts as done when the first of both is.
func (s *simulation) again(ready queue, last []float64) {
	late := slices.Clone(last)
	slices.Sort(late)
	slices.SortFunc(ready, func(a, b worker) int { return int(math.Copysign(1, a.free-b.free)) })
	for i, j := 0, len(late)-1; i < j; i++ {
		if end := ready[i].free + s.takes()/ready[i].speed; end < late[j] {
			late[j] = end
			s.out.redone++
			j--
		}
	}
	copy(last, late)
}
