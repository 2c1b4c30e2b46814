package beam

import (
	"encoding/json"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/omnizarr/zarr/job/spread"
)

// plan is what workers are told of a job; it travels with every step of the pipeline.
type plan struct {
	Spec    spread.Spec
	Stages  []spread.Stage
	Tries   int
	AtOnce  int
	Scratch string // where the answer is put
	Answer  string // its key there
}

// pipeline makes the steps of a job: for each stage, its items are told, shuffled so that
// they are spread over workers, and done; what came of them meets in one place, behind
// which nothing starts before all is there. The last such place finishes the job.
//
// Elements are indices of items and what is to be told of them, never data.
func pipeline(p plan) (*beam.Pipeline, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("describe the job: %w", err)
	}
	b, s := beam.NewPipelineWithRoot()
	done := beam.ParDo(s, &begin{}, beam.Impulse(s))
	for i, stage := range p.Stages {
		s := s.Scope(fmt.Sprintf("%d %s", i, stage.Name))
		items := beam.ParDo(s, &expand{Stage: i, Items: stage.Items}, beam.GroupByKey(s, done))
		done = beam.ParDo(s, &do{Plan: text, Stage: i}, beam.Reshuffle(s, items))
	}
	beam.ParDo0(s, &finish{Plan: text}, beam.GroupByKey(s, done))
	return b, nil
}
