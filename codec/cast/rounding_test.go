package cast_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/omnizarr/zarr/codec/cast"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/thorough"
)

// TestRoundingAgreesWithAList compares every rounding to every float type of up
// to 16 bits with a search in the list of its numbers.
func TestRoundingAgreesWithAList(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"float16", "bfloat16", "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn", "float8_e3m4", "float8_e4m3",
		"float8_e4m3fn", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"} {
		to := dtype.MustParse(name)
		list := numbers(to)
		for _, rounding := range []cast.Rounding{cast.NearestEven, cast.TowardsZero, cast.TowardsPositive, cast.TowardsNegative, cast.NearestAway} {
			for range thorough.Of(40, 400) {
				x := between(r, list)
				if name == "float8_e8m0fnu" && isTie(list, x) {
					continue // there is no even one
				}
				want, ok := choose(list, x, rounding)
				c := cast.Codec{DataType: to, Rounding: rounding}
				if name == "float8_e8m0fnu" { // the fill value zero must survive
					c.Encode = []cast.Pair{{In: json.RawMessage("0.0"), Out: json.RawMessage(`"NaN"`)}}
					c.Decode = []cast.Pair{{In: json.RawMessage(`"NaN"`), Out: json.RawMessage("0.0")}}
					if x == 0 {
						continue
					}
				}
				elem := make([]byte, 8)
				for i, b := 0, math.Float64bits(x); i < 8; i++ {
					elem[i] = byte(b >> (8 * i))
				}
				out, err := castOne(t, c, dtype.MustParse("float64"), elem)
				var pattern uint64
				for i, b := range out {
					pattern |= uint64(b) << (8 * i)
				}
				f, _ := dtype.FormatOf(to)
				if (err == nil) != ok || ok && f.Decode(pattern) != want {
					t.Fatalf("%v %s of %s: got %v, %v; want %v, %v", x, rounding, name, f.Decode(pattern), err, want, ok)
				}
			}
		}
	}
}

// TestIntegersAreExact compares casts between floats and integers with big
// numbers.
func TestIntegersAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, name := range []string{"int2", "uint4", "int8", "uint8", "int16", "uint32", "int64", "uint64"} {
		to := dtype.MustParse(name)
		unit := to.Units()[0]
		for _, rounding := range []cast.Rounding{cast.NearestEven, cast.TowardsZero, cast.TowardsPositive, cast.TowardsNegative, cast.NearestAway} {
			for k := range thorough.Of(60, 300) {
				x := math.Ldexp(float64(int64(r.Uint64()))/2, r.IntN(40)-62) // whole numbers, halves and others
				if k%3 == 0 {
					x = math.Round(x*2) / 2
				}
				if k%10 == 0 {
					x = math.Ldexp(x, r.IntN(900))
				}
				elem := binary.LittleEndian.AppendUint64(nil, math.Float64bits(x))
				n := roundBig(x, rounding)
				for _, outside := range []cast.Range{cast.Fail, cast.Clamp, cast.Wrap} {
					want, ok := fit(n, unit, outside)
					got, err := castOne(t, cast.Codec{DataType: to, Rounding: rounding, OutOfRange: outside}, dtype.MustParse("float64"), elem)
					if (err == nil) != ok || ok && !bytes.Equal(got, want[:to.Size()]) {
						t.Fatalf("%v %s to %s, %q: got %x, %v; want %x, %v", x, rounding, name, outside, got, err, want, ok)
					}
				}
			}
		}
	}
}

// roundBig rounds to a whole number.
func roundBig(x float64, rounding cast.Rounding) *big.Int {
	lo, frac := math.Floor(x), x-math.Floor(x)
	n, _ := big.NewFloat(lo).Int(nil)
	up := false
	switch rounding {
	case cast.TowardsZero:
		up = frac > 0 && x < 0
	case cast.TowardsPositive:
		up = frac > 0
	case cast.NearestEven:
		up = frac > 0.5 || frac == 0.5 && n.Bit(0) == 1
	case cast.NearestAway:
		up = frac > 0.5 || frac == 0.5 && x > 0
	}
	if up {
		n.Add(n, big.NewInt(1))
	}
	return n
}

// fit brings a number into the range of integers; the memory has 8 bytes.
func fit(n *big.Int, u dtype.Unit, outside cast.Range) (memory []byte, ok bool) {
	size := new(big.Int).Lsh(big.NewInt(1), uint(u.Bits))
	lo, end := new(big.Int), new(big.Int).Set(size)
	if u.Signed {
		end.Rsh(size, 1)
		lo.Neg(end)
	}
	last := new(big.Int).Sub(end, big.NewInt(1))
	if n.Cmp(lo) < 0 || n.Cmp(end) >= 0 {
		switch {
		case outside == cast.Fail:
			return nil, false
		case outside == cast.Clamp && n.Cmp(lo) < 0:
			n = lo
		case outside == cast.Clamp:
			n = last
		default:
			if n = new(big.Int).Mod(n, size); n.Cmp(end) >= 0 {
				n.Sub(n, size)
			}
		}
	}
	low := new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64))
	return binary.LittleEndian.AppendUint64(nil, low.Uint64()), true
}

