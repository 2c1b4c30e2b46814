package cf

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// Units say what numbers mean as times: how long one is, and since when they count.
type Units struct {
	step  int64 // in nanoseconds
	since Time
}

const (
	second = 1_000_000_000
	day    = 86400 * second
)

// steps are the units of time that CF has, in nanoseconds.
var steps = map[string]int64{
	"nanosecond": 1, "ns": 1, "nsec": 1,
	"microsecond": 1000, "microsec": 1000, "us": 1000, "µs": 1000,
	"millisecond": 1_000_000, "millisec": 1_000_000, "msec": 1_000_000, "ms": 1_000_000,
	"second": second, "sec": second, "s": second,
	"minute": 60 * second, "min": 60 * second,
	"hour": 3600 * second, "hr": 3600 * second, "h": 3600 * second,
	"day": day, "d": day, "week": 7 * day,
}

// stepOf is the length of a unit of time, 0 if it is none. Months and years have one
// where all are equally long.
func stepOf(unit string, c Calendar) int64 {
	unit = strings.ToLower(unit)
	n := steps[unit]
	if n == 0 {
		unit = strings.TrimSuffix(unit, "s")
		n = steps[unit]
	}
	switch {
	case c == Days360 && unit == "month":
		n = 30 * day
	case c == Days360 && unit == "year":
		n = 360 * day
	case c == NoLeap && (unit == "common_year" || unit == "year"):
		n = 365 * day
	case c == AllLeap && unit == "year":
		n = 366 * day
	}
	return n
}

// ParseUnits reads units such as "days since 2000-01-01 06:00". The year may have
// fewer than four digits, and months, days and hours one.
func ParseUnits(text string, c Calendar) (Units, error) {
	unit, since, ok := strings.Cut(strings.TrimSpace(text), " ")
	since = strings.TrimSpace(since)
	word, since, found := strings.Cut(since, " ")
	if !ok || !found || !strings.EqualFold(word, "since") && !strings.EqualFold(word, "after") && !strings.EqualFold(word, "from") {
		return Units{}, fmt.Errorf("%q are no units such as \"days since 2000-01-01\"", text)
	}
	u := Units{step: stepOf(unit, c)}
	if u.step == 0 {
		return Units{}, fmt.Errorf("%q is no unit of time in the calendar", unit)
	}
	var err error
	u.since, err = reference(strings.TrimSpace(since), c)
	if err != nil {
		return Units{}, fmt.Errorf("%q: %w", text, err)
	}
	return u, nil
}

// reference reads the moment since which times count.
func reference(text string, c Calendar) (Time, error) {
	bad := fmt.Errorf("%q is no date", text)
	year, rest, ok := digits(strings.TrimPrefix(text, "-"), 1, 9)
	if strings.HasPrefix(text, "-") {
		year = -year
	}
	month, day := int64(1), int64(1)
	for i, to := range []*int64{&month, &day} {
		if !ok || !strings.HasPrefix(rest, "-") {
			if i == 0 && ok && rest == "" {
				break // a year alone
			}
			return NaT, bad
		}
		*to, rest, ok = digits(rest[1:], 1, 2)
	}
	if !ok {
		return NaT, bad
	}
	t := c.Date(year, int(month), int(day))
	if t.IsNaT() {
		return NaT, fmt.Errorf("%q: there is no such day in the calendar", text)
	}
	if rest == "" {
		return t, nil
	}
	if rest[0] != ' ' && rest[0] != 'T' && rest[0] != 't' {
		return NaT, bad
	}
	rest = strings.TrimSpace(rest[1:])
	if away, err := offset(rest); err == nil { // a zone without a time
		t.Seconds -= away
		return t, nil
	}
	seconds, nanos, _, err := clock(rest)
	if err != nil {
		return NaT, bad
	}
	t.Seconds, t.Nanos = t.Seconds+seconds, nanos
	return t, nil
}

// Int is the time that n of the units are, NaT beyond all calendars.
func (u Units) Int(n int64) Time {
	hi, lo := bits.Mul64(magnitude(n), uint64(u.step))
	if hi >= second {
		return NaT
	}
	whole, rest := bits.Div64(hi, lo, second)
	if whole > maxSeconds {
		return NaT
	}
	return u.since.plus(int64(whole), int64(rest), n < 0)
}

// Float is the same for a number with a fraction. It is rounded to what the number can
// tell: to microseconds, say, of days since 1900.
func (u Units) Float(x float64) Time {
	seconds := x * (float64(u.step) / second)
	if math.IsNaN(x) || math.Abs(seconds) > maxSeconds {
		return NaT
	}
	if whole := math.Trunc(x); whole == x && math.Abs(x) < 1<<62 {
		return u.Int(int64(x))
	}
	whole := math.Trunc(x)
	t := u.Int(int64(whole))
	if t.IsNaT() {
		return t
	}
	spacing := (math.Nextafter(math.Abs(x), math.Inf(1)) - math.Abs(x)) * float64(u.step)
	unit := 1.0
	for unit < spacing && unit < second {
		unit *= 1000
	}
	nanos := int64(math.Round(math.Abs(x-whole)*float64(u.step)/unit) * unit)
	return t.plus(nanos/second, nanos%second, x < 0)
}

// plus adds a duration, or takes it away.
func (t Time) plus(seconds, nanos int64, less bool) Time {
	if less {
		seconds, nanos = -seconds, -nanos
	}
	total := int64(t.Nanos) + nanos
	carry := floorDiv(total, second)
	t.Seconds += seconds + carry
	t.Nanos = int32(total - carry*second)
	return t
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}
