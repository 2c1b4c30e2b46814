package hdf5_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format"
	show "github.com/omnizarr/zarr/format/hdf5"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func array(t *testing.T, s store.Store, path string) *zarr.Array {
	t.Helper()
	n, err := zarr.OpenStore(ctx, s, path)
	check(t, err)
	return n.(*zarr.Array)
}

// Dimensions of netCDF-4 are names, and what its libraries hide is hidden.
func TestNetCDF(t *testing.T) {
	s, err := open(fixtures(t), "netcdf4.nc")
	check(t, err)
	defer s.Close()
	for path, want := range map[string]string{
		"time": "time", "temp": "time lat lon", "names": "lat chars", "pairs": "no_var", "scalar": "", "clash": "lat clash",
		"sub/deeper/local": "local", "sub/deeper/v": "local lon", "words": "lat", "never_written": "lat lon",
	} {
		a := array(t, s, path)
		if got := strings.Join(a.DimensionNames(), " "); got != want {
			t.Errorf("dimensions of %s are %s, not %s", path, got, want)
		}
		for _, name := range a.Attributes().Names() {
			if strings.HasPrefix(name, "_Netcdf4") || slices.Contains([]string{"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST"}, name) {
				t.Errorf("%s has %s", path, name)
			}
		}
	}
	n, err := zarr.OpenStore(ctx, s, "")
	check(t, err)
	var names []string
	for x, err := range n.(*zarr.Group).Children(ctx) {
		check(t, err)
		names = append(names, x.Path())
	}
	for _, name := range []string{"chars", "no_var", "nothing", "_nc4_non_coord_clash", "colour_t"} {
		if slices.Contains(names, name) {
			t.Errorf("%s is listed, which is no variable", name)
		}
	}
	if !slices.Contains(names, "clash") || !slices.Contains(names, "temp") || len(names) != 25 {
		t.Errorf("%d are listed: %q", len(names), names)
	}
	if got := fmt.Sprint(n.Attributes().Names()); got != "[Conventions title version words_attr]" {
		t.Errorf("attributes of the file are %s", got)
	}
	for _, c := range []struct{ path, name, want string }{
		{"", "version", `1`},
		{"", "words_attr", `["x","ÿ",""]`},
		{"packed", "scale_factor", `0.01`},
		{"packed", "_FillValue", `-32767`},
		{"temp", "long_name", `"température"`},
		{"temp", "valid_range", `[0,400]`},
		{"colours", "_FillValue", `255`},
	} {
		if got := attribute(t, s, c.path, c.name); got != c.want {
			t.Errorf("%s %s is %s, not %s", c.path, c.name, got, c.want)
		}
	}
	// It has fewer rows than its dimension, which can grow.
	rows, err := zarr.Read[int32](ctx, array(t, s, "partly"), zarr.Slice(":, 2"))
	check(t, err)
	if len(rows.Data) != 4 || rows.Data[1] == -1 || rows.Data[3] != -1 {
		t.Errorf("rows that are not stored: %d", rows.Data)
	}
	// As xarray has it for Zarr v3: 64 bits in base64.
	if got := attribute(t, s, "temp", "_FillValue"); got != `"AAAAAAA4j8A="` || math.Float64bits(-999) != 0xc08f380000000000 {
		t.Errorf("the missing value is %s", got)
	}
}

// NaN is the missing value that xarray writes by default.
func TestMissingNaN(t *testing.T) {
	s, err := open(archive(t, "conventions.tar.zst"), "nan.nc")
	check(t, err)
	defer s.Close()
	if got := attribute(t, s, "a", "_FillValue"); got != `"AAAAAAAA+H8="` {
		t.Errorf("the missing value is %s", got)
	}
}

// Names that the library of netCDF makes up are those that it makes up.
func TestPhonyDimensions(t *testing.T) {
	s, err := open(archive(t, "conventions.tar.zst"), "phony.nc")
	check(t, err)
	defer s.Close()
	for path, want := range map[string]string{ // by netCDF4 1.7.5
		"a": "phony_dim_4", "b": "phony_dim_5 phony_dim_4", "%63": "phony_dim_5 phony_dim_6", "u": "phony_dim_7", "w": "x", "x": "x", "z": "phony_dim_8",
		"g/d": "phony_dim_1 phony_dim_2", "g/e": "phony_dim_3",
	} {
		if got := strings.Join(array(t, s, path).DimensionNames(), " "); got != want {
			t.Errorf("dimensions of %s are %s, not %s", path, got, want)
		}
	}
}

