package beam

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
)

// Pool starts workers in its own process for whoever asks, as Beam's environment EXTERNAL
// wants it. The SDK's own takes a worker's name for its whole identity, but two task
// managers of Flink have the same names for theirs; here it is the name together with
// where the worker is controlled from.
type Pool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer

	ctx     context.Context // ends all workers
	mu      sync.Mutex
	workers map[identity]context.CancelFunc
	busy    sync.WaitGroup
}

type identity struct{ control, name string }

// Serve is a pool behind a listener until the context ends, and until its workers have ended too.
func Serve(ctx context.Context, l net.Listener) error {
	initialize()
	ctx, cancel := context.WithCancel(ctx)
	p := &Pool{ctx: ctx, workers: map[identity]context.CancelFunc{}}
	server := grpc.NewServer()
	fnpb.RegisterBeamFnExternalWorkerPoolServer(server, p)
	stop := context.AfterFunc(ctx, server.Stop)
	defer stop()
	err := server.Serve(l)
	ended := ctx.Err() != nil
	cancel()
	p.busy.Wait()
	if ended || errors.Is(err, grpc.ErrServerStopped) {
		return nil
	}
	return fmt.Errorf("serve workers at %s: %w", l.Addr(), err)
}

// StartWorker starts a worker that is controlled by who asks, and ends when that one has gone.
func (p *Pool) StartWorker(_ context.Context, r *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	control, logging := r.GetControlEndpoint(), r.GetLoggingEndpoint()
	switch {
	case control == nil || logging == nil:
		return &fnpb.StartWorkerResponse{Error: fmt.Sprintf("worker %s: its endpoints are missing", r.GetWorkerId())}, nil
	case control.Authentication != nil || logging.Authentication != nil:
		return &fnpb.StartWorkerResponse{Error: fmt.Sprintf("worker %s: endpoints with authentication cannot be used", r.GetWorkerId())}, nil
	}
	id := identity{control.GetUrl(), r.GetWorkerId()}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.workers[id]; ok {
		return &fnpb.StartWorkerResponse{Error: fmt.Sprintf("worker %s of %s is there already", id.name, id.control)}, nil
	}
	ctx, cancel := context.WithCancel(grpcx.WriteWorkerID(p.ctx, id.name))
	p.workers[id] = cancel
	p.busy.Go(func() {
		defer func() {
			cancel()
			p.mu.Lock()
			delete(p.workers, id)
			p.mu.Unlock()
		}()
		work(ctx, r)
	})
	return &fnpb.StartWorkerResponse{}, nil
}

// StopWorker is told when a runner wants a worker no more, which then ends by itself, since its
// control goes. It is told by name alone: after a restart that name may be another's, of a
// task manager that is at work, so nobody is ended here.
func (p *Pool) StopWorker(context.Context, *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	return &fnpb.StopWorkerResponse{}, nil
}

// work is one worker, from its start to its end, when the jobs that it had open are closed.
func work(ctx context.Context, r *fnpb.StartWorkerRequest) {
	own := &jobs{}
	ctx = context.WithValue(ctx, jobsKey{}, own)
	var opts harness.Options
	if url := r.GetProvisionEndpoint().GetUrl(); url != "" {
		if info, err := tools.ProvisionInfo(ctx, url); err == nil {
			opts.StatusEndpoint = info.GetStatusEndpoint().GetUrl()
			opts.RunnerCapabilities = info.GetRunnerCapabilities()
		}
	}
	err := harness.MainWithOptions(ctx, r.GetLoggingEndpoint().GetUrl(), r.GetControlEndpoint().GetUrl(), opts)
	if err != nil && ctx.Err() == nil {
		log.Warnf(ctx, "worker %s: %v", r.GetWorkerId(), err)
	}
	if err := own.close(); err != nil {
		log.Warnf(ctx, "worker %s: close: %v", r.GetWorkerId(), err)
	}
}

var initialize = sync.OnceFunc(func() {
	hooks.DisableHook(harness.DefaultRemoteLoggingHook) // workers say what they have to say where they run
	hooks.SerializeHooksToOptions()
	log.SetLogger(logger{})
	mine := slog.Default()
	beam.Init()
	slog.SetDefault(mine) // how a program logs is its own affair
})

// logger passes on what Beam says, to where the program logs.
type logger struct{}

func (logger) Log(ctx context.Context, level log.Severity, _ int, text string) {
	switch {
	case level >= log.SevError:
		slog.ErrorContext(ctx, text)
	case level == log.SevWarn:
		slog.WarnContext(ctx, text)
	default:
		slog.DebugContext(ctx, text)
	}
}
