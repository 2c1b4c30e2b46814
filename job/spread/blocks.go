package spread

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// Grid is how an array is cut into blocks, by its metadata alone.
type Grid struct {
	shape, block, count []int
	total               int
}

// NewGrid cuts an array into blocks of a shape, which must be whole chunks of it, or
// shards; nil is one of them each. No two blocks have a chunk in common.
func NewGrid(a *zarr.Array, block []int) (*Grid, error) {
	unit := a.Metadata().Grid.Uniform()
	if unit == nil {
		return nil, &zarr.Error{Op: "cut", URL: a.URL(), Err: errors.New("its chunks differ in shape")}
	}
	if block == nil {
		block = unit
	}
	g := &Grid{shape: a.Shape(), block: block, count: make([]int, len(unit))}
	for i, n := range unit {
		if len(block) != len(unit) || block[i] < 1 || block[i]%n != 0 {
			return nil, &zarr.Error{Op: "cut", URL: a.URL(), Err: fmt.Errorf("blocks of shape %v are not of whole chunks, which are %v", block, unit)}
		}
		g.count[i] = (g.shape[i] + block[i] - 1) / block[i]
	}
	var ok bool
	if g.total, ok = nd.Len(g.count); !ok {
		return nil, &zarr.Error{Op: "cut", URL: a.URL(), Err: zarr.ErrTooLarge}
	}
	return g, nil
}

// Blocks is how many there are.
func (g *Grid) Blocks() int { return g.total }

// Box is where a block lies.
func (g *Grid) Box(k int) nd.Box {
	box := nd.Box{Start: make([]int, len(g.count)), Shape: make([]int, len(g.count))}
	for i := len(g.count) - 1; i >= 0; i-- {
		box.Start[i] = k % g.count[i] * g.block[i]
		box.Shape[i] = min(g.block[i], g.shape[i]-box.Start[i])
		k /= g.count[i]
	}
	return box
}

// Around is a block of an array with a margin around it, as far as the array goes.
type Around[T any] struct {
	Block nd.Box // without the margin
	Start []int  // where the elements begin
	nd.Array[T]
	// Params are those of the request.
	Params json.RawMessage
}

// Read reads a block with a margin around it; nil is none.
func Read[T any](ctx context.Context, a *zarr.Array, box nd.Box, margin []int) (*Around[T], error) {
	start, shape := slices.Clone(box.Start), slices.Clone(box.Shape)
	if margin != nil && len(margin) != len(start) {
		return nil, &zarr.Error{Op: "read", URL: a.URL(), Err: fmt.Errorf("a margin %v around blocks of %d axes", margin, len(start))}
	}
	for i, m := range margin {
		start[i] = max(box.Start[i]-max(m, 0), 0)
		shape[i] = min(box.Start[i]+box.Shape[i]+max(m, 0), a.Shape()[i]) - start[i]
	}
	out, err := zarr.Read[T](ctx, a, zarr.Box(start, shape))
	if err != nil {
		return nil, err
	}
	return &Around[T]{Block: box, Start: start, Array: out}, nil
}

// BlocksOf asks for a registered function over the blocks of an array.
type BlocksOf struct {
	From string `json:"from"` // the URL of the array
	// To is that of the array which Map writes: it has the same shape, and is made before.
	To string `json:"to,omitempty"`
	// Block is the shape of blocks, see NewGrid: of To, or of From for Reduce.
	Block []int `json:"block,omitempty"`
	// Margin is how many elements the function sees on either side of a block, along each
	// axis.
	Margin []int `json:"margin,omitempty"`
	// Params are passed to the function.
	Params json.RawMessage `json:"params,omitempty"`
}

// Function is one that is registered.
type Function struct{ kind string }

// Spec is the job of calling the function with every block.
func (f Function) Spec(of BlocksOf) (Spec, error) { return NewSpec(f.kind, of) }