// Dimensions that variables name by numbers are found once for all variables of a group.
func TestNumberedDimensions(t *testing.T) {
	s, err := open(archive(t, "mazes.tar.zst"), "numbers.nc")
	check(t, err)
	defer s.Close()
	used := alloctest.Bytes(func() {
		for i := range 200 {
			want := []string{fmt.Sprint("d", i), fmt.Sprint("d", i*7919%200)}
			if got := array(t, s, want[0]).DimensionNames(); !slices.Equal(got, want) {
				t.Errorf("dimensions of %s are %s, not %s", want[0], got, want)
			}
		}
	})
	if used > 32<<20 {
		t.Errorf("%d bytes for 200 variables", used)
	}
}

// Dimension scales of other files are names too, and labels where there is no scale.
func TestScales(t *testing.T) {
	files := fixtures(t)
	s, err := open(files, "scales-v110.h5")
	check(t, err)
	defer s.Close()
	for path, want := range map[string]string{"v": "t x", "t": "t", "no_scales": ""} {
		if got := strings.Join(array(t, s, path).DimensionNames(), " "); got != want {
			t.Errorf("dimensions of %s are %q, not %q", path, got, want)
		}
	}
	raw, err := open(files, "scales-v110.h5", show.AsStored)
	check(t, err)
	defer raw.Close()
	if got := attribute(t, raw, "t", "CLASS"); got != `"DIMENSION_SCALE"` || array(t, raw, "v").Metadata().DimensionNames != nil {
		t.Errorf("as stored, CLASS is %s", got)
	}
}

// Arrays of MATLAB have the shape that they have there, text is text and truth values
// are such.
func TestMATLAB(t *testing.T) {
	files := fixtures(t)
	s, err := open(files, "matlab73.mat")
	check(t, err)
	defer s.Close()
	raw, err := open(files, "matlab73.mat", show.AsStored)
	check(t, err)
	defer raw.Close()
	x, err := zarr.Read[float64](ctx, array(t, s, "x"), zarr.All())
	check(t, err)
	y, err := zarr.Read[float64](ctx, array(t, raw, "x"), zarr.All())
	check(t, err)
	if !slices.Equal(x.Shape, []int{3, 4}) || !slices.Equal(y.Shape, []int{4, 3}) {
		t.Fatalf("shapes are %d and stored %d", x.Shape, y.Shape)
	}
	for i := range 3 {
		for j := range 4 {
			if math.Float64bits(x.Data[4*i+j]) != math.Float64bits(y.Data[3*j+i]) {
				t.Errorf("element %d, %d is %v", i, j, x.Data[4*i+j])
			}
		}
	}
	name := array(t, s, "name")
	text, err := zarr.Read[string](ctx, name, zarr.All())
	check(t, err)
	if len(name.Shape()) != 0 || len(text.Data) != 1 || len([]rune(text.Data[0])) != 5 {
		t.Errorf("text is %q of shape %d", text.Data, name.Shape())
	}
	cells, err := zarr.Read[string](ctx, array(t, s, "cell"), zarr.All())
	check(t, err)
	if !slices.Equal(cells.Shape, []int{1, 2}) || !slices.Equal(cells.Data, []string{"/#refs#/a", "/#refs#/b"}) {
		t.Errorf("cells are %q of shape %d", cells.Data, cells.Shape)
	}
	more, err := open(archive(t, "conventions.tar.zst"), "more.mat")
	check(t, err)
	defer more.Close()
	flags, err := zarr.Read[bool](ctx, array(t, more, "flags"), zarr.All())
	check(t, err)
	if !slices.Equal(flags.Data, []bool{true, false, true, false, false, true}) {
		t.Errorf("truth values are %t of shape %d", flags.Data, flags.Shape)
	}
	for name, want := range map[string][]string{"rows": {"one  ", "three"}, "smile": {"hé😀"}} {
		text, err := zarr.Read[string](ctx, array(t, more, name), zarr.All())
		check(t, err)
		if !slices.Equal(text.Data, want) {
			t.Errorf("%s is %q", name, text.Data)
		}
	}
	volume, err := zarr.Read[float64](ctx, array(t, more, "volume"), zarr.Slice("1:, 2, ::2"))
	check(t, err)
	if !slices.Equal(volume.Data, []float64{30, 32, 34, 50, 52, 54}) {
		t.Errorf("the volume has %v", volume.Data)
	}
}

