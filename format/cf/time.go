package cf

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Time is a moment in a calendar.
type Time struct {
	Seconds  int64 // since 1970 began in the calendar
	Nanos    int32 // and of the second that follows, 0 to 999999999
	Calendar Calendar
}

// NaT is no time: what is missing, and what no calendar reaches.
var NaT = Time{Seconds: math.MinInt64}

// IsNaT reports whether it is no time.
func (t Time) IsNaT() bool { return t.Seconds == math.MinInt64 }

// Compare is -1 if t comes before u, 1 if it comes after it, and 0 if they are the
// same. Both are of one calendar.
func (t Time) Compare(u Time) int {
	if c := cmp.Compare(t.Seconds, u.Seconds); c != 0 {
		return c
	}
	return cmp.Compare(t.Nanos, u.Nanos)
}

// Sub is how many seconds t is after u.
func (t Time) Sub(u Time) float64 {
	return float64(t.Seconds-u.Seconds) + float64(t.Nanos-u.Nanos)/1e9
}

// Date is the beginning of a day. It is NaT if there is no such day.
func (c Calendar) Date(year int64, month, day int) Time {
	if year < -maxYear || year > maxYear || month < 1 || month > 12 || day < 1 || day > c.daysIn(year, month) {
		return NaT
	}
	d := c.days(year, month, day)
	if y, m, n := c.civil(d); y != year || m != month || n != day { // left out when the calendar changed
		return NaT
	}
	return Time{Seconds: d * 86400, Calendar: c}
}

// maxYear bounds years, so that seconds do not overflow.
const (
	maxYear    = 1_000_000_000
	maxSeconds = maxYear * 366 * 86400
)

// Precision is how much of a time is told.
type Precision uint8

// From years to parts of a second.
const (
	Year Precision = iota
	Month
	Day
	Hour
	Minute
	Second
	Part
)

// String is the time to the second, with as much of a fraction as there is: as
// ISO 8601 has it, "2025-06-30T12:00:00".
func (t Time) String() string { return string(t.Append(nil, Second)) }

// Append appends the time, told so precisely. Nothing is left out that is not zero.
func (t Time) Append(dst []byte, p Precision) []byte {
	if t.IsNaT() {
		return append(dst, "NaT"...)
	}
	days := floorDiv(t.Seconds, 86400)
	rest := int(t.Seconds - days*86400)
	year, month, day := t.Calendar.civil(days)
	switch {
	case t.Nanos != 0 || rest != 0:
		p = max(p, Second)
	case day != 1:
		p = max(p, Day)
	case month != 1:
		p = max(p, Month)
	}
	if year < 0 {
		dst, year = append(dst, '-'), -year
	}
	dst = padded(dst, int(year), 4)
	if p >= Month {
		dst = padded(append(dst, '-'), month, 2)
	}
	if p >= Day {
		dst = padded(append(dst, '-'), day, 2)
	}
	if p >= Hour {
		dst = padded(append(dst, 'T'), rest/3600, 2)
		dst = padded(append(dst, ':'), rest/60%60, 2)
		dst = padded(append(dst, ':'), rest%60, 2)
	}
	if t.Nanos != 0 {
		dst = append(dst, fraction(int64(t.Nanos))...)
	}
	return dst
}

// fraction is that of a second, "" or ".5".
func fraction(nanos int64) string {
	if nanos == 0 {
		return ""
	}
	return strings.TrimRight(fmt.Sprintf(".%09d", nanos), "0")
}

func padded(dst []byte, n, width int) []byte {
	from := len(dst)
	dst = strconv.AppendInt(dst, int64(n), 10)
	for len(dst)-from < width {
		dst = append(dst[:from], append([]byte{'0'}, dst[from:]...)...)
	}
	return dst
}

// Period is what a text says of a time that may be told roughly: "2025-06" is all of
// June.
type Period struct {
	From, To  Time // the first and the last moment
	Precision Precision
}

