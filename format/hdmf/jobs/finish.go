package jobs

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/record"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/lock"
)

// Rests finds what recordings left: spikes that are in no column yet, and the chunks of
// columns that were written anew.
func (*Kind) Rests(ctx context.Context, root zarr.Node) ([]check.Rest, error) {
	g, ok := root.(*zarr.Group)
	if !ok || layouts[root.Format()] != hdmf.V3 {
		return nil, nil
	}
	if is, err := hdmf.Is(ctx, g); err != nil || !is {
		return nil, err
	}
	s, err := store.Sub(translate.Raw(root.Store()), root.Path())
	if err != nil {
		return nil, err
	}
	found, err := record.FindLeft(ctx, s)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	busy := lock.Busy(s, "")
	out := make([]check.Rest, len(found))
	for i, left := range found {
		text := "chunks of a column as it was before a recording wrote it anew, which nothing reads"
		if left.Pending {
			text = "spikes"
			if left.Spikes >= 0 {
				text = words.Counted(left.Spikes, "spike")
			}
			text += " of a recording, which readers do not see since they are in no column yet"
		}
		switch {
		case busy:
			text += "; it is under way"
		case left.Pending:
			text += "; it was interrupted: recording goes on from there, or omnizarr repair puts them into the column"
		default:
			text += "; omnizarr repair removes them"
		}
		out[i] = check.Rest{Path: left.Path, Key: left.Names, Text: text, Lacking: left.Pending && !busy}
	}
	return out, nil
}

// Finish puts spikes that a recording left into their columns, and removes what is left
// of older ones.
func (*Kind) Finish(ctx context.Context, url string, open []zarr.Option) error {
	if err := record.Recover(ctx, url, record.Options{Edit: write.Options{Zarr: open}}); err != nil {
		return fmt.Errorf("finish what a recording left: %w", err)
	}
	return nil
}
