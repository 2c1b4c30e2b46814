package write

import (
	"errors"

	"github.com/omnizarr/zarr/internal/words"
)

// written is an array of values of any kind as it was written.
type written struct {
	at                string
	pickled, compound bool
}

var errPickles = errors.New("all objects as pickles, and none")

// objectCodecs are the codecs of arrays of values of any kind, by their paths.
func (t *target) objectCodecs() map[string]string {
	out := map[string]string{}
	for _, w := range t.objects {
		if out[w.at] = "json"; w.pickled {
			out[w.at] = "pickle"
		}
	}
	return out
}

// objectNotes tell who can read the compounds of a file in the layout V2: it has no
// form for them that all can.
func (t *target) objectNotes() []string {
	var at []string
	for _, w := range t.objects {
		if w.compound {
			at = append(at, w.at)
		}
	}
	switch {
	case at == nil:
		return nil
	case t.json:
		return []string{"compounds with text or references are JSON, which no version of hdmf-zarr can read: " + words.Some(at)}
	}
	return []string{"compounds with text or references are pickles, as hdmf-zarr 0.13 reads them; --no-pickle writes JSON: " + words.Some(at)}
}
