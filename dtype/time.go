package dtype

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/omnizarr/zarr/nd"
)

// timeUnits are the units of NumPy; both spellings of microseconds are kept as
// they are read.
var timeUnits = []string{"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "μs", "ns", "ps", "fs", "as", "generic"}

// timeType is numpy.datetime64 or numpy.timedelta64.
type timeType struct {
	base
	unit  string
	scale int
}

// parseTime reads both types, which have the same configuration.
func parseTime(name string, config json.RawMessage) (Type, error) {
	o, err := configuration(config, "unit", "scale_factor")
	if err != nil {
		return nil, err
	}
	unit, err := text(o.get("unit"))
	if err != nil || !slices.Contains(timeUnits, unit) {
		return nil, fmt.Errorf("configuration: unit is %s, not one of %q", short(string(o.get("unit"))), timeUnits)
	}
	scale, err := o.intMember("scale_factor", 1, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	kind := Time
	if name == "numpy.timedelta64" {
		kind = Duration
	}
	spelling := fmt.Sprintf(`{"unit":"%s","scale_factor":%d}`, unit, scale)
	return &timeType{
		base:  configured(name, kind, spelling, Unit{Width: 8, Count: 1, Bits: 64, Signed: true}),
		unit:  unit,
		scale: int(scale),
	}, nil
}

// TimeUnit returns the unit that a Time or Duration counts, such as "ns", and
// how many of them make one step; ok is false for other types. The unit
// "generic" means that it is unknown.
func TimeUnit(t Type) (unit string, scale int, ok bool) {
	tt, ok := t.(*timeType)
	if !ok {
		return "", 0, false
	}
	if tt.unit == "μs" {
		return "us", tt.scale, true
	}
	return tt.unit, tt.scale, true
}

// notATime is the value that NumPy calls NaT.
const notATime = math.MinInt64

func (t *timeType) ParseFill(raw json.RawMessage, _ *nd.Heap) ([]byte, error) {
	n := uint64(1) << 63
	if string(trim(raw)) != `"NaT"` {
		if first(raw) == '"' {
			return nil, badFill(t.name, raw, `must be an integer or "NaT"`)
		}
		var err error
		if n, err = parseInt(t.name, raw, 64, true); err != nil {
			return nil, err
		}
	}
	return binary.LittleEndian.AppendUint64(nil, n), nil
}

func (t *timeType) AppendFill(dst, elem []byte, h nd.Blobs) ([]byte, error) {
	return t.AppendValue(dst, elem, h)
}

func (t *timeType) AppendValue(dst, elem []byte, _ nd.Blobs) ([]byte, error) {
	n := int64(binary.LittleEndian.Uint64(elem))
	if n == notATime {
		return append(dst, `"NaT"`...), nil
	}
	return strconv.AppendInt(dst, n, 10), nil
}
