// Package objects finds the objects of an image by blocks: a job of one's own, which any
// executor of package job/spread runs.
package objects

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job/spread"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// Request asks for the objects of an image: elements above a threshold that touch each
// other along an axis.
type Request struct {
	From string `json:"from"` // an array of numbers
	// To is a group with the arrays "local" and "labels", see Prepare.
	To        string  `json:"to"`
	Threshold float64 `json:"threshold"`
}

// Result is what was found.
type Result struct {
	Objects int `json:"objects"`
}

func init() {
	spread.Register("segment", func(ctx context.Context, request json.RawMessage) (spread.Job, error) {
		j := &segmentation{}
		if err := decode(request, &j.Request); err != nil {
			return nil, err
		}
		if err := j.open(ctx); err != nil {
			return nil, errors.Join(err, j.Close())
		}
		return j, nil
	})
}

// decode reads what a job was asked for, or what its items gave.
func decode(text []byte, v any) error {
	if json.Unmarshal(text, v) != nil {
		return fmt.Errorf("this is no part of a segmentation: %q", text)
	}
	return nil
}

// Prepare makes the arrays of the result: "labels", in which every object has a number of
// its own and all else is 0, and "local", the same for every block by itself.
func Prepare(ctx context.Context, r Request, block []int) error {
	from, err := zarr.OpenArray(ctx, r.From, zarr.ReadOnly())
	if err != nil {
		return err
	}
	defer from.Close()
	g, err := zarr.CreateGroup(ctx, r.To)
	if err != nil {
		return err
	}
	for _, name := range []string{"local", "labels"} {
		spec := zarr.ArraySpec{Shape: from.Shape(), Chunks: block, DataType: "uint64", DimensionNames: from.DimensionNames()}
		if _, err := g.CreateArray(ctx, name, spec); err != nil {
			return errors.Join(err, g.Close())
		}
	}
	return g.Close()
}

// segmentation is the job. Blocks are labelled by themselves; then one item finds which
// labels of neighbours are of one object; then blocks get the labels of objects.
type segmentation struct {
	Request
	from          *zarr.Array
	group         *zarr.Group
	local, labels *zarr.Array
	grid          *spread.Grid
}

// The stages.
const (
	label = iota
	join
	relabel
)

func (j *segmentation) open(ctx context.Context) (err error) {
	if j.from, err = zarr.OpenArray(ctx, j.From, zarr.ReadOnly()); err != nil {
		return err
	}
	if j.group, err = zarr.OpenGroup(ctx, j.To); err != nil {
		return err
	}
	if j.local, err = j.group.Array(ctx, "local"); err != nil {
		return err
	}
	if j.labels, err = j.group.Array(ctx, "labels"); err != nil {
		return err
	}
	if !slices.Equal(j.from.Shape(), j.local.Shape()) || !slices.Equal(j.from.Shape(), j.labels.Shape()) {
		return fmt.Errorf("%s was made for another image", j.To)
	}
	j.grid, err = spread.NewGrid(j.local, nil)
	return err
}

func (j *segmentation) Close() (err error) {
	if j.from != nil {
		err = j.from.Close()
	}
	if j.group != nil {
		err = errors.Join(err, j.group.Close())
	}
	return err
}

func (j *segmentation) Stages() []spread.Stage {
	return []spread.Stage{{Name: "label", Items: j.grid.Blocks()}, {Name: "join", Items: 1}, {Name: "relabel", Items: j.grid.Blocks()}}
}

func (j *segmentation) Do(ctx context.Context, stage, item int) ([]byte, error) {
	switch stage {
	case label:
		n, err := j.label(ctx, item)
		if err != nil {
			return nil, err
		}
		return json.Marshal(n)
	case join:
		n, err := j.join(ctx)
		if err != nil {
			return nil, err
		}
		return json.Marshal(n)
	}
	return nil, j.relabel(ctx, item)
}

// Finish counts the objects: those of all blocks, less those that were joined.
func (j *segmentation) Finish(_ context.Context, results spread.Results) ([]byte, error) {
	var r Result
	for stage, sign := range []int{label: 1, join: -1} {
		for _, text := range results(stage) {
			n := 0
			if err := decode(text, &n); err != nil {
				return nil, err
			}
			r.Objects += sign * n
		}
	}
	return json.Marshal(r)
}

