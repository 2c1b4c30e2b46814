// Package spread cuts jobs into items that may be done anywhere, in any order, more
// than once: by the goroutines of one process, by processes that know nothing of each
// other, or by a system that runs work on many machines.
//
// A Job is planned from metadata alone, so that every process which opens the same Spec
// sees the same stages and items. An Executor runs it: Pool in this process, Part one
// share of it; others, such as Beam, are modules of their own. Package job/request has
// the jobs of the command; Map and Reduce make one of a program's own function over the
// blocks of an array.
package spread

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Spec names a job so that another process can make it again: a registered kind, and
// what was asked for.
type Spec struct {
	Kind    string          `json:"kind"`
	Request json.RawMessage `json:"request"`
}

// Stage is work whose items need no other item of the same stage, and all of the stage
// before.
type Stage struct {
	Name  string
	Items int
}

// Job is work that is planned. Its methods may be called by several goroutines.
type Job interface {
	// Stages are in order. There may be none, if nothing is left to do.
	Stages() []Stage
	// Do does one item; doing it twice, or at once elsewhere, changes nothing. What it
	// gives is small, or nil.
	Do(ctx context.Context, stage, item int) ([]byte, error)
	// Finish is called when all is done, by one process or by several, with what items
	// gave, in order; calling it again changes nothing. What it gives is the result of the
	// job, as JSON.
	Finish(ctx context.Context, results Results) ([]byte, error)
	// Close gives up the job. One that is not finished can be opened again.
	Close() error
}

// Results gives what the items of a stage gave, by their numbers and in order. Items that
// gave nothing may be left out.
type Results func(stage int) iter.Seq2[int, []byte]

// Opener makes a job of what was asked for. Nothing is asked of it but metadata.
type Opener func(ctx context.Context, request json.RawMessage) (Job, error)

// Executor runs a job to its end, and gives its result.
type Executor interface {
	Run(ctx context.Context, s Spec) ([]byte, error)
}

var kinds struct {
	sync.RWMutex
	open map[string]Opener
}

// Register adds a kind of job for the whole process; it is called from init functions,
// so that a process which imports a package can do its jobs. A name that is taken is a
// mistake of the program, and panics.
func Register(kind string, open Opener) {
	kinds.Lock()
	defer kinds.Unlock()
	if kinds.open == nil {
		kinds.open = map[string]Opener{}
	}
	if _, taken := kinds.open[kind]; taken || kind == "" {
		panic(fmt.Sprintf("spread: the kind of job %q is registered already", kind))
	}
	kinds.open[kind] = open
}

// Open makes the job that a Spec names.
func Open(ctx context.Context, s Spec) (Job, error) {
	kinds.RLock()
	open := kinds.open[s.Kind]
	known := strings.Join(slices.Sorted(maps.Keys(kinds.open)), ", ")
	kinds.RUnlock()
	if open == nil {
		return nil, fmt.Errorf("open a job of the kind %q: this program knows %s; import the package that registers it", s.Kind, known)
	}
	j, err := open(ctx, s.Request)
	if err != nil {
		return nil, err
	}
	return j, nil
}

// NewSpec names a job by a kind and what is asked for, which becomes JSON.
func NewSpec(kind string, request any) (Spec, error) {
	text, err := json.Marshal(request)
	return Spec{kind, text}, err
}
