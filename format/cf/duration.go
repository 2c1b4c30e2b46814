package cf

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

// tick is what the types for times count: one step, in months or in a unit of seconds.
type tick struct {
	step   int64
	months bool
	per    int64 // how many units are a second; step is in seconds where it is 1
}

// newTick is that of a unit of NumPy.
func newTick(unit string, scale int) (tick, Precision) {
	n := int64(scale)
	switch unit {
	case "Y":
		return tick{step: 12 * n, months: true}, Year
	case "M":
		return tick{step: n, months: true}, Month
	case "W":
		return tick{step: 7 * 86400 * n, per: 1}, Day
	case "D":
		return tick{step: 86400 * n, per: 1}, Day
	case "h":
		return tick{step: 3600 * n, per: 1}, Second
	case "m":
		return tick{step: 60 * n, per: 1}, Second
	}
	per := map[string]int64{"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9, "ps": 1e12, "fs": 1e15, "as": 1e18}[unit]
	return tick{step: n, per: per}, Second
}

// split gives n steps as whole seconds and units that are left, both of the sign
// of n; ok is false beyond all calendars.
func (t tick) split(n int64) (seconds, rest int64, ok bool) {
	hi, lo := bits.Mul64(magnitude(n), uint64(t.step))
	if hi >= uint64(t.per) {
		return 0, 0, false
	}
	whole, left := bits.Div64(hi, lo, uint64(t.per))
	if whole > maxSeconds {
		return 0, 0, false
	}
	seconds, rest = int64(whole), int64(left)
	if n < 0 {
		seconds, rest = -seconds, -rest
	}
	return seconds, rest, true
}

// time is the moment that n steps after 1970 are; what is less than a nanosecond is
// left out.
func (t tick) time(n int64) Time {
	if t.months {
		hi, lo := bits.Mul64(magnitude(n), uint64(t.step))
		if hi != 0 || lo > 12*maxYear {
			return NaT
		}
		all := int64(lo)
		if n < 0 {
			all = -all
		}
		years := floorDiv(all, 12)
		return Gregorian.Date(1970+years, int(all-12*years)+1, 1)
	}
	seconds, rest, ok := t.split(n)
	if !ok {
		return NaT
	}
	if rest < 0 {
		seconds, rest = seconds-1, rest+t.per
	}
	nanos := rest
	if t.per > second {
		nanos = rest / (t.per / second)
	} else {
		nanos = rest * (second / t.per)
	}
	return Time{Seconds: seconds, Nanos: int32(nanos)}
}

// seconds is how long a duration is, NaN where it is missing. Months are told as the
// mean of the Gregorian calendar.
func (d *Decoder) seconds(elem []byte) float64 {
	if d.isMissing(elem) {
		return math.NaN()
	}
	if d.tick.step != 0 {
		n := float64(int64(binary.LittleEndian.Uint64(elem))) * float64(d.tick.step)
		if d.tick.months {
			return n * 365.2425 * 86400 / 12
		}
		return n / float64(d.tick.per)
	}
	var x [1]float64
	d.floats(x[:], elem)
	return (x[0]*d.scale + d.offset) * float64(d.units.step) / second
}

// appendDuration appends a duration as ISO 8601 spells it: "P1DT2H30M".
func (d *Decoder) appendDuration(dst, elem []byte) []byte {
	if d.tick.step == 0 {
		t := Units{step: d.units.step}.Float(d.seconds(elem) / float64(d.units.step) * second)
		if t.IsNaT() {
			return append(dst, "null"...)
		}
		if t.Seconds < 0 && t.Nanos > 0 {
			t.Seconds, t.Nanos = t.Seconds+1, t.Nanos-second
		}
		return appendPeriod(dst, t.Seconds, int64(t.Nanos), second)
	}
	n := int64(binary.LittleEndian.Uint64(elem))
	if d.tick.months {
		hi, lo := bits.Mul64(magnitude(n), uint64(d.tick.step))
		if hi != 0 {
			return append(dst, "null"...)
		}
		dst = append(dst, '"')
		if n < 0 {
			dst = append(dst, '-')
		}
		if lo%12 == 0 {
			return append(strconv.AppendUint(append(dst, 'P'), lo/12, 10), "Y\""...)
		}
		return append(strconv.AppendUint(append(dst, 'P'), lo, 10), "M\""...)
	}
	seconds, rest, ok := d.tick.split(n)
	if !ok {
		return append(dst, "null"...)
	}
	return appendPeriod(dst, seconds, rest, d.tick.per)
}

// appendPeriod appends a duration of seconds and parts of one, of which there are
// per in a second; both have the same sign.
func appendPeriod(dst []byte, seconds, rest, per int64) []byte {
	dst = append(dst, '"')
	if seconds < 0 || rest < 0 {
		dst, seconds, rest = append(dst, '-'), -seconds, -rest
	}
	dst = append(dst, 'P')
	if days := seconds / 86400; days > 0 {
		dst = append(strconv.AppendInt(dst, days, 10), 'D')
	}
	ofDay := seconds % 86400
	if ofDay == 0 && rest == 0 && seconds > 0 {
		return append(dst, '"')
	}
	dst = append(dst, 'T')
	if h := ofDay / 3600; h > 0 {
		dst = append(strconv.AppendInt(dst, h, 10), 'H')
	}
	if m := ofDay / 60 % 60; m > 0 {
		dst = append(strconv.AppendInt(dst, m, 10), 'M')
	}
	if s := ofDay % 60; s > 0 || rest > 0 || ofDay == 0 {
		dst = strconv.AppendInt(dst, s, 10)
		if rest > 0 {
			width := len(strconv.FormatInt(per, 10)) - 1
			text := fmt.Sprintf(".%0*d", width, rest)
			for text[len(text)-1] == '0' {
				text = text[:len(text)-1]
			}
			dst = append(dst, text...)
		}
		dst = append(dst, 'S')
	}
	return append(dst, '"')
}