// label labels the objects of a block, with numbers that no other block has.
func (j *segmentation) label(ctx context.Context, item int) (count int, err error) {
	box := j.grid.Box(item)
	in, err := zarr.ReadAs[float64](ctx, j.from, zarr.Box(box.Start, box.Shape))
	if err != nil {
		return 0, err
	}
	chunk, _ := nd.Len(j.local.Metadata().Grid.Uniform())
	base := uint64(item)*uint64(chunk) + 1
	out := make([]uint64, len(in.Data))
	var stack []int
	for at, v := range in.Data {
		if v <= j.Threshold || out[at] != 0 {
			continue
		}
		id := base + uint64(count)
		count++
		out[at] = id
		for stack = append(stack[:0], at); len(stack) > 0; {
			p := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			neighbours(p, box.Shape, func(q int) {
				if in.Data[q] > j.Threshold && out[q] == 0 {
					out[q] = id
					stack = append(stack, q)
				}
			})
		}
	}
	return count, zarr.Write(ctx, j.local, zarr.Box(box.Start, box.Shape), out)
}

// neighbours calls f with the elements that touch one along an axis.
func neighbours(at int, shape []int, f func(int)) {
	for i, stride := len(shape)-1, 1; i >= 0; i-- {
		k := at / stride % shape[i]
		if k > 0 {
			f(at - stride)
		}
		if k < shape[i]-1 {
			f(at + stride)
		}
		stride *= shape[i]
	}
}

// tableKey is the value that says which labels are of one object.
func (j *segmentation) tableKey() string { return path.Join(j.group.Path(), "table.json") }

// join reads both sides of all faces between blocks, and says which of their labels are
// of one object: each has the least of them. It gives how many labels were joined.
func (j *segmentation) join(ctx context.Context) (joined int, err error) {
	parent := map[uint64]uint64{}
	find := func(x uint64) uint64 {
		for parent[x] != 0 {
			x = parent[x]
		}
		return x
	}
	for k := range j.grid.Blocks() {
		box := j.grid.Box(k)
		for axis := range box.Shape {
			edge := box.Start[axis] + box.Shape[axis]
			if edge >= j.local.Shape()[axis] {
				continue
			}
			side := func(at int) ([]uint64, error) {
				start, shape := slices.Clone(box.Start), slices.Clone(box.Shape)
				start[axis], shape[axis] = at, 1
				face, err := zarr.Read[uint64](ctx, j.local, zarr.Box(start, shape))
				return face.Data, err
			}
			one, err := side(edge - 1)
			if err != nil {
				return 0, err
			}
			other, err := side(edge)
			if err != nil {
				return 0, err
			}
			for i, x := range one {
				y := other[i]
				if x == 0 || y == 0 {
					continue
				}
				if x, y = find(x), find(y); x != y {
					parent[max(x, y)] = min(x, y)
					joined++
				}
			}
		}
	}
	table := map[uint64]uint64{}
	for x := range parent {
		table[x] = find(x)
	}
	text, err := json.Marshal(table)
	if err == nil {
		_, err = j.group.Store().Put(ctx, j.tableKey(), text, store.PutOptions{})
	}
	return joined, err
}

// relabel gives the objects of a block the labels that they have in the whole.
func (j *segmentation) relabel(ctx context.Context, item int) error {
	text, _, err := j.group.Store().Get(ctx, j.tableKey(), store.All(), nil)
	if err != nil {
		return err
	}
	var table map[uint64]uint64
	if err := decode(text, &table); err != nil {
		return err
	}
	box := j.grid.Box(item)
	out, err := zarr.Read[uint64](ctx, j.local, zarr.Box(box.Start, box.Shape))
	if err != nil {
		return err
	}
	for i, x := range out.Data {
		if to, ok := table[x]; ok {
			out.Data[i] = to
		}
	}
	return zarr.Write(ctx, j.labels, zarr.Box(box.Start, box.Shape), out.Data)
}
