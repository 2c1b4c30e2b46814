package write_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// filter is the filter of an array in the layout V2.
func filter(t testing.TB, s store.Store, at string) string {
	t.Helper()
	text, _, err := s.Get(ctx, at+"/.zarray", store.All(), nil)
	check(t, err)
	_, found, _ := strings.Cut(squeeze(text), `"filters":[{"id":"`)
	name, _, _ := strings.Cut(found, `"`)
	return name
}

func TestCompoundsAreWhatTheOwnersOfTheLayoutRead(t *testing.T) {
	const compound, list = "intervals/trials/timeseries", "units/electrode_group"
	src := source(t, "session_v3.nwb")
	want := dump(t, src)
	for _, c := range []struct {
		opts           write.Options
		compound, list string
		note           string
	}{
		{write.Options{}, "pickle", "json2", "are pickles, as hdmf-zarr 0.13 reads them; --no-pickle writes JSON: /intervals/epochs/timeseries, /intervals/trials/timeseries"},
		{write.Options{Pickle: true}, "pickle", "pickle", "are pickles, as hdmf-zarr 0.13 reads them"},
		{write.Options{NoPickle: true}, "json2", "json2", "are JSON, which no version of hdmf-zarr can read: /intervals/epochs/timeseries, /intervals/trials/timeseries"},
	}[:thorough.Least(1, 3, 3)] {
		s := mem.New()
		c.opts.Layout = hdmf.V2
		for range 2 { // the second time all is there, and the same is told
			sum, err := write.Copy(ctx, "test://", src, to(s, c.opts))
			check(t, err)
			if len(sum.Notes) != 1 || !strings.Contains(sum.Notes[0], c.note) {
				t.Errorf("notes %q, want %q", sum.Notes, c.note)
			}
			if got := sum.Objects["/"+compound] + " " + sum.Objects["/"+list]; got != strings.ReplaceAll(c.compound+" "+c.list, "json2", "json") {
				t.Errorf("objects %v", sum.Objects)
			}
		}
		if got := filter(t, s, compound) + " " + filter(t, s, list); got != c.compound+" "+c.list {
			t.Errorf("%+v: %s", c, got)
		}
		same(t, dump(t, in(t, s)), want)
	}
	sum, err := write.Copy(ctx, "test://", src, to(mem.New(), write.Options{Layout: hdmf.V3}))
	if err != nil || len(sum.Notes)+len(sum.Objects) > 0 {
		t.Errorf("in the layout v3: %q, %v, %v", sum.Notes, sum.Objects, err)
	}
	if _, err := write.Copy(ctx, "test://", src, to(mem.New(), write.Options{Layout: hdmf.V2, Pickle: true, NoPickle: true})); err == nil {
		t.Error("pickles and none")
	}
}

func TestNewCompoundsAreWhatTheOwnersOfTheLayoutRead(t *testing.T) {
	for _, none := range []bool{false, true} {
		want := "pickle json2"
		if none {
			want = "json2 json2"
		}
		opts := write.Options{Layout: hdmf.V2, NoPickle: none}
		s := mem.New()
		check(t, write.Create(ctx, "test://", tree(t), to(s, opts)))
		if got := filter(t, s, "things/table") + " " + filter(t, s, "things/refs"); got != want {
			t.Errorf("Create: %s, want %s", got, want)
		}
		e, err := write.Edit(ctx, "test://", to(s, opts))
		check(t, err)
		things := tree(t).Groups["things"].Datasets
		for _, name := range []string{"table", "refs"} {
			check(t, e.AddDataset(ctx, "/new "+name, things[name]))
		}
		check(t, e.Commit(ctx))
		check(t, e.Close())
		if got := filter(t, s, "new table") + " " + filter(t, s, "new refs"); got != want {
			t.Errorf("Edit: %s, want %s", got, want)
		}
	}
	if err := write.Create(ctx, "mem:both", tree(t), write.Options{Layout: hdmf.V2, Pickle: true, NoPickle: true}); err == nil {
		t.Error("pickles and none")
	}
}

func TestTreesWithSchemasMayReferToOtherFiles(t *testing.T) {
	texts, err := in(t, memory(t, "session_v3.nwb")).SchemaTexts(ctx)
	check(t, err)
	for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		s := mem.New()
		err := write.Create(ctx, "test://", &write.Group{Links: map[string]hdmf.Reference{"l": {Source: "../other.zarr", Path: "/x"}}},
			to(s, write.Options{Layout: layout, Schemas: texts}))
		if invalid := (*write.Invalid)(nil); err != nil && !errors.As(err, &invalid) {
			t.Errorf("%v: %v", layout, err)
		}
	}
}
