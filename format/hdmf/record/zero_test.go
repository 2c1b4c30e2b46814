package record_test

import (
	"testing"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/record"
	"github.com/omnizarr/zarr/internal/zerotest"
	"github.com/omnizarr/zarr/store/mem"
)

// What is left out is an error or nothing, and never a panic. Recorders and streams are
// asked when they are open.
func TestZeroValuesDoNotPanic(t *testing.T) {
	zerotest.Func(t, "Chunks", record.Chunks)
	zerotest.Func(t, "Open", record.Open)
	zerotest.Func(t, "Recover", record.Recover)
	zerotest.Func(t, "FindLeft", record.FindLeft)
	zerotest.Func(t, "Samples", record.Samples[int16])
	s := mem.New()
	create(t, s, hdmf.V3, session(2, 3, nil, nil))
	r, err := record.Open(ctx, "test://", on(s))
	check(t, err)
	spikes, err := r.Spikes(ctx, "/units")
	check(t, err)
	ap, err := record.Samples[int16](ctx, r, "/acquisition/ap")
	check(t, err)
	zerotest.Methods(t, "open", spikes)
	zerotest.Methods(t, "open", ap)
	zerotest.Methods(t, "open", r, "Discard")
	check(t, r.Close())
	zerotest.Methods(t, "closed", r)
	zerotest.Methods(t, "closed", spikes)
	zerotest.Methods(t, "closed", ap)
}
