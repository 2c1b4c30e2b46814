package store_test

import (
	"errors"
	"testing"

	"github.com/omnizarr/zarr/store"
)

func TestBudget(t *testing.T) {
	var none *store.Budget
	b := store.NewBudget(2)
	for i := range 4 {
		if err := none.Take(); err != nil {
			t.Error(err)
		}
		if err := b.Take(); errors.Is(err, store.ErrBudget) != (i >= 2) {
			t.Errorf("request %d: %v", i, err)
		}
	}
	if n := (store.Remote{}).InFlight(); n != 64 {
		t.Error(n)
	}
	if n := (store.Remote{Requests: 3}).InFlight(); n != 3 {
		t.Error(n)
	}
}
