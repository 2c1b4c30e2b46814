package jobs_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff/jobs"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store/mem"
)

// An image names a level that is not there.
func ExampleKind_Rules() {
	ctx := context.Background()
	s := mem.New()
	g, err := zarr.CreateGroupIn(ctx, s, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	attrs, err := meta.ParseAttributes([]byte(`{"ome": {"version": "0.5", "multiscales": [{
		"axes": [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}],
		"datasets": [{"path": "s0", "coordinateTransformations": [{"type": "scale", "scale": [1, 1]}]}]}]}}`))
	if err == nil {
		err = g.SetAttributes(ctx, attrs)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := check.Validate(ctx, s, "", check.ValidateOptions{Rules: []check.Rules{(&jobs.Kind{}).Rules()}})
	fmt.Println(report.OK, err)
	for _, p := range report.Problems {
		fmt.Println(p.Path, p.Rule, p.Problem)
	}
	// Output:
	// false <nil>
	// / ome-ngff multiscales[0].datasets[0].path: there is no array "s0"
}
