package beam

import (
	"context"
	"testing"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
)

// Two task managers have the same names for their workers: who is done with one of them must
// not end that of the other.
func TestStopWorkerEndsNobodyElse(t *testing.T) {
	ended := false
	p := &Pool{workers: map[identity]context.CancelFunc{{"127.0.0.1:2", "1-2"}: func() { ended = true }}}
	if _, err := p.StopWorker(t.Context(), &fnpb.StopWorkerRequest{WorkerId: "1-2"}); err != nil || ended {
		t.Errorf("the worker of another was ended: %v, %v", ended, err)
	}
}
