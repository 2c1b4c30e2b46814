package request_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/job/request"
	"github.com/omnizarr/zarr/job/spread"
	"github.com/omnizarr/zarr/store"
)

// image makes an array of noise, which no two blocks have in common.
func image(t *testing.T, url string) {
	t.Helper()
	rows, columns := thorough.Of(75, 150), thorough.Of(85, 170)
	a, err := zarr.CreateArray(t.Context(), url, zarr.ArraySpec{Shape: []int{rows, columns}, Chunks: []int{rows, 16}, DataType: "uint16", DimensionNames: []string{"y", "x"}})
	jobtest.Check(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	data := make([]uint16, rows*columns)
	for i := range data {
		data[i] = uint16(random.Uint32())
	}
	jobtest.Check(t, zarr.Write(t.Context(), a, zarr.All(), data))
	jobtest.Check(t, a.Close())
}

// files are all of a folder, hidden ones too.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	jobtest.Check(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, dir)] = string(text)
		return err
	}))
	return out
}

// session makes an HDMF file with all that is copied in its own way.
func session(t *testing.T) string {
	t.Helper()
	url := filepath.Join(t.TempDir(), "session.zarr")
	numbers := make([]int32, 1000)
	for i := range numbers {
		numbers[i] = int32(i * i)
	}
	jobtest.Check(t, write.Create(t.Context(), url, &write.Group{Datasets: map[string]*write.Dataset{
		"data":  {Data: write.Numbers(numbers, 100, 10), Chunks: []int{7, 10}},
		"words": {Data: write.Text([]string{"a", "b", "c"})},
		"refs":  {Data: write.References([]hdmf.Reference{{Source: ".", Path: "/data"}, {Source: ".", Path: "/words"}})},
	}}, write.Options{}))
	return url
}

// deepSession makes an HDMF file with an array whose chunks are planes.
func deepSession(t *testing.T) string {
	t.Helper()
	url := filepath.Join(t.TempDir(), "deep.zarr")
	jobtest.Check(t, write.Create(t.Context(), url, &write.Group{Datasets: map[string]*write.Dataset{
		"data":  {Data: write.Numbers(jobtest.Count[int16](32*128*128), 32, 128, 128), Chunks: []int{1, 128, 128}},
		"words": {Data: write.Text([]string{"a", "b", "c"})},
	}}, write.Options{}))
	return url
}

// requests are copies of all kinds that several processes can make.
func requests(t *testing.T) map[string]request.Copy {
	src, planes := filepath.Join(t.TempDir(), "image.zarr"), filepath.Join(t.TempDir(), "planes.zarr")
	image(t, src)
	volume(t, planes)
	pyramid := func(more map[string]string) request.Open {
		flags := map[string]string{"pyramid": "true", "levels": "4"}
		for name, value := range more {
			flags[name] = value
		}
		return request.Open{Flags: flags}
	}
	return map[string]request.Copy{
		"chunks as bytes": {From: src},
		"shards":          {From: src, Chunks: []int{8, 8}, Shards: []int{16, 32}, Memory: 1 << 20},
		"type":            {From: src, DataType: "float64", Verify: true, Laid: []string{"data-type"}},
		"zarr2":           {From: src, Format: "zarr2", Chunks: []int{20, 20}},
		"n5":              {From: src, Format: "n5", Chunks: []int{20, 20}},
		"pyramid":         {From: src, Chunks: []int{8, 8}, Open: pyramid(nil), Verify: true},
		"pyramid shards":  {From: src, Chunks: []int{8, 8}, Shards: []int{16, 16}, Open: pyramid(nil)},
		"old pyramid":     {From: src, Chunks: []int{16, 16}, Format: "zarr2", Open: pyramid(nil)},
		"uneven pyramid":  {From: src, Chunks: []int{8, 8}, Open: pyramid(map[string]string{"factor": "3,2"})},
		"session":         {From: session(t)},
		"old session":     {From: session(t), Format: "zarr2"},
		"between session": {From: deepSession(t), Chunks: []int{32, 16, 16}, Memory: between, Laid: []string{"chunks"}},
		"between":         {From: planes, Chunks: []int{32, 16, 16}, Memory: between},
		"between, read":   {From: planes, Chunks: []int{32, 16, 16}, Memory: between, Verify: true, DataType: "int32", Laid: []string{"data-type"}},
	}
}

// between is so little memory that planes become columns by way of another array.
const between = 1 << 20

