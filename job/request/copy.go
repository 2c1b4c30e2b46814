package request

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec/pad"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/format"
	formats "github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/spread"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/store"
)

// Copy asks for a copy of what a URL names, in any format and by any convention that
// comes along. What it has in common with copying.Options is said there.
type Copy struct {
	Open
	From string `json:"from"`
	To   string `json:"to"`
	// Format is one of kind.List.Formats; the default is what To says, else the first.
	Format    string          `json:"format,omitempty"`
	Chunks    []int           `json:"chunks,omitempty"`
	Shards    []int           `json:"shards,omitempty"`
	Codecs    json.RawMessage `json:"codecs,omitempty"`
	DataType  string          `json:"data_type,omitempty"`
	Pad       string          `json:"pad,omitempty"`
	Slice     string          `json:"slice,omitempty"`
	Lossy     bool            `json:"lossy,omitempty"`
	NodesOnly bool            `json:"nodes_only,omitempty"`
	Overwrite bool            `json:"overwrite,omitempty"`
	Verify    bool            `json:"verify,omitempty"`
	Direct    bool            `json:"direct,omitempty"`
	Memory    int64           `json:"memory,omitempty"`
	// Laid are the names of the flags among these, and of Flags, that lay arrays out
	// anew.
	Laid []string `json:"laid,omitempty"`
}

// Spec is the copy as a job that may be sent to other processes: all that open it make
// it together.
func (c Copy) Spec() (spread.Spec, error) { return spread.NewSpec("copy", c) }

// Ready is a copy whose source is open.
type Ready struct {
	kind.CopyRequest
	kinds kind.List
}

// Ready opens the source, and says what is wrong with the request.
func (c Copy) Ready(ctx context.Context, kinds kind.List) (*Ready, error) {
	opts := copying.Options{
		Chunks: c.Chunks, Shards: c.Shards, Codecs: c.Codecs, DataType: c.DataType, Pad: c.Pad, Overwrite: c.Overwrite, Slice: c.Slice,
		Verify: c.Verify, Direct: c.Direct, Lossy: c.Lossy, NodesOnly: c.NodesOnly, Workers: c.Workers, Memory: c.Memory, Open: c.Options(kinds),
		Coordinates: []coordinates.Option{coordinates.Also(kinds.Coordinates()...)},
	}
	if c.Pad != "" {
		if err := kind.Choice("pad", c.Pad, pad.Names()); err != nil {
			return nil, kind.Usagef("%w", err)
		}
	}
	if c.Format == "" {
		c.Format = kinds.Formats()[0]
		for _, name := range []string{kinds.Named(c.To), kinds.Piped(c.To)} {
			if name != "" {
				c.Format = name
			}
		}
	}
	target := kinds.Target(c.Format)
	if target == nil {
		return nil, kind.Usagef("%w", kind.Choice("to", c.Format, kinds.Formats()))
	}
	var err error
	if opts.To, err = target.Format(c.Format); err != nil {
		return nil, kind.Usagef("%w", err)
	}
	if takes, ok := opts.To.(copying.PartTaker); c.Slice != "" && (!ok || !takes.TakesParts()) {
		return nil, kind.Usagef("--slice is not for --to %s: copy the part to a folder first, and that to %s", c.Format, c.To)
	}
	src, err := c.Find(ctx, kinds, c.From, Omitting())
	if err != nil {
		return nil, err
	}
	return &Ready{kind.CopyRequest{Source: src, From: c.From, URL: c.To, Options: opts, Laid: c.Laid}, kinds}, nil
}

// Close gives up the source.
func (r *Ready) Close() error { return r.Source.Close() }

// Copy makes the copy.
func (r *Ready) Copy(ctx context.Context) (copying.Summary, error) {
	sum, err := r.copy(ctx)
	sum.NotCopied = append(sum.NotCopied, Omitted(r.Source.Node)...)
	return sum, err
}

// Omitting opens a source of which what cannot be copied of a node does not keep the rest
// from it: Omitted tells of it.
func Omitting() zarr.Option {
	var omit []format.Option
	for _, f := range formats.Registry().All() {
		if f.Omit != nil {
			omit = append(omit, f.Omit)
		}
	}
	return zarr.With(omit...)
}

// Omitted tells what a source has left out of what was read, such as references that lead
// nowhere.
func Omitted(src zarr.Node) []string {
	if from, ok := store.Behind[interface{ Omitted() []string }](src.Store()); ok {
		return from.Omitted()
	}
	return nil
}

