package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/elements"
	"github.com/omnizarr/zarr/internal/bigmem"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// codecFlags describe the array side of a chain.
type codecFlags struct {
	codecs, dataType, shape, fill string
}

func (a *app) codecCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "codec",
		Short: "Run a codec chain on standard input",
		Long: `Run a codec chain on standard input. The array side is in the form of
'cat --as raw' (JSON as 'cat --as json' writes it for types without a fixed
length), the byte side is a chunk as it is stored.`,
		Args: a.noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		a.codecVerb("encode", "Turn elements into a stored chunk", (*app).encode,
			`  omnizarr codec encode --codecs '["bytes", "zstd"]' --data-type uint8 --shape '[4, 4]' < elements > chunk`),
		a.codecVerb("decode", "Turn a stored chunk into elements", (*app).decode,
			`  omnizarr codec decode --codecs '["bytes", "zstd"]' --data-type uint8 --shape '[4, 4]' < chunk > elements`),
	)
	return cmd
}

func (a *app) codecVerb(name, short string, do func(*app, context.Context, *codec.Bound) error, example string) *cobra.Command {
	var f codecFlags
	cmd := &cobra.Command{
		Use: name, Short: short, Example: example, Args: names(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := f.bind(cmd)
			if err == nil {
				err = do(a, cmd.Context(), b)
			}
			var usage *usageError
			if err != nil && !errors.As(err, &usage) {
				return fmt.Errorf("%s: %w", name, err)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.codecs, "codecs", "", "the codecs list, as zarr.json has it")
	flags.StringVar(&f.dataType, "data-type", "", "name of the data type, or its JSON")
	flags.StringVar(&f.shape, "shape", "", "shape of the chunk, a JSON list")
	flags.StringVar(&f.fill, "fill-value", "", "fill value, as zarr.json has it (default: zero)")
	return cmd
}

// bind makes the chain that the flags describe.
func (f *codecFlags) bind(cmd *cobra.Command) (*codec.Bound, error) {
	for _, name := range []string{"codecs", "data-type", "shape"} {
		if !cmd.Flags().Changed(name) {
			return nil, badUsage(cmd, "--%s is missing", name)
		}
	}
	for name, text := range map[string]string{"codecs": f.codecs, "shape": f.shape, "fill-value": f.fill} {
		if text == "" {
			continue
		}
		if err := strictjson.Validate([]byte(text), strictjson.Options{}); err != nil {
			return nil, badUsage(cmd, "--%s: %w", name, err)
		}
	}
	shape, err := strictjson.Lengths(bytes.TrimSpace([]byte(f.shape)), 0, nd.MaxRank)
	if err != nil {
		return nil, fmt.Errorf("--shape: %w", err)
	}
	t, err := dtype.Lookup(f.dataType)
	if err != nil {
		return nil, fmt.Errorf("--data-type: %w", err)
	}
	heap := &nd.Heap{}
	fill := make([]byte, t.Size())
	if f.fill != "" {
		if fill, err = t.ParseFill(json.RawMessage(f.fill), heap); err != nil {
			return nil, fmt.Errorf("--fill-value: %w", err)
		}
	}
	if n, ok := nd.Bytes(shape, t.Size()); !ok || uint64(n) > bigmem.Available() {
		return nil, fmt.Errorf("--shape: a chunk of shape %v of %s does not fit into memory", shape, t.Name())
	}
	chain, err := std.Registry().ParseList(json.RawMessage(f.codecs))
	if err != nil {
		return nil, fmt.Errorf("--codecs: %w", err)
	}
	b, err := chain.Bind(codec.Spec{Type: t, Shape: shape, Fill: fill, Heap: heap})
	if err != nil {
		return nil, fmt.Errorf("--codecs: %w", err)
	}
	return b, nil
}

// chunk is what the codecs are told of the only chunk there is.
func (a *app) chunk() *codec.Chunk {
	workers, limit := a.workers, a.maxChunk
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return &codec.Chunk{Limits: &codec.Limits{Workers: par.NewLimiter(workers-1, 1<<30), MaxChunk: limit}}
}

func (a *app) encode(ctx context.Context, b *codec.Bound) error {
	if err := a.notForTerminals(); err != nil {
		return err
	}
	v, err := a.readElements(b.Spec())
	if err != nil {
		return err
	}
	out, err := b.Encode(ctx, a.chunk(), nil, v)
	if err != nil {
		return err
	}
	_, err = a.out.Write(out)
	return err
}

func (a *app) decode(ctx context.Context, b *codec.Bound) error {
	if err := a.notForTerminals(); err != nil && len(b.Spec().Type.Refs()) == 0 {
		return err
	}
	ck := a.chunk()
	limit := ck.Room(b.Size())
	in, err := io.ReadAll(io.LimitReader(a.in, int64(limit)+1))
	if err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	if len(in) > limit {
		return fmt.Errorf("standard input: %w", ck.Over(-1, limit))
	}
	if size := b.Size(); size.Exact && len(in) != size.N {
		return fmt.Errorf("standard input has %d bytes, a chunk has %d", len(in), size.N)
	}
	spec := b.Spec()
	v, err := ck.Make(spec.Type.Size(), spec.Shape...)
	if err != nil {
		return err
	}
	v.Heap = &nd.Heap{}
	if err := b.Decode(ctx, ck, &codec.Memory{Bytes: in}, nd.Whole(spec.Shape), v); err != nil {
		return err
	}
	flat := nd.Of(v.Data, v.Size, v.Len())
	flat.Heap = v.Heap
	form := "raw"
	if len(spec.Type.Refs()) > 0 {
		form = "json"
	}
	w, err := elements.NewWriter(a.out, form, spec.Type, spec.Shape)
	if err != nil {
		return err
	}
	if err := w.Write(flat); err != nil {
		return err
	}
	return w.Close()
}

// readElements reads the array side of a chain from standard input.
func (a *app) readElements(spec codec.Spec) (nd.View, error) {
	if len(spec.Type.Refs()) > 0 {
		return a.readValues(spec)
	}
	n, _ := nd.Bytes(spec.Shape, spec.Type.Size())
	in, err := io.ReadAll(io.LimitReader(a.in, int64(n)+1))
	if err != nil {
		return nd.View{}, fmt.Errorf("read standard input: %w", err)
	}
	if len(in) > n {
		more, _ := io.Copy(io.Discard, a.in)
		return nd.View{}, fmt.Errorf("standard input has %d bytes, shape %v of %s needs %d", int64(len(in))+more, spec.Shape, spec.Type.Name(), n)
	}
	if len(in) < n {
		return nd.View{}, fmt.Errorf("standard input has %d bytes, shape %v of %s needs %d", len(in), spec.Shape, spec.Type.Name(), n)
	}
	v := nd.Of(in, spec.Type.Size(), spec.Shape...)
	if c, ok := spec.Type.(dtype.Canonicaliser); ok {
		if err := c.Canonicalise(v); err != nil {
			return nd.View{}, fmt.Errorf("standard input: %w", err)
		}
	}
	return v, nil
}

// readValues reads nested JSON lists of values without a fixed length.
func (a *app) readValues(spec codec.Spec) (nd.View, error) {
	in, err := io.ReadAll(io.LimitReader(a.in, strictjson.DefaultBytes+1))
	if err != nil {
		return nd.View{}, fmt.Errorf("read standard input: %w", err)
	}
	if err := strictjson.Validate(in, strictjson.Options{}); err != nil {
		return nd.View{}, fmt.Errorf("standard input: %w", err)
	}
	v, err := a.chunk().Make(spec.Type.Size(), spec.Shape...)
	if err != nil {
		return nd.View{}, err
	}
	v.Heap = &nd.Heap{}
	at := 0
	var fill func(raw json.RawMessage, axis int) error
	fill = func(raw json.RawMessage, axis int) error {
		if axis == len(spec.Shape) {
			elem, err := spec.Type.ParseFill(raw, v.Heap)
			at += copy(v.Data[at:], elem)
			return err
		}
		count := 0
		err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
			if count++; count > spec.Shape[axis] {
				return fmt.Errorf("more than the %d that shape %v has", spec.Shape[axis], spec.Shape)
			}
			return fill(elem, axis+1)
		})
		if err == nil && count < spec.Shape[axis] {
			err = fmt.Errorf("%d values, shape %v has %d", count, spec.Shape, spec.Shape[axis])
		}
		return err
	}
	if err := fill(bytes.TrimSpace(in), 0); err != nil {
		return nd.View{}, fmt.Errorf("standard input: %w", err)
	}
	return v, nil
}