// volume makes an array whose chunks are planes.
func volume(t *testing.T, url string) {
	t.Helper()
	a, err := zarr.CreateArray(t.Context(), url, zarr.ArraySpec{Shape: []int{32, 128, 128}, Chunks: []int{1, 128, 128}, DataType: "int16", Codecs: []byte(`[{"name": "bytes", "configuration": {"endian": "little"}}, "crc32c"]`)})
	jobtest.Check(t, err)
	jobtest.Check(t, zarr.Write(t.Context(), a, zarr.Slice("5:"), jobtest.Count[int16](27*128*128)))
	jobtest.Check(t, a.Close())
}

// copied makes a copy, of which f may change the options.
func copied(t *testing.T, c request.Copy, f func(*copying.Options)) (copying.Summary, error) {
	t.Helper()
	set, err := c.Kinds()
	jobtest.Check(t, err)
	r, err := c.Ready(t.Context(), set)
	jobtest.Check(t, err)
	defer r.Close()
	f(&r.Options)
	return r.Copy(t.Context())
}

// Parts in any order, and jobs of any number of processes, make what one process makes,
// to the last hidden byte.
func TestCopiesByMany(t *testing.T) {
	// One of each way: what the others have besides is values, which the race detector does not look at.
	ways := []string{"chunks as bytes", "shards", "n5", "pyramid", "session", "between, read"}
	for name, c := range requests(t) {
		if race.Enabled && !thorough.Enabled && !slices.Contains(ways, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			to := func(name string) request.Copy { c := c; c.To = filepath.Join(dir, name); return c }
			one, err := copied(t, to("one"), func(*copying.Options) {})
			jobtest.Check(t, err)
			want := files(t, filepath.Join(dir, "one"))

			const parts = 3
			order := rand.Perm(parts)
			for i, part := range append(order, order[0]) {
				sum, err := copied(t, to("parts"), func(o *copying.Options) { o.Spread = copying.Share(part+1, parts) })
				jobtest.Check(t, err)
				if sum.Already != (i == parts) {
					t.Errorf("part %d after %d others: %+v", part+1, i, sum)
				}
				if i < parts-1 {
					unfinished(t, to("parts").To)
				}
			}
			jobtest.Same(t, files(t, filepath.Join(dir, "parts")), want)
			if !thorough.Enabled && !slices.Contains(ways, name) {
				return // who shares out the parts is the same
			}

			spec, err := to("pool").Spec()
			jobtest.Check(t, err)
			text, err := spread.Pool{Workers: 3}.Run(t.Context(), spec)
			jobtest.Check(t, err)
			jobtest.Same(t, files(t, filepath.Join(dir, "pool")), want)
			var all copying.Summary
			jobtest.Check(t, json.Unmarshal(text, &all))
			if all.Arrays != one.Arrays || all.Chunks != one.Chunks || all.Passed != one.Passed || all.Empty != one.Empty || all.Written != one.Written || all.Elements != one.Elements || all.Read == 0 {
				t.Errorf("a job says %+v, one process %+v", all, one)
			}
			if way := strings.HasPrefix(name, "between"); way != (all.Between > 0) || way != (one.Between > 0) {
				t.Errorf("between are %d bytes of a job, and %d of one process", all.Between, one.Between)
			}

			together(t, to("together"))
			jobtest.Same(t, files(t, filepath.Join(dir, "together")), want)
		})
	}
}

// unfinished fails if a copy opens.
func unfinished(t *testing.T, url string) {
	t.Helper()
	n, err := zarr.Open(t.Context(), url)
	if err == nil {
		n.Close()
	}
	if !errors.Is(err, store.ErrUnfinished) {
		t.Errorf("it opens before it is complete: %v", err)
	}
}

// together makes a copy by three processes, as far as they know: items come to any of
// them, some twice, and one goes away in the middle.
func together(t *testing.T, c request.Copy) {
	t.Helper()
	spec, err := c.Spec()
	jobtest.Check(t, err)
	var jobs []spread.Job
	for range 3 {
		j, err := spread.Open(t.Context(), spec)
		jobtest.Check(t, err)
		defer j.Close()
		jobs = append(jobs, j)
	}
	for stage, s := range jobs[0].Stages() {
		for n, item := range append(rand.Perm(s.Items), rand.Perm(s.Items)[:s.Items/3]...) {
			if n == s.Items/2 && len(jobs) == 3 {
				jobtest.Check(t, jobs[2].Close())
				jobs = jobs[:2]
			}
			jobtest.Check(t, jobtest.Err(jobs[n%len(jobs)].Do(t.Context(), stage, item)))
		}
	}
	unfinished(t, c.To)
	for _, j := range jobs {
		text, err := j.Finish(t.Context(), nil)
		jobtest.Check(t, err)
		var sum copying.Summary
		jobtest.Check(t, json.Unmarshal(text, &sum))
	}
	late, err := spread.Open(t.Context(), spec)
	jobtest.Check(t, err)
	if len(late.Stages()) != 0 {
		t.Errorf("there is still to do: %v", late.Stages())
	}
	text, err := late.Finish(t.Context(), nil)
	if err != nil || !strings.Contains(string(text), `"already_there":true`) {
		t.Errorf("%s, %v", text, err)
	}
	jobtest.Check(t, late.Close())
}

