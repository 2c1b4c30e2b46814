package schema

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Unbounded is the Max of a quantity without an upper bound.
const Unbounded = -1

// Quantity is how many objects a spec stands for.
type Quantity struct {
	Min int
	Max int // Unbounded, or at least 1
}

// The quantities that the language has signs for; ExactlyOne is meant where a
// spec has none.
var (
	ExactlyOne = Quantity{1, 1}
	ZeroOrOne  = Quantity{0, 1}         // ?
	ZeroOrMany = Quantity{0, Unbounded} // *
	OneOrMany  = Quantity{1, Unbounded} // +
)

// Required reports whether at least one object must be there.
func (q Quantity) Required() bool { return q.Min > 0 }

// Many reports whether there may be more than one.
func (q Quantity) Many() bool { return q.Max != 1 }

// Fits reports whether n objects are neither too few nor too many.
func (q Quantity) Fits(n int) bool { return n >= q.Min && (q.Max == Unbounded || n <= q.Max) }

// String is the quantity as a schema writes it: "?", "*", "+" or a number.
func (q Quantity) String() string {
	switch q {
	case ZeroOrOne:
		return "?"
	case ZeroOrMany:
		return "*"
	case OneOrMany:
		return "+"
	}
	return strconv.Itoa(q.Max)
}

func parseQuantity(raw json.RawMessage) (Quantity, error) {
	if len(raw) == 0 || raw[0] != '"' {
		n, err := strictjson.Length(raw, 1)
		if err != nil {
			return ExactlyOne, err
		}
		return Quantity{n, n}, nil
	}
	sign, err := strictjson.String(raw)
	if err != nil {
		return ExactlyOne, err
	}
	switch sign {
	case "?", "zero_or_one":
		return ZeroOrOne, nil
	case "*", "zero_or_many":
		return ZeroOrMany, nil
	case "+", "one_or_many":
		return OneOrMany, nil
	}
	if n, err := strconv.Atoi(sign); err == nil && n > 0 {
		return Quantity{n, n}, nil
	}
	return ExactlyOne, fmt.Errorf("unknown quantity %s", strictjson.Quote(sign))
}