// ParseTime reads a time as ISO 8601 spells it, or the beginning of one: "2025",
// "2025-06", "2025-06-30", "2025-06-30T12", "2025-06-30 12:30:05.25Z". An offset from
// UTC is taken away.
func ParseTime(text string, c Calendar) (Period, error) {
	bad := fmt.Errorf("%q is no time such as 2025-06-30T12:00:00, or the beginning of one", text)
	year, rest, ok := digits(strings.TrimPrefix(text, "-"), 4, 9)
	if !ok {
		return Period{}, bad
	}
	if strings.HasPrefix(text, "-") {
		year = -year
	}
	month, day, p := int64(1), int64(1), Year
	if strings.HasPrefix(rest, "-") {
		if month, rest, ok = digits(rest[1:], 2, 2); !ok {
			return Period{}, bad
		}
		p = Month
		if strings.HasPrefix(rest, "-") {
			if day, rest, ok = digits(rest[1:], 2, 2); !ok {
				return Period{}, bad
			}
			p = Day
		}
	}
	t := c.Date(year, int(month), int(day))
	if t.IsNaT() {
		return Period{}, fmt.Errorf("%q: there is no such day in the calendar", text)
	}
	if rest != "" {
		if p != Day || rest[0] != 'T' && rest[0] != 't' && rest[0] != ' ' {
			return Period{}, bad
		}
		seconds, nanos, known, err := clock(rest[1:])
		if err != nil {
			return Period{}, bad
		}
		t.Seconds, t.Nanos, p = t.Seconds+seconds, nanos, known
	}
	return Period{From: t, To: t.end(p, year, int(month)), Precision: p}, nil
}

// end is the last moment of a period that begins with t.
func (t Time) end(p Precision, year int64, month int) Time {
	next := t
	switch p {
	case Year:
		next = t.Calendar.Date(year+1, 1, 1)
	case Month:
		if month++; month > 12 {
			year, month = year+1, 1
		}
		next = t.Calendar.Date(year, month, 1)
	case Day:
		next.Seconds += 86400
	case Hour:
		next.Seconds += 3600
	case Minute:
		next.Seconds += 60
	case Second:
		next.Seconds++
	case Part:
		return t
	}
	next.Seconds, next.Nanos = next.Seconds-1, 999_999_999
	return next
}

// digits reads a number of so many digits.
func digits(text string, least, most int) (n int64, rest string, ok bool) {
	i := 0
	for i < len(text) && i < most && text[i] >= '0' && text[i] <= '9' {
		n = 10*n + int64(text[i]-'0')
		i++
	}
	return n, text[i:], i >= least
}

var errClock = fmt.Errorf("no time of day")

// clock reads a time of day with its offset from UTC: "12", "12:30", "12:30:05.5+01:00".
func clock(text string) (seconds int64, nanos int32, p Precision, err error) {
	var part [3]int64
	limit := [3]int64{23, 59, 59}
	p = Hour - 1
	for i := range part {
		if i > 0 {
			if !strings.HasPrefix(text, ":") {
				break
			}
			text = text[1:]
		}
		n, rest, ok := digits(text, 1, 2)
		if !ok || n > limit[i] {
			return 0, 0, p, errClock
		}
		part[i], text = n, rest
		p++
	}
	if strings.HasPrefix(text, ".") && p == Second {
		i := 1
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			i++
		}
		frac := (text[1:i] + "000000000")[:9]
		n, err := strconv.Atoi(frac)
		if err != nil {
			return 0, 0, p, errClock
		}
		nanos, text, p = int32(n), text[i:], Part
	}
	away, err := offset(text)
	return part[0]*3600 + part[1]*60 + part[2] - away, nanos, p, err
}

// offset reads how far a clock is ahead of UTC, in seconds: "", "Z", "UTC", "+01:00",
// "-6", "+0130".
func offset(text string) (int64, error) {
	text = strings.TrimSpace(text)
	switch strings.ToUpper(text) {
	case "", "Z", "UTC", "GMT":
		return 0, nil
	}
	sign := int64(1)
	switch text[0] {
	case '-':
		sign = -1
	case '+':
	default:
		return 0, errClock
	}
	hours, rest, ok := digits(text[1:], 1, 2)
	minutes := int64(0)
	if rest = strings.TrimPrefix(rest, ":"); ok && rest != "" {
		minutes, rest, ok = digits(rest, 2, 2)
	}
	if !ok || rest != "" || hours > 23 || minutes > 59 {
		return 0, errClock
	}
	return sign * (hours*3600 + minutes*60), nil
}
