// Package beam runs jobs of Omnizarr on Apache Beam: in this process by its runner Prism,
// and on many machines by Flink, Spark, Dataflow or any other runner that takes portable
// pipelines. A job is what package spread knows, so that what a pool does on one machine is
// done on many, from the same code and with the same bytes.
package beam

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/omnizarr/zarr/job/spread"
)

// Executor runs jobs on a runner of Beam. The zero value runs them in this process, for trying.
type Executor struct {
	// Endpoint is the HOST:PORT of a job service, such as the job servers of Flink and Spark
	// are; "" is Prism in this process.
	Endpoint string
	// Workers is the HOST:PORT of a pool, see Serve, as the runner reaches it; "" is one in
	// this process, for runners on this machine.
	Workers string
	// Scratch is the URL of a folder that workers and this process reach, for the answer of
	// a job. "" is a temporary folder of this machine.
	Scratch string
	// Parallelism is how many bundles the runner has under way at once; 0 leaves it to the runner.
	Parallelism int
	// AtOnce is how many items of a bundle are done at once; 0 is one.
	AtOnce int
	// Tries is how often an item is tried before the job has failed; 0 is four times.
	Tries int
	// Dataflow runs jobs there, which starts its own workers; Endpoint and Workers are not for it.
	Dataflow *Dataflow
	// State is told when the runner says how the job goes: RUNNING, DONE.
	State func(string)
	// Name is what the job is called where the runner shows it; "" is omnizarr with its kind.
	Name string
}

var _ spread.Executor = Executor{}

// Run runs a job to its end. When the context ends, the runner is told to cancel it.
func (e Executor) Run(ctx context.Context, spec spread.Spec) ([]byte, error) {
	initialize()
	p, release, err := e.plan(ctx, spec)
	if err != nil {
		return nil, err
	}
	defer release()
	if e.Dataflow != nil {
		return e.answered(ctx, p, e.Dataflow.run(ctx, e.name(p), p))
	}
	ctx, cancel := context.WithCancel(ctx)
	pool, err := e.pool(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	defer pool.wait()
	defer cancel()
	return e.answered(ctx, p, e.submit(ctx, p, pool.addr))
}

// answered is what a job gave that has ended, if it has not failed.
func (e Executor) answered(ctx context.Context, p plan, failed error) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a, err := p.take(ctx)
	switch {
	case a.Problem != "":
		return nil, errors.New(a.Problem)
	case failed != nil:
		return nil, fmt.Errorf("%s: %w", e.where(), failed)
	case err != nil:
		return nil, fmt.Errorf("%s: the job has ended, but %w", e.where(), err)
	}
	return a.Result, nil
}

func (e Executor) where() string {
	switch {
	case e.Dataflow != nil:
		return "run on Dataflow"
	case e.Endpoint == "":
		return "run in this process"
	}
	return "run at " + e.Endpoint
}

// plan opens a job to see what it is made of, and prepares the place of its answer.
func (e Executor) plan(ctx context.Context, spec spread.Spec) (p plan, release func(), err error) {
	job, err := spread.Open(ctx, spec)
	if err != nil {
		return p, nil, err
	}
	p = plan{Spec: spec, Stages: job.Stages(), Tries: e.Tries, AtOnce: e.AtOnce, Scratch: e.Scratch}
	if err := job.Close(); err != nil {
		return p, nil, err
	}
	if p.Tries == 0 {
		p.Tries = 4
	}
	p.Answer = ".omnizarr-answer-" + strings.ToLower(rand.Text())
	release = func() {}
	if p.Scratch == "" {
		if p.Scratch, err = os.MkdirTemp("", "omnizarr-beam-"); err != nil {
			return p, nil, err
		}
		release = func() { os.RemoveAll(p.Scratch) }
	}
	return p, release, nil
}

type runningPool struct {
	addr string
	done chan error
}

func (p runningPool) wait() {
	if p.done != nil {
		<-p.done
	}
}

// pool gives the pool of workers: that of the executor, which must be there, or one that
// lasts as long as the context.
func (e Executor) pool(ctx context.Context) (runningPool, error) {
	if e.Workers != "" {
		c, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, "tcp", e.Workers)
		if err != nil {
			return runningPool{}, fmt.Errorf("look for workers at %s: %w (start them there: omnizarr-beam worker)", e.Workers, err)
		}
		c.Close()
		return runningPool{addr: e.Workers}, nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return runningPool{}, err
	}
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, l) }()
	return runningPool{l.Addr().String(), done}, nil
}

