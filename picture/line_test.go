package picture_test

import (
	"strings"
	"testing"

	"github.com/omnizarr/zarr/picture"
	"github.com/omnizarr/zarr/rows"
	"github.com/omnizarr/zarr/store/mem"
)

func TestLines(t *testing.T) {
	data := make([]int16, 2000)
	data[1234] = 500 // a peak of one element must not be lost
	data[1999] = -7
	a := array(t, mem.New(), "", "int16", []int{2, 1000}, []string{"c", "t"}, data, nil)
	c, err := picture.Line(ctx, a, "1, :", false)
	check(t, err)
	d, err := c.Read(ctx, 10)
	check(t, err)
	if d.From != 0 || d.To != 999 || d.Unit != "(t)" || d.Traces[0].High[2] != 500 || d.Traces[0].Low[9] != -7 {
		t.Errorf("%+v", d)
	}
	img := picture.Graph(d, 200, 100)
	size := img.Rect.Size()
	if size.X != 200 || size.Y != 100 {
		t.Errorf("%v", size)
	}
	colours := map[bool]int{}
	for y := range size.Y {
		for x := range size.X {
			p := img.NRGBAAt(x, y)
			colours[p.B > p.R+50]++
		}
	}
	if colours[true] < 30 { // the curve
		t.Errorf("%v", colours)
	}
	for slice, want := range map[string]string{"": "one dimension is drawn", ":, :0": "nothing is selected", "5": "index 5 is outside", "0, 0": "one element alone"} {
		if _, err := picture.Line(ctx, a, slice, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", slice, err, want)
		}
	}
	words := array(t, mem.New(), "", "string", []int{1}, nil, []string{"a"}, nil)
	if _, err := picture.Line(ctx, words, "", false); err == nil || !strings.Contains(err.Error(), "no real numbers") {
		t.Error(err)
	}
	packed := array(t, mem.New(), "", "int16", []int{2}, nil, []int16{2, 4}, attributes(t, `{"scale_factor": 0.5}`))
	c, err = picture.Line(ctx, packed, "", false)
	check(t, err)
	if d, err = c.Read(ctx, 2); err != nil || d.Traces[0].High[1] != 2 {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestTicksInCharacters(t *testing.T) {
	d := &rows.Drawing{From: 0.5, To: 2, Unit: "s", More: 3, Ticks: []rows.Ticks{
		{Name: "7", Counts: []int{1, 0, 0, 1, 2, 5, 0, 0}}, {Name: "a name that is long", Counts: make([]int, 8)}}}
	var b strings.Builder
	check(t, picture.WriteGraph(&b, "/units", d, 20))
	want(t, "ticks", b.String(), `/units
         7┤▌▐█
a name th…┤
          └────────────────
           0.5 s        2 s
3 more rows, select with --slice`)
	if img := picture.Graph(d, 200, 100); img.NRGBAAt(104, 20).R > 100 {
		t.Errorf("no tick at the beginning: %v", img.NRGBAAt(104, 20))
	}
}