// same compares an array at a position with the dataset that it is made of.
func same(t *testing.T, s store.Store, whole, position, part, inside string) {
	t.Helper()
	read := func(path, slice string) (out []uint16) {
		a := array(t, s, path)
		if a.DataType().Name() == "uint16" {
			x, err := zarr.Read[uint16](ctx, a, zarr.Slice(slice))
			check(t, err)
			return x.Data
		}
		x, err := zarr.Read[int16](ctx, a, zarr.Slice(slice))
		check(t, err)
		for _, k := range x.Data {
			out = append(out, uint16(k))
		}
		return out
	}
	if x, y := read(whole, position), read(part, inside); len(x) == 0 || !slices.Equal(x, y) {
		t.Errorf("%s at %s is not %s: %d and %d elements", whole, position, part, len(x), len(y))
	}
}

func image(t *testing.T, s store.Store, path string) (*ngff.Metadata, *zarr.Group) {
	t.Helper()
	n, err := zarr.OpenStore(ctx, s, path)
	check(t, err)
	m, err := ngff.Read(n.Attributes())
	check(t, err)
	return m, n.(*zarr.Group)
}

// A file of Imaris is an image with all its resolutions, time points and channels,
// without what pads chunks.
func TestImaris(t *testing.T) {
	s, err := open(archive(t, "conventions.tar.zst"), "imaris.ims")
	check(t, err)
	defer s.Close()
	m, g := image(t, s, "")
	if got := fmt.Sprintf("%+v", m.Images[0].Levels); got != "[{Path:0 Scale:[60 1 2 0.5 0.5] Translation:[0 0 1 0.25 0.25] Rest:[]} {Path:1 Scale:[60 1 4 1 1] Translation:[0 0 2 0.5 0.5] Rest:[]}]" {
		t.Errorf("levels: %s", got)
	}
	if x := m.Images[0].Axes; x[0].Unit != "second" || x[2].Unit != "micrometer" {
		t.Errorf("axes: %+v", x)
	}
	if c := m.OMERO.Channels; len(c) != 2 || c[0].Label != "ch0" || c[0].Color.G != 255 || c[0].Window.End != 65535 {
		t.Errorf("channels: %+v", c)
	}
	for path, want := range map[string]string{"0": "[2 2 10 20 22]", "1": "[2 2 5 10 11]"} {
		a := array(t, s, path)
		if got := fmt.Sprint(a.Shape()); got != want || strings.Join(a.DimensionNames(), "") != "tczyx" {
			t.Errorf("level %s: %s %s", path, got, a.DimensionNames())
		}
	}
	same(t, s, "0", "1, 0, :, :, :", "DataSet/ResolutionLevel 0/TimePoint 1/Channel 0/Data", ":10, :20, :22")
	same(t, s, "1", "0, 1, :, :, :", "DataSet/ResolutionLevel 1/TimePoint 0/Channel 1/Data", ":5, :10, :11")
	if got := attribute(t, s, "", "ImarisVersion"); got != `"5.5.0"` {
		t.Errorf("letters are joined to %s", got)
	}
	for x, err := range g.Children(ctx) {
		check(t, err)
		if x.Path() == "DataSet" {
			t.Error("the datasets are listed too")
		}
	}
}

// A file of BigDataViewer has an image for each setup; the XML beside it says how
// large voxels are.
func TestBigDataViewer(t *testing.T) {
	files := maps.Clone(archive(t, "conventions.tar.zst"))
	files["bdv.xml"] = []byte(`<SpimData version="0.2"><SequenceDescription><ViewSetups><ViewSetup><id>1</id><name>left</name>
		<voxelSize><unit>µm</unit><size>0.5 0.5 2.0</size></voxelSize></ViewSetup><ViewSetup><id>7</id></ViewSetup></ViewSetups></SequenceDescription></SpimData>`)
	folder := mem.New()
	for name, b := range files {
		_, err := folder.Put(ctx, name, b, store.PutOptions{})
		check(t, err)
	}
	s, err := show.Open(ctx, folder, "bdv.h5", format.Env{})
	check(t, err)
	defer s.Close()
	m, _ := image(t, s, "s01")
	if got := fmt.Sprintf("%s %+v", m.Images[0].Name, m.Images[0].Levels); got != "left [{Path:0 Scale:[1 2 0.5 0.5] Translation:[0 0 0 0] Rest:[]} {Path:1 Scale:[1 4 1 1] Translation:[0 1 0.25 0.25] Rest:[]}]" {
		t.Errorf("levels: %s", got)
	}
	if unit := m.Images[0].Axes[3].Unit; unit != "micrometer" {
		t.Errorf("the unit is %s", unit)
	}
	if m, _ = image(t, s, "s00"); m.Images[0].Levels[1].Scale[3] != 2 {
		t.Errorf("without a voxel size: %+v", m.Images[0].Levels)
	}
	a := array(t, s, "s00/0")
	if got := fmt.Sprint(a.Shape(), " ", a.DataType().Name()); got != "[2 24 30 28] uint16" {
		t.Errorf("level 0 is %s", got)
	}
	same(t, s, "s00/0", "1, :, :, :", "t00001/s00/0/cells", ":, :, :")
	same(t, s, "s01/1", "0, :, :, :", "t00000/s01/1/cells", ":, :, :")
}

