package request

import (
	"context"
	"encoding/json"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/spread"
	"github.com/omnizarr/zarr/kind"
)

// Verify asks for everything that a URL names to be read and decoded.
type Verify struct {
	Open
	URL     string  `json:"url"`
	Sample  float64 `json:"sample,omitempty"` // see check.VerifyOptions
	Missing bool    `json:"missing,omitempty"`
	Strict  bool    `json:"strict,omitempty"`
	// Items is how many a job has; the default is 64.
	Items int `json:"items,omitempty"`
}

// Spec is the check as a job that may be sent to other processes.
func (v Verify) Spec() (spread.Spec, error) { return spread.NewSpec("verify", v) }

// Subject opens what is verified.
func (v Verify) Subject(ctx context.Context, kinds kind.List) (*convention.Subject, error) {
	return v.Find(ctx, kinds, v.URL, v.open()...)
}

func (v Verify) open() (opts []zarr.Option) {
	if v.Strict {
		opts = append(opts, zarr.Strict())
	}
	return opts
}

// Run verifies a part, of is 0 for all.
func (v Verify) Run(ctx context.Context, kinds kind.List, s *convention.Subject, part, of int, progress func(job.Progress)) (check.Report, error) {
	var apart []string
	if s.IsFile() {
		if schemas := s.Object.Schemas(ctx); schemas != nil {
			apart = append(apart, schemas.Path)
		}
	}
	return check.Verify(ctx, s.Node, check.VerifyOptions{
		Workers: v.Workers, Progress: progress, Apart: apart, Open: v.Options(kinds, append(v.open(), zarr.ReadOnly())...),
		Sample: v.Sample, FailMissing: v.Missing, Inspect: kinds.Inspections(), Finishers: kinds.Finishers(), Part: part, Of: of,
	})
}

// verified is what a part says.
type verified struct {
	Report  check.Report `json:"report"`
	Missing bool         `json:"missing"`
}

// Part verifies a part, for MergeVerify.
func (v Verify) Part(ctx context.Context, kinds kind.List, s *convention.Subject, part, of int, progress func(job.Progress)) (Part, error) {
	report, err := v.Run(ctx, kinds, s, part, of, progress)
	if err != nil {
		return Part{}, err
	}
	found, err := json.Marshal(verified{report, v.Missing})
	return Part{"verify", v.URL, part, of, digest(v.URL, v.Sample, v.Missing, v.Strict, v.NoConsolidated, job.Metadata(s.Node)), found}, err
}

// MergeVerify makes one report of those of all parts. One that is there twice counts once.
func MergeVerify(parts []Part) (r check.Report, err error) {
	if parts, err = whole(parts); err != nil {
		return r, err
	}
	var reports []check.Report
	missing := false
	for _, p := range parts {
		var found verified
		if err := strictjson.Unmarshal(p.Found, &found); err != nil {
			return r, err
		}
		reports, missing = append(reports, found.Report), found.Missing
	}
	return check.Join(reports, missing), nil
}

func init() {
	spread.Register("verify", func(ctx context.Context, request json.RawMessage) (spread.Job, error) {
		var v Verify
		if err := strictjson.Unmarshal(request, &v); err != nil {
			return nil, err
		}
		return openParts(ctx, v.Open, v.Items, v.Subject, v.Part, func(parts []Part) (any, error) { return MergeVerify(parts) })
	})
}

// partsJob is a job whose items are parts.
type partsJob struct {
	subject *convention.Subject
	items   int
	part    func(ctx context.Context, part, of int) (Part, error)
	merge   func([]Part) (any, error)
}

const defaultItems = 64

func openParts(ctx context.Context, o Open, items int, find func(context.Context, kind.List) (*convention.Subject, error),
	part func(ctx context.Context, kinds kind.List, s *convention.Subject, part, of int, progress func(job.Progress)) (Part, error), merge func([]Part) (any, error)) (spread.Job, error) {
	kinds, err := o.Kinds()
	if err != nil {
		return nil, err
	}
	s, err := find(ctx, kinds)
	if err != nil {
		return nil, err
	}
	if items <= 0 {
		items = defaultItems
	}
	return &partsJob{s, items, func(ctx context.Context, n, of int) (Part, error) { return part(ctx, kinds, s, n, of, nil) }, merge}, nil
}

// Stages is one.
func (j *partsJob) Stages() []spread.Stage { return []spread.Stage{{Name: "parts", Items: j.items}} }

// Do gives what is found in a part.
func (j *partsJob) Do(ctx context.Context, _, item int) ([]byte, error) {
	p, err := j.part(ctx, item+1, j.items)
	if err != nil {
		return nil, err
	}
	return json.Marshal(p)
}

// Finish joins what was found.
func (j *partsJob) Finish(_ context.Context, results spread.Results) ([]byte, error) {
	var parts []Part
	for _, text := range results(0) {
		var p Part
		if err := strictjson.Unmarshal(text, &p); err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	all, err := j.merge(parts)
	if err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// Close gives up what was opened.
func (j *partsJob) Close() error { return j.subject.Close() }
