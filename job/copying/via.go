package copying

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// Via is how an array is copied by way of another one, whose chunks are small enough to be
// made of few chunks of the source, and to be few of a chunk of the copy. They lie in a
// folder of the copy's own until it is complete.
type Via struct {
	Chunks []int   `json:"chunks"`
	Shards []int   `json:"shards,omitempty"` // that hold them, if they are many
	Block  []int   `json:"block"`            // what of it is made in memory at once
	Reads  float64 `json:"reads"`            // how often a chunk of it is decoded, on average
	// Direct is how often a part of the source would be decoded without it.
	Direct float64 `json:"reads_directly"`
	// Read is the bytes of elements that are decoded, of the source and of it; Written of
	// those that are encoded, for it and for the copy.
	Read    int64 `json:"bytes_decoded"`
	Written int64 `json:"bytes_encoded"`
}

// String tells it in a few words.
func (v *Via) String() string {
	text := "chunks " + words.Times(v.Chunks)
	if v.Shards != nil {
		text += " in shards of " + words.Times(v.Shards)
	}
	return text
}

// When a way by another array is looked for and taken.
const (
	worthAWay = 3.0 // times that the source is decoded
	muchLess  = 0.7 // of what the direct way costs
	// nearby is what coding a chunk of the other array costs, where one of the source is 1:
	// its codecs are the fastest, and it lies where the copy does.
	nearby = 0.5
	// eachChunk is the bytes that could be decoded in the time that any chunk takes.
	eachChunk = 8 << 10
	// mostInShard bounds the chunks of a shard, which all stand in its index.
	mostInShard = 1 << 16
)

// middleCodecs are those of what is written only to be read again. Bytes that are lost
// with the power of a machine are noticed.
func middleCodecs(t dtype.Type) (json.RawMessage, error) {
	var list []json.RawMessage
	if err := strictjson.Unmarshal(zarr.DefaultCodecs(t), &list); err != nil {
		return nil, err
	}
	return json.Marshal([]json.RawMessage{list[0], json.RawMessage(`{"name":"crc32c"}`)})
}

// route is a way by another array.
type route struct {
	spec          zarr.ArraySpec
	first, second *blocks // which fill it, and are filled from it
	cost          float64 // where reading all of the source once is 1
}

// via finds a way of an array that was laid out, nil if the direct one is as good. It
// depends on metadata and the options alone.
func (w *blocks) via(ctx context.Context, opts Options, workers int) *route {
	from := w.From.DataType()
	if w.asBytes || w.reads <= worthAWay || len(from.Refs()) > 0 || w.From.Metadata().Grid.Uniform() == nil || w.To.Metadata().Grid.Uniform() == nil {
		return nil
	}
	name, err := from.MarshalJSON()
	codecs, codecsErr := middleCodecs(from)
	if err != nil || codecsErr != nil {
		return nil
	}
	var best *route
	tried := map[string]bool{}
	for _, n := range []int{4 * workers, 2 * workers, workers, 2, 1} {
		for _, up := range []bool{true, false} {
			chunks, shards := w.middle(float64(Usable(opts.Memory)/int64(n))/float64(w.elementSize()), up)
			shape := fmt.Sprint(chunks, shards)
			if tried[shape] {
				continue
			}
			tried[shape] = true
			r := &route{spec: zarr.ArraySpec{
				Shape: w.To.Shape(), Chunks: chunks, Shards: shards, DataType: string(name),
				FillValue: w.From.Metadata().FillValue, Codecs: codecs,
			}}
			// Smaller blocks keep more workers busy.
			if r.weigh(ctx, w, opts, workers) && (best == nil || r.cost < 0.9*best.cost) {
				best = r
			}
		}
	}
	if best == nil || best.cost >= muchLess*w.reads {
		return nil
	}
	return best
}

// middle is the shape of the chunks of an array between source and copy, and of the
// shards that hold them, if a block has at most so many elements. Parts of the source are
// joined towards the chunks of the copy, and these towards what came of it, as far as a
// block allows; the smaller of both along each axis is a chunk.
func (w *blocks) middle(most float64, up bool) (chunks, shards []int) {
	axes := w.axes()
	src, dst, all := make([]int, len(axes)), make([]int, len(axes)), make([]int, len(axes))
	for i, a := range axes {
		src[i], dst[i], all[i] = min(a.src, max(a.n, 1)), min(a.dst, max(a.n, 1)), max(a.n, 1)
	}
	if b, err := w.To.Codec(); err == nil && b.Streams() {
		dst = Rows(dst, b.Inner().Spec().Shape, nil, int64(most))
	}
	read := joined(src, dst, all, most)
	written := joined(dst, read, all, most)
	chunks, shards = make([]int, len(axes)), make([]int, len(axes))
	several := false
	for i := range axes {
		chunks[i] = min(read[i], written[i])
		count := read[i] / chunks[i]
		if read[i]%chunks[i] != 0 && (up || read[i] == all[i]) {
			count++
		}
		shards[i] = count * chunks[i]
		several = several || count > 1
	}
	if !several {
		shards = nil
	}
	return chunks, shards
}

// joined makes a shape larger by whole numbers, along the last axes first, as far as
// another one is, and so long as it has at most so many elements.
func joined(shape, toward, all []int, most float64) []int {
	out, size := slices.Clone(shape), 1.0
	for _, n := range shape {
		size *= float64(n)
	}
	for i := len(out) - 1; i >= 0; i-- {
		want := ceil(min(toward[i], all[i]), out[i])
		room := int(min(most/size, 1<<30))
		if want < 2 || room < 2 {
			continue
		}
		times := wholes(want, room)
		size *= float64(min(out[i]*times, all[i])) / float64(out[i])
		out[i] = min(out[i]*times, all[i])
	}
	return out
}

