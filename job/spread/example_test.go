package spread_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/job/spread"
)

// squares is a job: the sum of the first squares.
type squares struct{ Count int }

func (s *squares) Stages() []spread.Stage { return []spread.Stage{{Name: "squares", Items: s.Count}} }

func (*squares) Do(_ context.Context, _, item int) ([]byte, error) { return json.Marshal(item * item) }

func (*squares) Finish(_ context.Context, results spread.Results) ([]byte, error) {
	sum := 0
	for _, text := range results(0) {
		n := 0
		if err := json.Unmarshal(text, &n); err != nil {
			return nil, err
		}
		sum += n
	}
	return json.Marshal(sum)
}

func (*squares) Close() error { return nil }

func init() {
	spread.Register("squares", func(_ context.Context, request json.RawMessage) (spread.Job, error) {
		s := &squares{}
		return s, json.Unmarshal(request, s)
	})
}

// A job of one's own, run by the goroutines of this process.
func Example() {
	spec, err := spread.NewSpec("squares", squares{Count: 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, err := spread.Pool{}.Run(context.Background(), spec)
	fmt.Println(string(sum), err)
	// Output: 30 <nil>
}
