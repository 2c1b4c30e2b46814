package codectest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
)

func testRoundTrip(t *testing.T, s *subject) {
	r := s.random(t)
	for range thorough.Of(1, 4) {
		want := s.sample(r, s.Shape)
		data := s.encode(t, want)
		for _, src := range sources(data) {
			s.compare(t, "whole chunk", s.decode(t, s.chunk(), src, s.whole()), want)
		}
	}
}

func testBoxes(t *testing.T, s *subject) {
	r := s.random(t)
	want := s.sample(r, s.Shape)
	data := s.encode(t, want)
	for range thorough.Least(1, 3, 12) {
		box := randomBox(r, s.Shape)
		for _, src := range sources(data) {
			s.compare(t, "box", s.decode(t, s.chunk(), src, box), want.Box(box))
		}
	}
}

func testViews(t *testing.T, s *subject) {
	r := s.random(t)
	want := s.sample(r, s.Shape)
	data := s.encode(t, want)
	for _, l := range s.layouts(s.Shape) {
		dtype.Copy(s.typ, l.view, want)
		if got := s.encode(t, l.view); !bytes.Equal(got, data) {
			t.Errorf("%s: encoded differently", l.name)
		}
	}
	for range thorough.Least(1, 2, 4) {
		box := randomBox(r, s.Shape)
		if r.IntN(2) == 0 {
			box = s.whole()
		}
		for _, src := range sources(data) {
			for _, l := range s.layouts(box.Shape) {
				if err := s.bound.Decode(context.Background(), s.chunk(), src, box, l.view); err != nil {
					t.Fatalf("%s: %v", l.name, err)
				}
				s.compare(t, l.name, l.view, want.Box(box))
				l.checkGuard(t)
			}
		}
	}
}

func testAppend(t *testing.T, s *subject) {
	r := s.random(t)
	src := s.sample(r, s.Shape)
	data := s.encode(t, src)
	rooms := []int{0, 4 * len(data), 1, len(data)}
	for _, room := range rooms[:thorough.Least(2, 4, 4)] {
		dst := make([]byte, 5, 5+room)
		copy(dst, "begin")
		out, err := s.bound.Encode(context.Background(), s.chunk(), dst, src)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(out, []byte("begin")) || !bytes.Equal(out[5:], data) {
			t.Errorf("with room for %d bytes: something else was appended", room)
		}
		box := randomBox(r, s.Shape)
		part := s.sample(r, box.Shape)
		alone, err := s.bound.Update(context.Background(), s.keeping(), nil, &codec.Memory{Bytes: data}, box, part)
		if err != nil {
			t.Fatal(err)
		}
		dst = append(dst[:0:cap(dst)], "begin"...)
		out, err = s.bound.Update(context.Background(), s.keeping(), dst, &codec.Memory{Bytes: data}, box, part)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(out, []byte("begin")) || !bytes.Equal(out[5:], alone) {
			t.Errorf("with room for %d bytes: an update appended something else", room)
		}
	}
}

func testSize(t *testing.T, s *subject) {
	r := s.random(t)
	size := s.bound.Size()
	for range thorough.Least(1, 2, 8) {
		n := len(s.encode(t, s.sample(r, s.Shape)))
		if size.Known && n > size.N || size.Exact && n != size.N {
			t.Errorf("%d bytes, said to be %+v", n, size)
		}
	}
}

func testMetadata(t *testing.T, s *subject) {
	first, err := json.Marshal(s.chain)
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.registry.ParseList(first)
	if err != nil {
		t.Fatalf("%s cannot be read back: %v", first, err)
	}
	second, err := json.Marshal(again)
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("%s became %s, %v", first, second, err)
	}
	bound, err := again.Bind(s.spec)
	if err != nil {
		t.Fatal(err)
	}
	src := s.sample(s.random(t), s.Shape)
	out, err := bound.Encode(context.Background(), s.chunk(), nil, src)
	if err != nil || !bytes.Equal(out, s.encode(t, src)) {
		t.Errorf("the chain that was read back encodes differently, %v", err)
	}
}

func testCache(t *testing.T, s *subject) {
	r := s.random(t)
	want := s.sample(r, s.Shape)
	data := s.encode(t, want)
	ck := s.chunk()
	ck.Cache = codec.NewCache(1 << 20).Lease("c/0")
	defer ck.Cache.Close()
	for range thorough.Least(2, 3, 6) {
		box := randomBox(r, s.Shape)
		for _, src := range sources(data) {
			s.compare(t, "box", s.decode(t, ck, src, box), want.Box(box))
		}
	}
}

func testConcurrent(t *testing.T, s *subject) {
	r := s.random(t)
	chunks := make([]nd.View, 3)
	data := make([][]byte, len(chunks))
	for i := range chunks {
		chunks[i] = s.sample(r, s.Shape)
		data[i] = s.encode(t, chunks[i])
	}
	var wg sync.WaitGroup
	for k := range 6 {
		want, enc := chunks[k%len(chunks)], data[k%len(chunks)]
		wg.Go(func() {
			for range thorough.Of(1, 4) {
				out, err := s.bound.Encode(context.Background(), s.chunk(), nil, want)
				if err != nil || !bytes.Equal(out, enc) {
					t.Errorf("encoded differently beside others, %v", err)
					return
				}
				dst := s.empty(s.Shape)
				if err := s.bound.Decode(context.Background(), s.chunk(), &codec.Memory{Bytes: out}, s.whole(), dst); err != nil {
					t.Error(err)
					return
				}
				if !s.values(dst).equal(s.values(want)) {
					t.Error("decoded differently beside others")
					return
				}
			}
		})
	}
	wg.Wait()
}

func testCancelled(t *testing.T, s *subject) {
	data := s.encode(t, s.sample(s.random(t), s.Shape))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := s.bound.Decode(ctx, s.chunk(), &Source{Data: data}, s.whole(), s.empty(s.Shape))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
