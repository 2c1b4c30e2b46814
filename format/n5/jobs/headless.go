package jobs

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/omnizarr/zarr"
	codec "github.com/omnizarr/zarr/codec/n5"
	"github.com/omnizarr/zarr/internal/n5block"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// The codecs that skip the header of a block.
const (
	padCodec    = "pad"
	offsetCodec = "offset"
)

// headless gives the codecs of a dataset whose blocks are all whole: what
// n5_default has inside it, behind a header that is always the same.
func headless(m *meta.Array, with string) ([]meta.Extension, error) {
	if len(m.Codecs) != 1 || m.Codecs[0].Name != codec.Name {
		return nil, fmt.Errorf("its elements are %s, and the headers of their blocks differ", m.DataType.Name())
	}
	var config struct {
		Codecs json.RawMessage `json:"codecs"`
	}
	if err := strictjson.Unmarshal(m.Codecs[0].Configuration, &config); err != nil {
		return nil, err
	}
	list, err := meta.ParseCodecs(config.Codecs)
	if err != nil {
		return nil, err
	}
	header := n5block.AppendDefault(nil, m.Grid.Uniform())
	text := strictjson.AppendString(nil, base64.StdEncoding.EncodeToString(header))
	skip := meta.Extension{Name: with, Configuration: fmt.Appendf(nil, `{"location":"start","nbytes":%d,"padding":%s}`, len(header), text)}
	if with == offsetCodec {
		skip.Configuration = fmt.Appendf(nil, `{"offset":%d,"prefix":%s}`, len(header), text)
	}
	return append(list, skip), nil
}

// headers checks that all blocks of datasets are whole, by the first bytes of
// each.
func (a *adopter) headers(ctx context.Context, arrays map[string]*zarr.Array) error {
	track := job.NewTracker(a.opts.Progress)
	p := job.NewPool(ctx, a.opts.Workers, job.DefaultMemory())
	for _, at := range job.Paths(arrays) {
		arr := arrays[at]
		shape := arr.ChunkShape()
		want := n5block.AppendDefault(nil, shape)
		for c, err := range arr.Stored(p.Context()) {
			if err != nil {
				p.Stop(err)
				break
			}
			track.Add(1)
			more := p.Run(1, func(ctx context.Context) error {
				if err := a.header(ctx, c.Key, want, shape); err != nil {
					block := strings.TrimPrefix(c.Key, arr.Path()+"/")
					return a.fail(arr.URL(), fmt.Errorf("%w with %s: block %s: %w", ErrNotAdopted, a.opts.With, block, err))
				}
				track.Done(at, 1, int64(len(want)))
				return nil
			})
			if !more {
				return p.Wait()
			}
		}
	}
	return p.Wait()
}

// header checks the header of one block.
func (a *adopter) header(ctx context.Context, key string, want []byte, shape []int) error {
	got, _, err := a.store.Get(ctx, key, store.Part(0, int64(len(want))), nil)
	if errors.Is(err, store.ErrRange) {
		got, _, err = a.store.Get(ctx, key, store.UpTo(int64(len(want))), nil)
	}
	if err != nil {
		_, why := job.Reason(err)
		return errors.New(why)
	}
	if bytes.Equal(got, want) {
		return nil
	}
	has, err := n5block.ParseDefault(got, len(shape))
	if err != nil {
		return err
	}
	return fmt.Errorf("it is not whole, which is %v, but cut to %v", shape, has)
}