// wholes is the largest number up to most that divides want, or a power of two where
// there is hardly one.
func wholes(want, most int) int {
	most = min(want, most)
	power := 1
	for 2*power <= most {
		power *= 2
	}
	const tries = 1 << 12
	for k := most; k > power && most-k < tries; k-- {
		if want%k == 0 {
			return k
		}
	}
	return power
}

// weigh lays the passes of a route out, and reports whether it can be gone.
func (r *route) weigh(ctx context.Context, w *blocks, opts Options, workers int) bool {
	inner, ok := nd.Bytes(r.spec.Chunks, w.From.DataType().Size())
	if !ok || inner == 0 {
		return false
	}
	count := 1.0
	for i, n := range r.spec.Shards {
		count *= float64(n / r.spec.Chunks[i])
	}
	if count > mostInShard {
		return false
	}
	made, err := zarr.CreateArrayIn(ctx, mem.New(), "", r.spec, middleOptions(opts)...)
	if err != nil {
		return false
	}
	r.join(w, made)
	if r.first.lay(opts.Memory, workers) != nil || r.second.lay(opts.Memory, workers) != nil {
		return false
	}
	r.cost = r.first.reads + nearby*(1+r.second.reads*(1+eachChunk/float64(inner)))
	return true
}

// join makes the passes by an array.
func (r *route) join(w *blocks, made *zarr.Array) {
	r.first = &blocks{Pair: Pair{Path: w.Path, From: w.From, To: made, Cut: w.Cut, Begun: w.Begun}, streams: w.streams, passing: true}
	r.second = &blocks{Pair: Pair{Path: w.Path, From: made, To: w.To, Begun: w.Begun}, streams: w.streams, before: r.first}
}

// middleOptions are for an array that is written only to be read again: what is not there
// is an error, and no fill value.
func middleOptions(opts Options) []zarr.Option {
	return append(slices.Clone(opts.Open), zarr.As("zarr3"), zarr.KeepEmpty(), zarr.FailMissing(), zarr.BypassConsolidated())
}

// make makes the array in a store, under a name that no other layout has.
func (r *route) make(ctx context.Context, s store.Store, w *blocks, opts Options) error {
	text, err := json.Marshal(r.spec)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s", w.Path, text))
	made, err := zarr.CreateArrayIn(ctx, s, hex.EncodeToString(sum[:8]), r.spec, middleOptions(opts)...)
	if err == nil {
		r.join(w, made)
	}
	return err
}

// plan tells the way of an array with so many bytes.
func (r *route) plan(direct float64, bytes int64) *Via {
	v := &Via{
		Chunks: r.spec.Chunks, Shards: r.spec.Shards, Block: r.first.held(), Reads: r.second.reads, Direct: direct,
		Read: add(0, float64(bytes)*(r.first.reads+r.second.reads)), Written: add(0, 2*float64(bytes)),
	}
	return v
}

// origin is what a block is a copy of, whatever it goes by way of.
func (w *blocks) origin() Pair {
	if w.before == nil {
		return w.Pair
	}
	return Pair{Path: w.Path, From: w.before.From, To: w.To, Cut: w.before.Cut, Begun: w.Begun}
}

// held is the shape of what is in memory at once of a block.
func (w *blocks) held() []int {
	if w.total == 0 {
		return nil
	}
	shape := w.box(0).Shape
	for i, n := range w.part {
		shape[i] = min(shape[i], n)
	}
	return shape
}

// divert lets an array go by way of another one, if that spares much.
func (r *runner) divert(ctx context.Context, w *blocks, workers int) (*blocks, error) {
	way := w.via(ctx, r.opts, workers)
	if way == nil {
		return w, nil
	}
	s := r.between()
	if s == nil {
		return w, nil
	}
	err := way.make(ctx, s, w, r.opts)
	if err == nil {
		err = way.first.lay(r.opts.Memory, workers)
	}
	if err == nil {
		err = way.second.lay(r.opts.Memory, workers)
	}
	return way.second, err
}

// passes are the blocks that can be done at once, and those that need all of these.
func (r *runner) passes() [][]*blocks {
	var first []*blocks
	for _, w := range r.work {
		if w.before != nil {
			first = append(first, w.before)
		}
	}
	if first == nil {
		return [][]*blocks{r.work}
	}
	return [][]*blocks{first, r.work}
}

// pending sets the blocks of first passes to those that are still to be read.
func (r *runner) pending() {
	for _, w := range r.work {
		if w.before != nil {
			w.before.readBy(w, func(k int) bool { return r.opts.Verify || !r.isDone(w, k) })
		}
	}
}

// readBy sets the blocks of a first pass to those that some of the next one read.
func (w *blocks) readBy(next *blocks, some func(k int) bool) {
	all, found := next.some == nil, []int{}
	numbers, _ := job.Cells(next.some, next.total)
	for k := range numbers {
		if !some(k) {
			all = false
			continue
		}
		found = job.AppendCells(found, w.touch(next.box(k)), w.count)
	}
	if all {
		w.some = nil
		return
	}
	slices.Sort(found)
	w.some = slices.Compact(found)
}
