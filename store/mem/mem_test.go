package mem

import (
	"bytes"
	"context"
	"testing"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return New() })
}

func TestSub(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		s := New()
		for _, key := range []string{"in/side", "in/sid/ex", "other", "in"} {
			if _, err := s.Put(context.Background(), key, []byte("outside"), store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		sub, err := store.Sub(s, "in/side")
		if err != nil {
			t.Fatal(err)
		}
		return sub
	})
}

func TestSharedByName(t *testing.T) {
	a, b, other := Shared(t.Name()), Shared(t.Name()), Shared(t.Name()+"/2")
	if a != b || a == other {
		t.Error("stores of one name must be one, others not")
	}
	if a.URL() != "mem:"+t.Name() {
		t.Errorf("URL %q", a.URL())
	}
}

func TestOpenObjectKeepsItsValue(t *testing.T) {
	ctx, s := context.Background(), New()
	if _, err := s.Put(ctx, "k", []byte("old"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Open(ctx, "k")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(ctx, "k"); err != nil {
		t.Fatal(err)
	}
	if b, _, err := o.Get(ctx, store.All(), nil); err != nil || !bytes.Equal(b, []byte("old")) {
		t.Errorf("got %q, %v", b, err)
	}
}

func TestKeyMayBePrefix(t *testing.T) {
	ctx, s := context.Background(), New()
	for _, key := range []string{"a/b", "a"} {
		if _, err := s.Put(ctx, key, nil, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for e, err := range s.List(ctx, "", "/") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Key)
	}
	if len(got) != 2 || got[0] != "a" || got[1] != "a/" {
		t.Errorf("got %q", got)
	}
}
