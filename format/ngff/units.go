package ngff

import (
	"math"
	"strings"
)

// unit is what a symbol stands for: a unit of OME-NGFF, and how many of it.
type unit struct {
	name   string
	factor float64
}

// The prefixes of the metre and the second that OME-NGFF has, by symbol.
var prefixes = map[string]string{"Y": "yotta", "Z": "zetta", "E": "exa", "P": "peta", "T": "tera", "G": "giga", "M": "mega", "k": "kilo",
	"h": "hecto", "d": "deci", "c": "centi", "m": "milli", "µ": "micro", "n": "nano", "p": "pico", "f": "femto", "a": "atto", "z": "zepto",
	"y": "yocto", "": ""}

// others are units of OME-XML without a prefix of that list, among them those
// that OME-NGFF does not have. Pixels and reference frames are no lengths.
var others = map[string]unit{
	"dam": {"meter", 10}, "Å": {"angstrom", 1}, "thou": {"inch", 1.0 / 1000}, "li": {"inch", 1.0 / 12}, "in": {"inch", 1}, "ft": {"foot", 1},
	"yd": {"yard", 1}, "mi": {"mile", 1}, "ua": {"meter", 149597870700}, "ly": {"meter", 9460730472580800}, "pc": {"parsec", 1},
	"pt": {"inch", 1.0 / 72}, "das": {"second", 10}, "min": {"minute", 1}, "h": {"hour", 1}, "d": {"day", 1},
	// What people write instead.
	"inch": {"inch", 1}, "inches": {"inch", 1}, "micron": {"micrometer", 1}, "microns": {"micrometer", 1}, "sec": {"second", 1},
	"\"": {"inch", 1}, "us": {"microsecond", 1}, "um": {"micrometer", 1},
}

// symbols are the units of OME-XML, names those of OME-NGFF.
var symbols, names = tables()

func tables() (map[string]unit, map[string]string) {
	symbols, names := map[string]unit{}, map[string]string{}
	for prefix, name := range prefixes {
		for base, long := range map[string]string{"m": "meter", "s": "second"} {
			symbols[prefix+base] = unit{name + long, 1}
			names[name+long] = prefix + base
		}
	}
	for symbol, u := range others {
		symbols[symbol] = u
	}
	for _, symbol := range []string{"Å", "in", "ft", "yd", "mi", "pc", "min", "h", "d"} {
		names[others[symbol].name] = symbol
	}
	return symbols, names
}

// ToUnit gives a quantity in OME-XML's unit, such as "µm", in a unit of
// OME-NGFF, such as "micrometer"; mostly that changes the name only. Names of
// OME-NGFF and common spellings such as "um", "micron" and "meters" are
// understood too. ok is false for what is no length or time.
func ToUnit(value float64, symbol string) (converted float64, name string, ok bool) {
	// The Greek letter is often written in place of the micro sign, the
	// Ångström sign in place of the letter.
	s := strings.NewReplacer("\u03bc", "µ", "\u212b", "Å").Replace(strings.TrimSpace(symbol))
	if u, ok := symbols[s]; ok {
		return value * u.factor, u.name, true
	}
	s = strings.ToLower(s)
	for _, name := range []string{s, strings.TrimSuffix(s, "s"), strings.Replace(strings.TrimSuffix(s, "s"), "metre", "meter", 1)} {
		if _, ok := names[name]; ok {
			return value, name, true
		}
	}
	return 0, "", false
}

// Symbol is how OME-XML spells a unit of OME-NGFF; ok is false if it has none.
func Symbol(name string) (symbol string, ok bool) {
	symbol, ok = names[name]
	return symbol, ok
}

// powers are those of ten that the prefixes stand for.
var powers = map[string]int{"Y": 24, "Z": 21, "E": 18, "P": 15, "T": 12, "G": 9, "M": 6, "k": 3, "h": 2, "": 0, "d": -1, "c": -2, "m": -3,
	"µ": -6, "n": -9, "p": -12, "f": -15, "a": -18, "z": -21, "y": -24}

// Meters is how many a unit of OME-NGFF has; ok is false if it is no metric length.
func Meters(name string) (n float64, ok bool) {
	if name == "angstrom" {
		return 1e-10, true
	}
	symbol, known := names[name]
	prefix, metric := strings.CutSuffix(symbol, "m")
	power, listed := powers[prefix]
	return math.Pow10(power), known && metric && listed && strings.HasSuffix(name, "meter")
}
