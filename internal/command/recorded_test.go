package command

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/record"
	"github.com/omnizarr/zarr/format/hdmf/write"
)

// A recording that was killed left spikes beside a table: verify tells of them, repair
// has a plan, and puts them into the column.
func TestInterruptedRecordingsAreRepaired(t *testing.T) {
	ctx, url := context.Background(), filepath.Join(t.TempDir(), "a.nwb.zarr")
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	object := func(typ string, attributes map[string]any) write.Object {
		return write.Object{Type: hdmf.Type{Namespace: "hdmf-common", Name: typ}, Attributes: attributes}
	}
	do(write.Create(ctx, url, &write.Group{Groups: map[string]*write.Group{"units": {
		Object: object("DynamicTable", map[string]any{"description": "sorted", "colnames": []string{"spike_times"}}),
		Datasets: map[string]*write.Dataset{
			"id":          {Object: object("ElementIdentifiers", nil), Data: write.Numbers([]int64{0})},
			"spike_times": {Object: object("VectorData", map[string]any{"description": "in seconds"}), Data: write.Numbers([]float64{})},
			"spike_times_index": {Object: object("VectorIndex", map[string]any{"description": "ends", "target": hdmf.Reference{Path: "/units/spike_times"}}),
				Data: write.Numbers([]uint32{0})},
		},
	}}}, write.Options{Layout: hdmf.V3}))
	r, err := record.Open(ctx, url, record.Options{Unseen: -1})
	do(err)
	spikes, err := r.Spikes(ctx, "/units")
	do(err)
	for i := range 66 {
		do(spikes.Append(ctx, 0, float64(i+1)))
		if i > 63 {
			do(r.Commit(ctx))
		}
	}
	do(r.Discard())
	code, out, _ := ran(t, "verify", url)
	if code != exitWrong {
		t.Errorf("verify: exit code %d", code)
	}
	matches(t, out, `/units .omnizarr-pending: 1 spike of a recording, .*omnizarr repair puts them into the column$`)
	_, out, _ = ran(t, "repair", url)
	matches(t, out, `^finish /units .omnizarr-pending: 1 spike of a recording`, `would be done; --yes does it$`)
	_, out, _ = ran(t, "repair", "--yes", url)
	matches(t, out, `^finish /units .omnizarr-pending: `, ` done$`)
	code, out, _ = ran(t, "verify", url)
	if _, cells, _ := ran(t, "cat", "--slice", "65", url+"/units/spike_times"); code != exitOK || cells == "" {
		t.Errorf("after the repair: exit code %d\n%s%s", code, out, cells)
	}
	_, out, _ = ran(t, "repair", url)
	matches(t, out, `^✓ nothing to do$`)
}
