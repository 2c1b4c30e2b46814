package beam

import (
	"context"
	"encoding/json"
	"fmt"
	"path"

	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

// answer is what a job gave, or why it could not be done. Pipelines give nothing back to who
// started them, so it goes through a value in a store that both reach.
type answer struct {
	Result  []byte `json:"result,omitempty"`
	Problem string `json:"problem,omitempty"`
}

// at opens the place of the answer.
func (p *plan) at(ctx context.Context) (locate.Location, string, error) {
	l, err := locate.Open(ctx, p.Scratch, locate.Options{Create: true, AsFolder: true})
	if err != nil {
		return l, "", fmt.Errorf("open the place for the answer: %w", err)
	}
	return l, path.Join(l.Path, p.Answer), nil
}

func (a answer) put(ctx context.Context, p plan) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	l, key, err := p.at(ctx)
	if err != nil {
		return err
	}
	defer l.Close()
	if _, err := l.Store.Put(ctx, key, text, store.PutOptions{}); err != nil {
		return fmt.Errorf("put the answer: %w", err)
	}
	return nil
}

// take reads the answer and removes it.
func (p *plan) take(ctx context.Context) (a answer, err error) {
	l, key, err := p.at(ctx)
	if err != nil {
		return a, err
	}
	defer l.Close()
	text, _, err := l.Store.Get(ctx, key, store.All(), nil)
	if err != nil {
		return a, fmt.Errorf("get the answer: %w", err)
	}
	if err := json.Unmarshal(text, &a); err != nil {
		return a, fmt.Errorf("read the answer: %w", err)
	}
	return a, l.Store.Delete(ctx, key)
}