// Map registers a function that makes the blocks of one array of those of another, by
// the name of which other processes find it: it is called when a program begins, as
// Register is. A block is whole chunks, so that nobody else writes them, and writing it
// twice changes nothing. The result of the job is {"blocks": n}.
func Map[D, S any](name string, f func(ctx context.Context, out *zarr.Block[D], in *Around[S]) error) Function {
	return register("map "+name, func(ctx context.Context, j *blockJob) error {
		if j.To == "" {
			return errors.New("there is no array to write")
		}
		var err error
		if j.to, err = zarr.OpenArray(ctx, j.To); err != nil {
			return err
		}
		if !slices.Equal(j.to.Shape(), j.from.Shape()) {
			return &zarr.Error{Op: "write", URL: j.To, Err: fmt.Errorf("shape %v, that of %s is %v", j.to.Shape(), j.From, j.from.Shape())}
		}
		if j.grid, err = NewGrid(j.to, j.Block); err != nil {
			return err
		}
		j.do = func(ctx context.Context, item int) ([]byte, error) {
			in, err := Read[S](ctx, j.from, j.grid.Box(item), j.Margin)
			if err != nil {
				return nil, err
			}
			in.Params = j.Params
			box := in.Block
			n, _ := nd.Len(box.Shape)
			out := &zarr.Block[D]{Start: box.Start, Number: item, Array: nd.Array[D]{Data: make([]D, n), Shape: box.Shape}}
			if err := f(ctx, out, in); err != nil {
				return nil, err
			}
			return nil, zarr.Write(ctx, j.to, zarr.Box(box.Start, box.Shape), out.Data)
		}
		j.finish = func(Results) (any, error) {
			return struct {
				Blocks int `json:"blocks"`
			}{j.grid.Blocks()}, nil
		}
		return nil
	})
}

// Reduce registers a function that makes a small value of every block, and one that joins
// two of them, that of earlier blocks first. They are joined in the order of the blocks,
// so that the same array gives the same value, whoever does it. Values become JSON in
// between, and so does the result of the job.
func Reduce[S, R any](name string, f func(ctx context.Context, in *Around[S]) (R, error), join func(x, y R) R) Function {
	return register("reduce "+name, func(ctx context.Context, j *blockJob) (err error) {
		if j.grid, err = NewGrid(j.from, j.Block); err != nil {
			return err
		}
		j.do = func(ctx context.Context, item int) ([]byte, error) {
			in, err := Read[S](ctx, j.from, j.grid.Box(item), j.Margin)
			if err != nil {
				return nil, err
			}
			in.Params = j.Params
			value, err := f(ctx, in)
			if err != nil {
				return nil, err
			}
			return json.Marshal(value)
		}
		j.finish = func(results Results) (any, error) {
			var all R
			first := true
			for _, text := range results(0) {
				var next R
				if err := strictjson.Unmarshal(text, &next); err != nil {
					return nil, err
				}
				if first {
					all, first = next, false
				} else {
					all = join(all, next)
				}
			}
			return all, nil
		}
		return nil
	})
}

// register adds a kind of job over blocks, which setup completes.
func register(kind string, setup func(ctx context.Context, j *blockJob) error) Function {
	Register(kind, func(ctx context.Context, request json.RawMessage) (Job, error) {
		j := &blockJob{name: kind}
		err := strictjson.Unmarshal(request, &j.BlocksOf)
		if err == nil {
			j.from, err = zarr.OpenArray(ctx, j.From, zarr.ReadOnly())
		}
		if err == nil {
			err = setup(ctx, j)
		}
		if err != nil {
			return nil, errors.Join(err, j.Close())
		}
		return j, nil
	})
	return Function{kind}
}

// blockJob is a function over blocks.
type blockJob struct {
	BlocksOf
	name     string
	from, to *zarr.Array
	grid     *Grid
	do       func(ctx context.Context, item int) ([]byte, error)
	finish   func(Results) (any, error)
}

// Stages is one.
func (j *blockJob) Stages() []Stage { return []Stage{{j.name, j.grid.Blocks()}} }

// Do calls the function with a block.
func (j *blockJob) Do(ctx context.Context, _, item int) ([]byte, error) { return j.do(ctx, item) }

// Finish gives the result.
func (j *blockJob) Finish(_ context.Context, results Results) ([]byte, error) {
	out, err := j.finish(results)
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

// Close gives up the arrays.
func (j *blockJob) Close() (err error) {
	for _, a := range []*zarr.Array{j.from, j.to} {
		if a != nil {
			err = errors.Join(err, a.Close())
		}
	}
	return err
}