// readDocuments opens all nodes and reads the first chunk of every array.
func readDocuments(s store.Store) error {
	n, err := zarr.OpenStore(ctx, s, "")
	if err != nil {
		return err
	}
	g, ok := n.(*zarr.Group)
	if !ok {
		return nil
	}
	var failed error
	for n, err := range g.Walk(ctx) {
		if err != nil {
			failed = err
		} else if a, ok := n.(*zarr.Array); ok {
			for c := range a.Grid() {
				if err := a.CheckChunk(ctx, c); err != nil && !strings.Contains(err.Error(), "missing") {
					failed = err
				}
				break
			}
		}
	}
	return failed
}

// A file with wrong bytes is what it is then, or an error, and never more than that.
func TestDamagedConventions(t *testing.T) {
	files := maps.Clone(archive(t, "conventions.tar.zst"))
	files["netcdf4.nc"] = fixtures(t)["netcdf4.nc"]
	times := thorough.Of(15, 400)
	for _, name := range []string{"netcdf4.nc", "phony.nc", "imaris.ims", "bdv.h5", "more.mat"} {
		random := rand.New(rand.NewPCG(1, uint64(len(name))))
		walked := 0
		for range times {
			b := slices.Clone(files[name])
			for range 1 + random.IntN(20) {
				b[random.IntN(len(b))] = byte(random.Uint32())
			}
			s, err := open(map[string][]byte{name: b}, name)
			if err != nil {
				continue
			}
			if readDocuments(s) == nil {
				walked++
			}
			check(t, s.Close())
		}
		t.Logf("%s: %d of %d are read whole", name, walked, times)
	}
}

// A link without a name, which would be its own group, ends there.
func TestLinksWithoutNames(t *testing.T) {
	b := slices.Clone(archive(t, "conventions.tar.zst")["bdv.h5"])
	at := bytes.Index(b, []byte("t00000\x00"))
	if at < 0 {
		t.Fatal("no such name")
	}
	b[at] = 0
	s, err := open(map[string][]byte{"bdv.h5": b}, "bdv.h5")
	check(t, err)
	defer s.Close()
	if err := readDocuments(s); err == nil || !strings.Contains(err.Error(), "a link in it has no name") {
		t.Errorf("got %v", err)
	}
}

// What is called like a level of an image and is none has its name, and nothing else.
func TestNamesOfLevelsAreTaken(t *testing.T) {
	b := slices.Clone(archive(t, "conventions.tar.zst")["imaris.ims"])
	at := bytes.Index(b, []byte("Thumbnail\x00"))
	if at < 0 {
		t.Fatal("no such name")
	}
	copy(b[at:], "0\x00")
	s, err := open(map[string][]byte{"imaris.ims": b}, "imaris.ims")
	check(t, err)
	defer s.Close()
	n, err := zarr.OpenStore(ctx, s, "")
	check(t, err)
	if m, err := ngff.Read(n.Attributes()); err == nil && m != nil && len(m.Images) > 0 {
		t.Errorf("images %+v", m.Images)
	}
	if n, err = zarr.OpenStore(ctx, s, "0"); err != nil {
		t.Error(err)
	} else if _, ok := n.(*zarr.Group); !ok {
		t.Error("the group is an array")
	}
}

// A group may be listed by another path as often as anybody likes.
func TestOtherPathsAreListedAgain(t *testing.T) {
	s, err := open(archive(t, "mazes.tar.zst"), "alias.h5")
	check(t, err)
	defer s.Close()
	for range 5000 {
		for _, path := range []string{"a/", "b/"} {
			for _, err := range s.List(ctx, path, "/") {
				check(t, err)
			}
		}
	}
}

// 4000 elements of an attribute are the same text of 200 kB, which is no 800 MB.
func TestTheSameTextManyTimes(t *testing.T) {
	s, err := open(archive(t, "mazes.tar.zst"), "texts.h5")
	check(t, err)
	defer s.Close()
	if _, _, err := s.Node(ctx, "g"); err == nil || !strings.Contains(err.Error(), `attribute "t": values take more than`) {
		t.Errorf("got %v", err)
	}
}
