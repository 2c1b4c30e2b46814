package scene_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/omnizarr/zarr/internal/scene"
)

// share is how many of the values are as asked.
func share[T any](values []T, is func(T) bool) float64 {
	n := 0
	for _, v := range values {
		if is(v) {
			n++
		}
	}
	return float64(n) / float64(len(values))
}

func between(t *testing.T, what string, got, least, most float64) {
	t.Helper()
	if got < least || got > most {
		t.Errorf("%s: %.3f, wanted %.3f to %.3f", what, got, least, most)
	}
}

// A picture in which all is black, or all the same, would pass for data otherwise.
func TestThereIsSomethingToBeSeen(t *testing.T) {
	red := scene.Tissue(320, 240)[:320*240]
	between(t, "glass", share(red, func(v byte) bool { return v > 225 }), 0.2, 0.9)
	between(t, "nuclei", share(red, func(v byte) bool { return v < 110 }), 0.005, 0.4)

	grey, neurites := scene.Brain(6, 64, 96)
	between(t, "membranes", share(grey, func(v uint8) bool { return v < 80 }), 0.05, 0.5)
	between(t, "distinct neurites", float64(len(slices.Compact(slices.Sorted(slices.Values(neurites))))), 5, 60)

	channels, nuclei := scene.Cells(0, 3, 192, 256)
	for c, ch := range channels {
		between(t, fmt.Sprintf("light in channel %d", c), share(ch, func(v uint16) bool { return v > 220 }), 0.0005, 0.6)
	}
	between(t, "labelled", share(nuclei, func(v uint16) bool { return v > 0 }), 0.005, 0.5)
	between(t, "nuclei that are bright", share(nuclei, func(v uint16) bool { return v == 0 }), 0.5, 0.995)
	for i, v := range nuclei {
		if v > 0 && channels[0][i] < 150 {
			t.Fatalf("a voxel of nucleus %d is dark: %d", v, channels[0][i])
		}
	}

	land := 0
	for lat := -85.0; lat < 90; lat += 10 {
		for lon := -180.0; lon < 180; lon += 10 {
			if scene.Height(lat, lon) > 0 {
				land++
			}
		}
	}
	between(t, "land", float64(land)/(18*36), 0.2, 0.8)
	if summer, winter := scene.Temperature(100, 50, 0, 0.54), scene.Temperature(100, 50, 0, 0.04); summer < winter+10 {
		t.Errorf("summer has %.1f degrees, winter %.1f", summer, winter)
	}
}

func TestTheSameEveryTime(t *testing.T) {
	a, _ := scene.Cells(1, 2, 64, 64)
	b, _ := scene.Cells(1, 2, 64, 64)
	if !slices.Equal(a[0], b[0]) || !slices.Equal(scene.Tissue(64, 48), scene.Tissue(64, 48)) {
		t.Error("a picture differs from itself")
	}
	if c, _ := scene.Cells(2, 2, 64, 64); slices.Equal(a[0], c[0]) {
		t.Error("cells do not move")
	}
}

func TestSpikesFollowLights(t *testing.T) {
	s := scene.NewSession(40, 8)
	if len(s.Field) != 40*int(s.Rate)*scene.Probes || len(s.Spikes) != 8 || len(s.Where) != 2*40*int(s.WhereAll) {
		t.Fatal(len(s.Field), len(s.Spikes), len(s.Where))
	}
	during, all := 0, 0
	for _, times := range s.Spikes {
		if !slices.IsSorted(times) {
			t.Error("spikes are out of order")
		}
		for _, at := range times {
			all++
			if slices.ContainsFunc(s.Trials, func(tr scene.Trial) bool { return at >= tr.Start && at < tr.Start+1.2 }) {
				during++
			}
		}
	}
	between(t, "spikes after a light", float64(during)/float64(all), 1.2*float64(len(s.Trials))/40*1.1, 1)
}

func Example() {
	red := scene.Tissue(4, 3)
	fmt.Println(len(red), red[0] > 220) // three planes, and glass in the corner
	// Output: 36 true
}
