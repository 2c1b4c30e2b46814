package check

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
)

// besides reports whether a file is there that a name means relative to the folder
// around an HDMF file; known is false where nobody can tell.
func (c *checker) besides(ctx context.Context, f *hdmf.File, name string) (there, known bool) {
	place := zarr.Place(ctx, f.Zarr())
	if !filepath.IsAbs(place) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return false, false
	}
	_, err := os.Stat(filepath.Join(filepath.Dir(place), filepath.FromSlash(name)))
	return err == nil, err == nil || os.IsNotExist(err)
}

// inspectSession looks at the root of an NWB file.
func (c *checker) inspectSession(ctx context.Context, g *hdmf.Group, at string) error {
	if start, ok := timeOf(textOf(ctx, g, "session_start_time")); ok && start.After(time.Now()) {
		c.tell(at, "check_session_start_time_future_date", "the session starts in the future: %s", start.Format(time.RFC3339))
	}
	if _, err := g.File().Object(ctx, join(g.Path(), "general/subject")); err != nil && ctx.Err() == nil {
		c.tell(at, "check_subject_exists", "there is no subject")
	}
	return ctx.Err()
}

func timeOf(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

var (
	// ages are durations of ISO 8601, with weeks among the other parts.
	ages = regexp.MustCompile(`^P(\d+(\.\d+)?Y)?(\d+(\.\d+)?M)?(\d+(\.\d+)?W)?(\d+(\.\d+)?D)?(T(\d+(\.\d+)?H)?(\d+(\.\d+)?M)?(\d+(\.\d+)?S)?)?$`)
	// weights are a number, a space and a unit.
	weights = regexp.MustCompile(`^(?i)\d+(\.\d+)? (kg|g|mg|ug|μg|ng|pg)$`)
)

func isAge(text string) bool {
	return ages.MatchString(text) && !strings.HasSuffix(text, "P") && !strings.HasSuffix(text, "T")
}

// inspectSubject looks at who was recorded.
func (c *checker) inspectSubject(ctx context.Context, g *hdmf.Group, at string) error {
	age := textOf(ctx, g, "age")
	first, second, isRange := strings.Cut(age, "/")
	switch {
	case age == "" && child(ctx, g, "age") == nil:
		if child(ctx, g, "date_of_birth") == nil {
			c.tell(at, "check_subject_age", "neither age nor date_of_birth is there")
		}
	case isAge(age):
	case isRange && (first == "" || isAge(first)) && (second == "" || isAge(second)):
	default:
		c.tell(at, "check_subject_age", "age is %s, must be a duration such as P23W or a range such as P1D/P3D", quote(age))
	}
	if child(ctx, g, "subject_id") == nil {
		c.tell(at, "check_subject_id_exists", "subject_id is missing")
	}
	if weight := textOf(ctx, g, "weight"); child(ctx, g, "weight") != nil && !weights.MatchString(weight) {
		c.tell(at, "check_subject_weight", "weight is %s, must be a number, a space and a unit such as kg or g", quote(weight))
	}
	sexes := []string{"M", "F", "O", "U"}
	if species := textOf(ctx, g, "species"); species == "Caenorhabditis elegans" || species == "C. elegans" {
		sexes = []string{"XO", "XX"}
	}
	switch sex := textOf(ctx, g, "sex"); {
	case sex == "":
		c.tell(at, "check_subject_sex", "sex is missing")
	case !slices.Contains(sexes, sex):
		c.tell(at, "check_subject_sex", "sex is %s, must be one of %s", quote(sex), strings.Join(sexes, ", "))
	}
	return ctx.Err()
}
