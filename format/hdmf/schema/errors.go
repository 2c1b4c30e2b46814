package schema

import (
	"errors"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
)

var (
	// ErrUnknown is the reason if there is no such namespace or type.
	ErrUnknown = errors.New("not in the schema")
	// ErrCycle is the reason if a type inherits from itself.
	ErrCycle = errors.New("inherits from itself")
	// ErrLimit is the reason if a schema is larger than any sensible one.
	ErrLimit = errors.New("too large")
)

// Error is what is wrong at a place in a schema. Fields that do not apply are
// empty.
type Error struct {
	Namespace, Version string
	Source             string // the name of the text
	Type               string
	Member             string // path inside the type, such as "datasets.data.dtype"
	Err                error
}

// Error names the place and the reason in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("namespace " + word(e.Namespace))
	if e.Version != "" {
		b.WriteString(" " + word(e.Version))
	}
	if e.Source != "" {
		b.WriteString(", source " + word(e.Source))
	}
	if e.Type != "" {
		b.WriteString(", type " + word(e.Type))
	}
	if e.Member != "" {
		b.WriteString(", " + e.Member)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// word shows a name as it is if that is safe in a message, else quoted and cut.
func word(name string) string {
	for i := 0; i < len(name) && i < 64; i++ {
		if c := name[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`,:"`, c) >= 0 {
			return strictjson.Quote(name)
		}
	}
	if name == "" || len(name) > 64 {
		return strictjson.Quote(name)
	}
	return name
}

// under puts member before the path that err may have from reading JSON.
func under(member string, err error) (string, error) {
	if err = strictjson.At(member, err); err != nil {
		var at *strictjson.Error
		if errors.As(err, &at) {
			return at.Path, at.Err
		}
	}
	return member, err
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