func (r *Ready) copy(ctx context.Context) (copying.Summary, error) {
	for _, k := range kind.All[kind.Copier](r.kinds) {
		sum, done, err := k.Copy(ctx, r.CopyRequest)
		if done || err != nil {
			return sum, err
		}
	}
	return copying.Copy(ctx, r.Source.Node, r.URL, r.Options)
}

func init() {
	spread.Register("copy", func(ctx context.Context, request json.RawMessage) (spread.Job, error) {
		var c Copy
		if err := strictjson.Unmarshal(request, &c); err != nil {
			return nil, err
		}
		kinds, err := c.Kinds()
		if err != nil {
			return nil, err
		}
		ready, err := c.Ready(ctx, kinds)
		if err != nil {
			return nil, err
		}
		return openCopy(ctx, ready)
	})
}

// copyJob is a copy that goes on in the background: it has made its nodes, waits while
// items are done, and is finished or given up.
type copyJob struct {
	ready  *Ready
	work   *copying.Work // nil if there is nothing to do
	finish chan struct{}
	cancel context.CancelCauseFunc
	done   chan struct{}
	sum    copying.Summary // when it is done
	err    error
}

var errClosed = errors.New("the job was closed")

func openCopy(ctx context.Context, ready *Ready) (spread.Job, error) {
	j := &copyJob{ready: ready, finish: make(chan struct{}), done: make(chan struct{})}
	work := make(chan *copying.Work, 1)
	ready.Options.Spread = &copying.Spread{Run: func(ctx context.Context, w *copying.Work) ([]int, error) {
		work <- w
		select {
		case <-j.finish:
			return nil, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}}
	var own context.Context
	own, j.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { j.cancel(context.Cause(ctx)) })
	defer stop()
	go func() {
		defer close(j.done)
		j.sum, j.err = ready.Copy(own)
	}()
	select {
	case j.work = <-work:
	case <-j.done:
	}
	if j.work == nil && j.err != nil {
		err := j.err
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// Stages are those of the copy, none if it is there already.
func (j *copyJob) Stages() (out []spread.Stage) {
	if j.work == nil {
		return nil
	}
	for _, s := range j.work.Stages {
		out = append(out, spread.Stage{Name: s.Name, Items: s.Items})
	}
	return out
}

// counts are what an item read and wrote, as in copying.Summary.
type counts struct {
	Chunks   int64 `json:"chunks,omitempty"`
	Passed   int64 `json:"chunks_as_bytes,omitempty"`
	Empty    int64 `json:"chunks_empty,omitempty"`
	Read     int64 `json:"bytes_in,omitempty"`
	Written  int64 `json:"bytes_out,omitempty"`
	Elements int64 `json:"bytes_of_elements,omitempty"`
	Between  int64 `json:"bytes_between,omitempty"`
	Resumed  int64 `json:"blocks_done_before,omitempty"`
}

// Do makes an item.
func (j *copyJob) Do(ctx context.Context, stage, item int) ([]byte, error) {
	if j.work == nil {
		return nil, nil // it was complete when the job was opened
	}
	s, err := j.work.Do(ctx, stage, item)
	if err != nil {
		return nil, err
	}
	return json.Marshal(counts{s.Chunks, s.Passed, s.Empty, s.Read, s.Written, s.Elements, s.Between, s.Resumed})
}

// Finish lets the copy appear. Its summary counts what all processes read and wrote.
func (j *copyJob) Finish(ctx context.Context, results spread.Results) ([]byte, error) {
	select {
	case <-j.done: // there already, or a second time
	default:
		stop := context.AfterFunc(ctx, func() { j.cancel(context.Cause(ctx)) })
		defer stop()
		close(j.finish)
		<-j.done
	}
	if j.err != nil {
		return nil, j.err
	}
	sum := j.sum
	for stage := 0; results != nil && stage < len(j.Stages()); stage++ {
		for _, text := range results(stage) {
			var c counts
			if err := strictjson.Unmarshal(text, &c); err != nil {
				return nil, err
			}
			sum.Add(copying.Summary{
				Chunks: c.Chunks, Passed: c.Passed, Empty: c.Empty, Read: c.Read, Written: c.Written,
				Elements: c.Elements, Between: c.Between, Resumed: c.Resumed,
			})
		}
	}
	return json.Marshal(sum)
}

// Close gives the copy up, if it is not finished.
func (j *copyJob) Close() error {
	j.cancel(errClosed)
	<-j.done
	return j.ready.Close()
}
