package request

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Part is what one process found out, of several that ask for the same.
type Part struct {
	Kind    string          `json:"omnizarr_part"` // "verify" or "stats"
	URL     string          `json:"url"`
	Part    int             `json:"part"`
	Of      int             `json:"of"`
	Request string          `json:"request"` // which tells it from parts of something else
	Found   json.RawMessage `json:"found"`
}

// ReadPart reads what a process wrote, to be called name in errors.
func ReadPart(name string, text []byte, kind string) (p Part, err error) {
	if err := strictjson.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("%s: %w", name, err)
	}
	if p.Kind != kind || p.Of < 1 || p.Part < 1 || p.Part > p.Of {
		return p, fmt.Errorf("%s: is no part of %s, as --part writes them", name, kind)
	}
	return p, nil
}

// whole puts parts in order, each once, and says what is wrong with them.
func whole(parts []Part) ([]Part, error) {
	if len(parts) == 0 {
		return nil, errors.New("there are no parts")
	}
	first := parts[0]
	parts = slices.Clone(parts)
	for _, p := range parts {
		switch {
		case p.Of != first.Of:
			return nil, fmt.Errorf("part %d/%d and part %d/%d are not of one whole", first.Part, first.Of, p.Part, p.Of)
		case p.Request != first.Request:
			return nil, fmt.Errorf("part %d/%d is of %s, and part %d/%d of %s, or was asked for otherwise, or the metadata changed between them", first.Part, first.Of, first.URL, p.Part, p.Of, p.URL)
		}
	}
	slices.SortStableFunc(parts, func(x, y Part) int { return cmp.Compare(x.Part, y.Part) })
	parts = slices.CompactFunc(parts, func(x, y Part) bool { return x.Part == y.Part })
	if len(parts) < first.Of {
		var missing []string
		const most = 8
		for n, k := 1, 0; n <= first.Of && len(missing) < most; n++ {
			if k < len(parts) && parts[k].Part == n {
				k++
				continue
			}
			missing = append(missing, fmt.Sprintf("%d/%d", n, first.Of))
		}
		return nil, fmt.Errorf("parts are missing, %d of %d: %s", first.Of-len(parts), first.Of, strings.Join(missing, ", "))
	}
	return parts, nil
}

// digest tells requests apart.
func digest(texts ...any) string {
	h := sha256.New()
	for _, t := range texts {
		text, _ := json.Marshal(t) // plain values
		fmt.Fprintf(h, "%d %s\n", len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
