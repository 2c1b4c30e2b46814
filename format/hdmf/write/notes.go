package write

import (
	"context"
	"errors"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job/copying"
)

// written is an array of values of any kind as it was written.
type written struct {
	at                string
	pickled, compound bool
}

var errPickles = errors.New("all objects as pickles, and none")

// tell adds what is to be said of the copies to a summary: who can read the compounds of
// a file in the layout V2, which has no form for them that all can, and where linked
// files went.
func (s *set) tell(ctx context.Context, all []*copier, sum *copying.Summary) {
	var compounds []string
	sum.Objects = map[string]string{}
	for i, c := range all {
		prefix := ""
		if i > 0 {
			prefix = relative(all[0].dst, c.dst)
			sum.Linked = append(sum.Linked, s.files[i].linked(ctx))
		}
		for _, w := range c.objects {
			at := prefix + w.at
			if sum.Objects[at] = "json"; w.pickled {
				sum.Objects[at] = "pickle"
			}
			if w.compound {
				compounds = append(compounds, at)
			}
		}
	}
	sum.Notes = append(s.compoundNotes(compounds), s.notes...)
}

// linked names a file and its copy.
func (m *member) linked(ctx context.Context) copying.Linked {
	return copying.Linked{From: nameOf(ctx, m.file), To: m.url}
}

// compoundNotes say how compounds in the layout V2 are written.
func (s *set) compoundNotes(at []string) []string {
	switch {
	case at == nil:
		return nil
	case s.opts.NoPickle:
		return []string{"compounds with text or references are JSON, which no version of hdmf-zarr can read: " + words.Some(at)}
	}
	return []string{"compounds with text or references are pickles, as hdmf-zarr 0.13 reads them; --no-pickle writes JSON: " + words.Some(at)}
}

// Plan adds to the plan of the copy of a file what Copy will do besides: the files that
// are copied along, and what it is going to say.
func Plan(ctx context.Context, dst string, src *hdmf.File, opts Options, plan *copying.Plan) error {
	if opts.Layout == 0 {
		opts.Layout = src.Layout()
	}
	s, err := gather(ctx, dst, src, opts)
	if err != nil {
		return err
	}
	var compounds []string
	for i, m := range s.files {
		prefix := ""
		if i > 0 {
			more, err := copying.PlanOf(ctx, m.file.Zarr(), opts.Laid)
			if err != nil {
				return err
			}
			plan.Join(m.linked(ctx), more)
			prefix = relative(s.files[0].place, m.place)
		}
		if opts.Layout != hdmf.V2 {
			continue
		}
		for o, err := range m.file.Root().Walk(ctx) {
			if err != nil {
				return err
			}
			d, ok := o.Object.(*hdmf.Dataset)
			if !ok {
				continue
			}
			if from, err := fromDataset(d); err == nil && from.what.fields != nil {
				compounds = append(compounds, prefix+d.Path())
			}
		}
	}
	plan.Notes = append(s.compoundNotes(compounds), s.notes...)
	return nil
}
