package imagej

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// Shaped is a description in tifffile's own format, which gives the shape of an
// array whose pages follow one another.
type Shaped struct {
	Shape     []int  // of the whole array, that of a page included
	Axes      string // a letter for each; empty if they are not given
	Name      string
	Truncated bool // only the first page has a directory
	// Attributes are the members that say something else.
	Attributes []meta.Member
}

const (
	maxShaped = 64 << 20 // bytes of a description
	maxAxes   = 32
)

// IsShaped reports whether a description is tifffile's.
func IsShaped(description string) bool {
	return strings.HasPrefix(description, "{") && strings.Contains(description, `"shape":`) && !strings.Contains(description, `"mibi.`) ||
		strings.HasPrefix(description, "shape=")
}

// ParseShaped reads tifffile's description, which is JSON, or in old files
// "shape=(2, 3, 4)".
func ParseShaped(description string) (*Shaped, error) {
	s, err := parseShaped(description)
	if err != nil {
		return nil, fmt.Errorf("tifffile's description: %w", err)
	}
	return s, nil
}

func parseShaped(description string) (*Shaped, error) {
	s := &Shaped{}
	if list, ok := strings.CutPrefix(description, "shape=("); ok {
		list, _, _ = strings.Cut(list, ")")
		for text := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(list), ","), ",") {
			n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
			if err != nil || n < 0 || len(s.Shape) == maxAxes {
				return nil, fmt.Errorf("%.40q is no shape", description)
			}
			s.Shape = append(s.Shape, int(n))
		}
		return s, nil
	}
	members, err := strictjson.Object([]byte(description), strictjson.Options{MaxBytes: maxShaped, NaN: true})
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		switch m.Name {
		case "shape":
			s.Shape, err = strictjson.Lengths(m.Raw, 0, maxAxes)
		case "axes":
			if !strictjson.IsNull(m.Raw) {
				s.Axes, err = strictjson.String(m.Raw)
			}
		case "name":
			if !strictjson.IsNull(m.Raw) {
				s.Name, err = strictjson.String(m.Raw)
			}
		case "truncated":
			if !strictjson.IsNull(m.Raw) {
				s.Truncated, err = strictjson.Bool(m.Raw)
			}
		default:
			s.Attributes = append(s.Attributes, m)
		}
		if err != nil {
			return nil, strictjson.AtMember(m.Name, err)
		}
	}
	if s.Shape == nil {
		return nil, errors.New("it has no shape")
	}
	if len(s.Axes) != len(s.Shape) {
		s.Axes = "" // as tifffile does
	}
	return s, nil
}
