package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
)

// killNWB changes a session of pynwb's in all ways, and kills this process when the
// store was changed so many times. With 0 it commits nothing, and with -1 it tells how
// many changes there are: before the commit, and in all.
func killNWB(ctx context.Context, path, when string) error {
	n, err := strconv.Atoi(when)
	if err != nil {
		return err
	}
	base, err := file.Open(path, file.Options{})
	if err != nil {
		return err
	}
	s := &dying{Store: base, left: n}
	opts := write.Options{Pickle: true}
	opts.Locate.Schemes = locate.Schemes{"dying": func(context.Context, string, locate.Options) (locate.Location, error) {
		return locate.Location{Store: s}, nil
	}}
	e, err := write.Edit(ctx, "dying://", opts)
	if err != nil {
		return err
	}
	before := 0
	if n != 0 {
		for _, step := range []func(context.Context, *write.Editor) error{appendTrials, appendSeries, addObjects} {
			if err := step(ctx, e); err != nil {
				return err
			}
		}
		before = s.changes
	}
	if err := errors.Join(e.Commit(ctx), e.Close(), base.Close()); err != nil {
		return err
	}
	if n < 0 {
		fmt.Println(before, s.changes)
	}
	return nil
}

// dying is a store that ends this process, as nothing else does it, when it was
// changed some times.
type dying struct {
	store.Store
	changes, left int
}

func (s *dying) Unwrap() store.Store { return s.Store }

func (s *dying) count() {
	if s.changes++; s.changes == s.left {
		me, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = me.Kill()
		}
		if err != nil {
			panic(err)
		}
		select {}
	}
}

func (s *dying) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	info, err := s.Store.Put(ctx, key, data, opt)
	s.count()
	return info, err
}

func (s *dying) Delete(ctx context.Context, key string) error {
	err := s.Store.Delete(ctx, key)
	s.count()
	return err
}

// growNWB makes as many commits to a session as each line of the input says, each of a
// trial and of two samples, and tells when they are made.
func growNWB(ctx context.Context, path string, in io.Reader) error {
	e, err := write.Edit(ctx, path, write.Options{Pickle: true})
	if err != nil {
		return err
	}
	for lines := bufio.NewScanner(in); lines.Scan() && err == nil; {
		n, convErr := strconv.Atoi(lines.Text())
		for err = convErr; n > 0 && err == nil; n-- {
			if err = appendEmptyTrial(ctx, e); err == nil {
				err = e.AppendSamples(ctx, "/acquisition/trace", write.Numbers([]float32{1, 2, 3, 4}, 2, 2), []float64{2, 2.5})
			}
			if err == nil {
				err = e.Commit(ctx)
			}
		}
		fmt.Println("done")
	}
	return errors.Join(err, e.Close())
}

// appendEmptyTrial adds a trial whose lists are empty, so that no index becomes too
// narrow for their ends.
func appendEmptyTrial(ctx context.Context, e *write.Editor) error {
	parts := write.Compounds(
		write.Field{Name: "idx_start", Data: write.Numbers([]int32{})},
		write.Field{Name: "count", Data: write.Numbers([]int32{})},
		write.Field{Name: "timeseries", Data: write.References(nil)},
	)
	return e.AppendRows(ctx, "/intervals/trials", write.Rows{Columns: map[string]write.Column{
		"start_time": {Data: write.Numbers([]float64{40})},
		"stop_time":  {Data: write.Numbers([]float64{41})},
		"tags":       {Data: write.Text(nil), Counts: [][]int{{0}}},
		"timeseries": {Data: parts, Counts: [][]int{{0}}},
	}})
}