// TestLargeIntegersAreRoundedOnce compares casts of integers beyond 2^53.
func TestLargeIntegersAreRoundedOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	modes := map[cast.Rounding]big.RoundingMode{cast.NearestEven: big.ToNearestEven, cast.TowardsZero: big.ToZero,
		cast.TowardsPositive: big.ToPositiveInf, cast.TowardsNegative: big.ToNegativeInf, cast.NearestAway: big.ToNearestAway}
	for _, target := range []struct {
		name string
		bits uint
	}{{"float64", 53}, {"float32", 24}, {"bfloat16", 8}} {
		to := dtype.MustParse(target.name)
		format, _ := dtype.FormatOf(to)
		for rounding, mode := range modes {
			for k := range 300 {
				bits := r.Uint64() >> r.IntN(12)
				if k%2 == 0 { // near halfway
					bits = bits&^(1<<12-1) | 1<<10 + uint64(r.IntN(3)) - 1
				}
				for _, from := range []string{"int64", "uint64"} {
					n := new(big.Int).SetUint64(bits)
					if from == "int64" {
						n.SetInt64(int64(bits))
					}
					want, _ := new(big.Float).SetPrec(target.bits).SetMode(mode).SetInt(n).Float64()
					out, err := castOne(t, cast.Codec{DataType: to, Rounding: rounding}, dtype.MustParse(from), binary.LittleEndian.AppendUint64(nil, bits))
					got := format.Decode(binary.LittleEndian.Uint64(append(out, make([]byte, 8)...)))
					if err != nil || got != want {
						t.Fatalf("%v of %s, %s to %s: got %v, %v; want %v", n, from, rounding, target.name, got, err, want)
					}
				}
			}
		}
	}
}

type entry struct {
	x    float64
	even bool
}

// numbers lists the finite numbers of a float type in order.
func numbers(t dtype.Type) []entry {
	f, _ := dtype.FormatOf(t)
	var out []entry
	for p := range uint64(1) << f.Bits() {
		if x := f.Decode(p); !math.IsNaN(x) && !math.IsInf(x, 0) && !(x == 0 && math.Signbit(x)) {
			out = append(out, entry{x, p&1 == 0})
		}
	}
	slices.SortFunc(out, func(a, b entry) int {
		if a.x < b.x {
			return -1
		}
		return 1
	})
	return out
}

// between draws a number in, between, halfway between, and beyond the list's.
func between(r *rand.Rand, list []entry) float64 {
	i := r.IntN(len(list) - 1)
	if r.IntN(4) == 0 {
		i = []int{0, len(list) - 2}[r.IntN(2)]
	}
	a, b := list[i].x, list[i+1].x
	switch r.IntN(5) {
	case 0:
		return a
	case 1:
		return a + (b-a)/2
	case 2:
		return math.Nextafter(a+(b-a)/2, a)
	case 3:
		return []float64{a - (b-a)/2, b + (b-a)/2, b + (b-a)*3/4}[r.IntN(3)]
	}
	return a + (b-a)*r.Float64()
}

func isTie(list []entry, x float64) bool {
	i, _ := slices.BinarySearchFunc(list, x, func(e entry, x float64) int { return compare(e.x, x) })
	return i > 0 && i < len(list) && list[i].x-x == x-list[i-1].x || i == len(list)
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// choose is the number of the list that x is rounded to.
func choose(list []entry, x float64, rounding cast.Rounding) (float64, bool) {
	i, exact := slices.BinarySearchFunc(list, x, func(e entry, x float64) int { return compare(e.x, x) })
	if exact {
		return x, true
	}
	n := len(list)
	// What would stand beyond the ends, as far away as the last step.
	below := entry{2*list[0].x - list[1].x, !list[0].even}
	above := entry{2*list[n-1].x - list[n-2].x, !list[n-1].even}
	lo, hi, loIn, hiIn := below, above, i > 0, i < n
	if list[0].x > 0 && i == 0 {
		lo = entry{math.Inf(-1), false} // no sign: everything below rounds up
	}
	if loIn {
		lo = list[i-1]
	}
	if hiIn {
		hi = list[i]
	}
	up := false
	switch rounding {
	case cast.TowardsPositive:
		up = true
	case cast.TowardsNegative:
	case cast.TowardsZero:
		up = x < 0
	default:
		d, u := x-lo.x, hi.x-x
		up = u < d || u == d && (rounding == cast.NearestAway && x > 0 || rounding == cast.NearestEven && hi.even)
		if !hiIn && x > hi.x {
			up = true
		}
		if !loIn && x < lo.x {
			up = false
		}
	}
	if up {
		return hi.x, hiIn
	}
	return lo.x, loIn
}