// local is Prism, once for the process: it cannot be ended.
var local = sync.OnceValues(func() (jobpb.JobServiceClient, error) {
	return prism.CreateJobServer(context.Background(), prism.Options{})
})

// client reaches the job service.
func (e Executor) client(ctx context.Context) (jobpb.JobServiceClient, func(), error) {
	if e.Endpoint == "" {
		c, err := local()
		return c, func() {}, err
	}
	c, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, "tcp", e.Endpoint)
	if err != nil {
		return nil, nil, fmt.Errorf("look for the job service: %w", err)
	}
	c.Close()
	conn, err := grpc.NewClient(e.Endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)))
	if err != nil {
		return nil, nil, err
	}
	return jobpb.NewJobServiceClient(conn), func() { conn.Close() }, nil
}

// submit gives a pipeline to the job service and waits until it has ended.
func (e Executor) submit(ctx context.Context, p plan, workers string) error {
	model, err := translated(ctx, p, workers)
	if err != nil {
		return err
	}
	// Workers are there already. The service wants a program for them nevertheless.
	none, err := os.CreateTemp("", "omnizarr-beam-none-")
	if err != nil {
		return err
	}
	defer os.Remove(none.Name())
	none.Close()
	if err := runnerlib.UpdateGoEnvironmentWorker(none.Name(), model); err != nil {
		return err
	}
	client, hangUp, err := e.client(ctx)
	if err != nil {
		return err
	}
	defer hangUp()
	opt := &runnerlib.JobOptions{Name: e.name(p), Parallelism: e.Parallelism}
	if opt.Parallelism == 0 {
		opt.Parallelism = -1
	}
	prepared, artifacts, session, err := runnerlib.Prepare(ctx, client, model, opt)
	if err != nil {
		return err
	}
	token, err := runnerlib.Stage(ctx, prepared, artifacts, none.Name(), session)
	if err != nil {
		return err
	}
	id, err := runnerlib.Submit(ctx, client, prepared, token)
	if err != nil {
		return err
	}
	err = e.ended(ctx, client, id)
	if ctx.Err() != nil {
		bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		client.Cancel(bye, &jobpb.CancelJobRequest{JobId: id}) // who interrupts does not wait to hear that it failed
	}
	return err
}

// ended waits until a job has ended. Runners tell much of what went wrong, with traces of
// their own; the first line says what.
func (e Executor) ended(ctx context.Context, client jobpb.JobServiceClient, id string) error {
	messages, err := client.GetMessageStream(ctx, &jobpb.JobMessagesRequest{JobId: id})
	if err != nil {
		return err
	}
	failed, why := false, ""
	for !failed || why == "" {
		m, err := messages.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if said := m.GetMessageResponse(); said.GetImportance() >= jobpb.JobMessage_JOB_MESSAGE_ERROR && why == "" {
			why, _, _ = strings.Cut(strings.TrimSpace(said.GetMessageText()), "\n")
		}
		if m.GetStateResponse() == nil {
			continue
		}
		state := m.GetStateResponse().GetState()
		if e.State != nil {
			e.State(state.String())
		}
		switch state {
		case jobpb.JobState_DONE:
			return nil
		case jobpb.JobState_CANCELLED:
			return errors.New("the job was cancelled")
		case jobpb.JobState_FAILED:
			failed = true
		}
	}
	return fmt.Errorf("the job failed: %s", cmp.Or(why, "the runner does not say why"))
}

func (e Executor) name(p plan) string {
	if e.Name != "" {
		return e.Name
	}
	return "omnizarr-" + p.Spec.Kind
}

// translated is the pipeline of a job as runners take it.
func translated(ctx context.Context, p plan, workers string) (*pipepb.Pipeline, error) {
	b, err := pipeline(p)
	if err != nil {
		return nil, err
	}
	edges, _, err := b.Build()
	if err != nil {
		return nil, err
	}
	environment, err := graphx.CreateEnvironment(ctx, graphx.URNEnvExternal, func(context.Context) string { return workers })
	if err != nil {
		return nil, err
	}
	return graphx.Marshal(edges, &graphx.Options{Environment: environment})
}
