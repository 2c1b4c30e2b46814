package cf

import (
	"fmt"
	"strings"
)

// Calendar says which days there are.
type Calendar uint8

// The calendars of CF.
const (
	Gregorian Calendar = iota // proleptic: as today, also before it was introduced
	Standard                  // Julian up to 4 October 1582, Gregorian from the next day on, the 15th
	Julian                    // every fourth year is a leap year
	NoLeap                    // no year is
	AllLeap                   // every year is
	Days360                   // months have 30 days
)

// ParseCalendar finds a calendar by the name that CF gives it; "" is Standard.
func ParseCalendar(name string) (Calendar, error) {
	switch strings.ToLower(name) {
	case "proleptic_gregorian":
		return Gregorian, nil
	case "", "standard", "gregorian":
		return Standard, nil
	case "julian":
		return Julian, nil
	case "noleap", "365_day":
		return NoLeap, nil
	case "all_leap", "366_day":
		return AllLeap, nil
	case "360_day":
		return Days360, nil
	}
	return 0, fmt.Errorf("no calendar is called %q", name)
}

// String is the name that CF gives it.
func (c Calendar) String() string {
	return [...]string{"proleptic_gregorian", "standard", "julian", "noleap", "all_leap", "360_day"}[c]
}

// before is how many days of a year without a leap day come before each month.
var before = [13]int{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365}

// daysIn is how many days a month has.
func (c Calendar) daysIn(year int64, month int) int {
	if c == Days360 {
		return 30
	}
	n := before[month] - before[month-1]
	if month == 2 && c.isLeap(year) {
		n++
	}
	return n
}

func (c Calendar) isLeap(year int64) bool {
	switch c {
	case NoLeap, Days360:
		return false
	case AllLeap:
		return true
	case Julian:
		return year%4 == 0
	case Standard:
		if year < 1583 {
			return year%4 == 0
		}
	}
	return year%4 == 0 && (year%100 != 0 || year%400 == 0)
}

const (
	// changeDay is the day on which the standard calendar became the Gregorian one.
	changeDay = -141427
	// julianShift is how many days the Julian calendar lies behind in 1970.
	julianShift = 13
)

// days is how many days after 1 January 1970 of the same calendar a day is.
func (c Calendar) days(year int64, month, day int) int64 {
	switch c {
	case Standard:
		if d := Gregorian.days(year, month, day); d >= changeDay {
			return d
		}
		return Julian.days(year, month, day) + julianShift
	case Days360:
		return (year-1970)*360 + int64(month-1)*30 + int64(day-1)
	}
	inYear := int64(before[month-1] + day - 1)
	if month > 2 && c.isLeap(year) {
		inYear++
	}
	return c.newYear(year) + inYear
}

// newYear is the first day of a year in the calendars that have one rule.
func (c Calendar) newYear(year int64) int64 {
	n, y := year-1970, year-1 // years that are over
	switch c {
	case AllLeap:
		return n * 366
	case Julian:
		return n*365 + floorDiv(y, 4) - 1969/4
	case NoLeap:
		return n * 365
	}
	return n*365 + (floorDiv(y, 4) - floorDiv(y, 100) + floorDiv(y, 400)) - (1969/4 - 1969/100 + 1969/400)
}

// civil is the day that so many days after 1 January 1970 is.
func (c Calendar) civil(days int64) (year int64, month, day int) {
	switch c {
	case Standard:
		if days >= changeDay {
			return Gregorian.civil(days)
		}
		return Julian.civil(days - julianShift)
	case Days360:
		year = floorDiv(days, 360)
		rest := int(days - year*360)
		return year + 1970, rest/30 + 1, rest%30 + 1
	}
	year = 1970 + floorDiv(days, 366)
	if days < 0 {
		year = 1970 + floorDiv(days, 365)
	}
	for c.newYear(year+1) <= days {
		// Years are at most a quarter of a day shorter than 366, so that this is a good
		// guess again.
		year += max(1, (days-c.newYear(year+1))/366)
	}
	rest := int(days - c.newYear(year))
	month = 1
	for rest >= c.daysIn(year, month) {
		rest -= c.daysIn(year, month)
		month++
	}
	return year, month, rest + 1
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