// A job that is given up leaves what it did, and the next one goes on.
func TestAJobIsOpenedAgain(t *testing.T) {
	dir := t.TempDir()
	image(t, filepath.Join(dir, "image.zarr"))
	volume(t, filepath.Join(dir, "planes.zarr"))
	openedAgain(t, request.Copy{From: filepath.Join(dir, "image.zarr"), To: filepath.Join(dir, "copy.zarr"), Chunks: []int{8, 8}, Memory: 1 << 20})
	openedAgain(t, request.Copy{From: filepath.Join(dir, "planes.zarr"), To: filepath.Join(dir, "columns.zarr"), Chunks: []int{32, 16, 16}, Memory: between})
}

func openedAgain(t *testing.T, c request.Copy) {
	t.Helper()
	spec, err := c.Spec()
	jobtest.Check(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	j, err := spread.Open(ctx, spec)
	jobtest.Check(t, err)
	cancel() // which is for opening alone
	stages := j.Stages()
	for stage, s := range stages { // all but half of the last
		for item := range s.Items {
			if stage < len(stages)-1 || item < s.Items/2 {
				jobtest.Check(t, jobtest.Err(j.Do(t.Context(), stage, item)))
			}
		}
	}
	jobtest.Check(t, j.Close())
	text, err := spread.Pool{}.Run(t.Context(), spec)
	jobtest.Check(t, err)
	var sum copying.Summary
	jobtest.Check(t, json.Unmarshal(text, &sum))
	if sum.Already || sum.Resumed == 0 || sum.Between != 0 || len(stages) > 1 != (c.Memory == between && len(c.Chunks) == 3) {
		t.Errorf("in %d stages: %+v", len(stages), sum)
	}
	for name := range files(t, c.To) {
		if strings.Contains(name, zarr.Between) {
			t.Errorf("%s was left", name)
		}
	}
}

// A process that is late, and does again what others have done of a copy that is complete,
// does no harm, and leaves nothing.
func TestAJobThatIsLate(t *testing.T) {
	dir := t.TempDir()
	c := request.Copy{From: filepath.Join(dir, "planes.zarr"), To: filepath.Join(dir, "columns.zarr"), Chunks: []int{32, 16, 16}, Memory: between}
	volume(t, c.From)
	spec, err := c.Spec()
	jobtest.Check(t, err)
	late, err := spread.Open(t.Context(), spec)
	jobtest.Check(t, err)
	jobtest.Check(t, jobtest.Err(spread.Pool{}.Run(t.Context(), spec)))
	want := files(t, c.To)
	for _, stage := range []int{1, 0, 1} {
		jobtest.Check(t, jobtest.Err(late.Do(t.Context(), stage, 0)))
	}
	jobtest.Check(t, late.Close())
	jobtest.Same(t, files(t, c.To), want)
}

// What is wrong with a request is told when it is opened, and leaves nothing behind.
func TestWrongRequests(t *testing.T) {
	c := request.Copy{From: filepath.Join(t.TempDir(), "image.zarr"), To: filepath.Join(t.TempDir(), "copy.zarr")}
	image(t, c.From)
	for want, f := range map[string]func(c *request.Copy){
		"one process writes it": func(c *request.Copy) { c.Format = "tiff" },
		"replaces nothing":      func(c *request.Copy) { c.Overwrite = true },
		"must be one of":        func(c *request.Copy) { c.Format = "hdf5" },
		"--pad":                 func(c *request.Copy) { c.Pad = "gif" },
		"no such":               func(c *request.Copy) { c.From += "x" },
		"flag nonsense":         func(c *request.Copy) { c.Flags = map[string]string{"nonsense": "1"} },
		"chunks or shards":      func(c *request.Copy) { c.Chunks = []int{1, 2, 3} },
	} {
		other := c
		f(&other)
		spec, err := other.Spec()
		jobtest.Check(t, err)
		if _, err := spread.Open(t.Context(), spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if _, err := os.Stat(c.To); err == nil {
		t.Error("something was made")
	}
}
