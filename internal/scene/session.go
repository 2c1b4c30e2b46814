package scene

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Session is an hour in the life of a mouse, or a little of it: what a probe in its brain
// heard while it did a task.
type Session struct {
	Rate     float64     // samples of Field in a second
	Field    []int16     // microvolts, of Probes channels at a time
	Trials   []Trial     // one after the other
	Spikes   [][]float64 // seconds, for each unit
	Where    []float64   // x and y of the mouse in centimetres, twenty times a second
	WhereAll float64     // times a second
}

// Probes is how many channels a Session has.
const Probes = 16

// Trial is a light that the mouse may have answered.
type Trial struct {
	Start, Stop float64 // seconds
	Side        string  // of the light
	Right       bool    // it went there
}

// NewSession makes one up that is so many seconds long.
func NewSession(seconds, units int) *Session {
	rng := rand.New(rand.NewPCG(7, 11))
	s := &Session{Rate: 1250, WhereAll: 20}
	for at := 2.0; at+4 < float64(seconds); at += 4.5 + 2*rng.Float64() {
		s.Trials = append(s.Trials, Trial{Start: at, Stop: at + 2 + rng.Float64(), Side: []string{"left", "right"}[rng.IntN(2)], Right: rng.Float64() < 0.8})
	}
	s.field(seconds, rng)
	s.spikes(seconds, units, rng)
	s.walk(seconds, rng)
	return s
}

// since is how long ago the last light went on.
func (s *Session) since(t float64) (ago float64, in bool) {
	i, _ := slices.BinarySearchFunc(s.Trials, t, func(tr Trial, t float64) int {
		if tr.Start <= t {
			return -1
		}
		return 1
	})
	if i == 0 {
		return math.Inf(1), false
	}
	return t - s.Trials[i-1].Start, t < s.Trials[i-1].Stop
}

// field fills in the potentials: slow waves that travel along the probe, faster ones
// while a light is on, ripples now and then, and noise.
func (s *Session) field(seconds int, rng *rand.Rand) {
	n := int(s.Rate) * seconds
	s.Field = make([]int16, n*Probes)
	var drift [Probes]float64
	theta, ripple := 0.0, 0.0
	for i := range n {
		t := float64(i) / s.Rate
		ago, in := s.since(t)
		theta += 2 * math.Pi * (7 + noise(81, t/3, 0)) / s.Rate
		if rng.Float64() < 0.4/s.Rate {
			ripple = 1
		}
		ripple *= 1 - 12/s.Rate
		answer := 0.0
		if in {
			answer = math.Exp(-ago/0.18) * math.Sin(2*math.Pi*ago*9)
		}
		for c := range Probes {
			deep := float64(c) / Probes
			drift[c] += 0.004 * (rng.NormFloat64()*60 - drift[c])
			v := 130*math.Sin(theta-2.4*deep)*(0.5+deep) + drift[c]*6 + 14*rng.NormFloat64()
			v += 260 * answer * math.Exp(-12*(deep-0.45)*(deep-0.45))
			v += 150 * ripple * math.Sin(2*math.Pi*150*t) * math.Exp(-30*(deep-0.7)*(deep-0.7))
			if in {
				v += 32 * math.Sin(2*math.Pi*42*t+deep*3)
			}
			s.Field[i*Probes+c] = int16(v)
		}
	}
}

// spikes makes units fire, each at a rate of its own, and most of them more when a light
// has gone on.
func (s *Session) spikes(seconds, units int, rng *rand.Rand) {
	for u := range units {
		base, gain, wait := 0.6+14*math.Pow(rng.Float64(), 3), 6*rng.Float64(), 0.05+0.9*float64(u)/float64(units)
		var times []float64
		for t := 0.0; ; {
			t += rng.ExpFloat64() / (base * (1 + gain))
			if t >= float64(seconds) {
				break
			}
			ago, _ := s.since(t)
			bump := (ago - wait) / 0.12
			if rng.Float64() < (1+gain*math.Exp(-bump*bump))/(1+gain) {
				times = append(times, math.Round(t*30000)/30000)
			}
		}
		s.Spikes = append(s.Spikes, times)
	}
}

// walk lets the mouse run about in its box.
func (s *Session) walk(seconds int, rng *rand.Rand) {
	x, y, turn := 25.0, 20.0, 0.0
	for range seconds * int(s.WhereAll) {
		turn += 0.45 * rng.NormFloat64()
		x, y = x+0.8*math.Cos(turn), y+0.8*math.Sin(turn)
		if x < 2 || x > 48 || y < 2 || y > 38 {
			x, y, turn = min(max(x, 2), 48), min(max(y, 2), 38), turn+2.4
		}
		s.Where = append(s.Where, math.Round(x*100)/100, math.Round(y*100)/100)
	}
}
