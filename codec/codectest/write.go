package codectest

import (
	"context"
	"errors"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/thorough"
)

func testUpdate(t *testing.T, s *subject) {
	r := s.random(t)
	model := s.sample(r, s.Shape)
	data := s.encode(t, model)
	for i := range thorough.Least(2, 4, 10) {
		box := randomBox(r, s.Shape)
		part := s.layout([]string{"C order", "Fortran order", "backwards", "with gaps"}[i%4], box.Shape)
		dtype.Copy(s.typ, part, s.sample(r, box.Shape))
		dtype.Copy(s.typ, model.Box(box), part)
		ck := s.chunk()
		if i%2 == 0 {
			ck = s.keeping()
		}
		old := sources(data)[i%4]
		out, err := s.bound.Update(context.Background(), ck, nil, old, box, part)
		if errors.Is(err, codec.ErrEmpty) && !ck.Limits.KeepEmpty && s.spec.IsFill(model) {
			continue
		}
		if err != nil {
			t.Fatalf("update of %v: %v", box, err)
		}
		data = out
		s.compare(t, "after an update", s.decode(t, s.chunk(), &codec.Memory{Bytes: data}, s.whole()), model)
	}
}

func testUpdateMissing(t *testing.T, s *subject) {
	r := s.random(t)
	for range thorough.Of(1, 4) {
		box := randomBox(r, s.Shape)
		part := s.sample(r, box.Shape)
		model := s.empty(s.Shape)
		s.spec.FillView(model)
		dtype.Copy(s.typ, model.Box(box), part)
		out, err := s.bound.Update(context.Background(), s.keeping(), nil, nil, box, part)
		if err != nil {
			t.Fatal(err)
		}
		s.compare(t, "new chunk", s.decode(t, s.chunk(), &codec.Memory{Bytes: out}, s.whole()), model)
	}
}

func testEmpty(t *testing.T, s *subject) {
	fill := s.empty(s.Shape)
	s.spec.FillView(fill)
	if !s.spec.IsFill(fill) {
		t.Fatal("memory that was filled is not seen as such")
	}
	whole := s.encode(t, fill)
	s.compare(t, "chunk of fill values", s.decode(t, s.chunk(), &codec.Memory{Bytes: whole}, s.whole()), fill)
	for _, old := range []codec.Source{nil, &codec.Memory{Bytes: whole}, &Source{Data: whole}} {
		out, err := s.bound.Update(context.Background(), s.chunk(), nil, old, s.whole(), fill)
		if !errors.Is(err, codec.ErrEmpty) {
			t.Errorf("update of %T with fill values: got %d bytes, %v", old, len(out), err)
		}
		if _, err := s.bound.Update(context.Background(), s.keeping(), nil, old, s.whole(), fill); err != nil {
			t.Errorf("update that keeps empty chunks: %v", err)
		}
	}
	r := s.random(t)
	full := s.encode(t, s.sample(r, s.Shape))
	if _, err := s.bound.Update(context.Background(), s.chunk(), nil, &codec.Memory{Bytes: full}, s.whole(), fill); !errors.Is(err, codec.ErrEmpty) {
		t.Errorf("got %v where everything was set to the fill value", err)
	}
}
