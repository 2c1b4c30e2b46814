package zfp_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/zfp"
)

// Headers that libzfp 1.0.1 wrote.
func TestHeaders(t *testing.T) {
	for _, c := range []struct {
		typ    zfp.Type
		shape  []int
		params zfp.Params
		header string
		bits   int
	}{
		{zfp.Float32, []int{5}, zfp.Params{MinBits: 1, MaxBits: 16658, MaxPrec: 64, MinExp: -1075}, "7a6670054200000000000088", 96},
		{zfp.Float64, []int{3, 7}, zfp.Params{MinBits: 1, MaxBits: 16658, MaxPrec: 64, MinExp: -7}, "7a667005670000200000c0ca", 96},
		{zfp.Int32, []int{2, 3, 4}, zfp.Params{MinBits: 1, MaxBits: 16658, MaxPrec: 17, MinExp: -1074}, "7a6670053800200010000081", 96},
		{zfp.Int64, []int{2, 1, 3, 5}, zfp.Params{MinBits: 2048, MaxBits: 2048, MaxPrec: 64, MinExp: -1074}, "7a6670054d0002000001f07f", 96},
		{zfp.Float64, []int{9, 9}, zfp.Params{MinBits: 3200, MaxBits: 3200, MaxPrec: 64, MinExp: -1074}, "7a667005870000800000f0ff7f8c3fc6af87", 148},
		{zfp.Float32, []int{2, 2, 2}, zfp.Params{MinBits: 3, MaxBits: 400, MaxPrec: 30, MinExp: -7}, "7a6670051a0010001000f0ff0280c740070d", 148},
		{zfp.Float32, []int{4}, zfp.Params{MinBits: 1, MaxBits: 16658, MaxPrec: 64, MinExp: -1074}, "7a667005320000000000f0ff008088e0af87", 148},
		{zfp.Float64, []int{6}, zfp.Params{MinBits: 1, MaxBits: 16658, MaxPrec: 64, MinExp: 900}, "7a667005530000000000f0ff008088e06f7e", 148},
		{zfp.Float64, []int{6}, zfp.Params{MinBits: 1, MaxBits: 16658, MaxPrec: 64, MinExp: 843}, "7a667005530000000000e0ff", 96},
		{zfp.Float32, []int{6}, zfp.Params{MinBits: 1, MaxBits: 16658, MaxPrec: 64, MinExp: -1074}, "7a667005520000000000f0ff008088e0af87", 148},
		{zfp.Int32, []int{1, 1}, zfp.Params{MinBits: 1, MaxBits: 16658, MaxPrec: 64, MinExp: -1074}, "7a667005040000000000f0ff008088e0af87", 148},
		{zfp.Int32, []int{3}, zfp.Params{MinBits: 4, MaxBits: 4, MaxPrec: 64, MinExp: -1074}, "7a6670052000000000003000", 96},
	} {
		out, err := zfp.Append(nil, array(c.typ, nil, c.shape...), c.params, true)
		want, _ := hex.DecodeString(c.header)
		if err != nil || !bytes.HasPrefix(out, want) {
			t.Errorf("%v %v %+v: got %x, %v, want %s", c.typ, c.shape, c.params, out[:min(len(out), 20)], err, c.header)
		}
		h, err := zfp.ReadHeader(out)
		if err != nil || h.Type != c.typ || !slices.Equal(h.Shape, c.shape) || h.Params != c.params || h.Bits != c.bits {
			t.Errorf("%v %v %+v: read as %+v, %v", c.typ, c.shape, c.params, h, err)
		}
		for n := range c.bits / 8 {
			if _, err := zfp.ReadHeader(out[:n]); err == nil {
				t.Errorf("%d bytes were taken for a header", n)
			}
		}
	}
}

func TestWhatIsNoHeader(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "does not begin with a zfp header",
		"zfq\x05" + "0123456789ab": "does not begin with a zfp header",
		"zfp\x04" + "0123456789ab": "zfp format 4: only 5 can be read",
		"zfp\x05" + "01234":        "too few for a zfp header",
		// Blocks of at least 32768 and at most 1 bits.
		"zfp\x05\x02\x00\x00\x00\x00\x00\xf0\xff\xff\x7f\x00\x00\x00\x00\x00\x00": "zfp header: maxbits is 1",
	} {
		if _, err := zfp.ReadHeader([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	long := zfp.Array{Elem: zfp.Elem{Type: zfp.Float32, Width: 4}, Data: make([]byte, 4), Shape: []int{1, 1, 1, 4097}, Strides: []int{0, 0, 0, 0}}
	if _, err := zfp.Append(nil, long, zfp.Reversible(), true); err == nil || !strings.Contains(err.Error(), "too long for a zfp header") {
		t.Errorf("got %v", err)
	}
}

func TestParameters(t *testing.T) {
	for _, c := range []struct {
		params zfp.Params
		want   string
	}{
		{zfp.Reversible(), ""},
		{zfp.FixedPrecision(0), ""},
		{zfp.FixedPrecision(500), ""},
		{zfp.FixedAccuracy(0), ""},
		{zfp.FixedAccuracy(math.MaxFloat64), ""},
		{zfp.Params{MaxBits: 1, MaxPrec: 1}, ""},
		{zfp.Params{MaxPrec: 1}, "maxbits is 0: must be positive"},
		{zfp.Params{MinBits: -1, MaxPrec: 1}, "minbits is -1"},
		{zfp.Params{MinBits: 40000, MaxBits: 50000, MaxPrec: 1}, "minbits is 40000"},
		{zfp.Params{MinBits: 4, MaxBits: 3, MaxPrec: 1}, "maxbits is 3"},
		{zfp.Params{MaxBits: 3}, "maxprec is 0"},
		{zfp.Params{MaxBits: 3, MaxPrec: 65}, "maxprec is 65"},
	} {
		if err := c.params.Check(); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: got %v, want %q", c.params, err, c.want)
		}
	}
	for _, rate := range []float64{0, -1, 0.001, 1e9, math.Inf(1), math.NaN()} {
		if p, err := zfp.FixedRate(rate, zfp.Int32, 2); err == nil {
			t.Errorf("rate %g gave %+v", rate, p)
		}
	}
	for _, c := range []struct {
		rate float64
		typ  zfp.Type
		dims int
		bits int
	}{
		{8, zfp.Float32, 1, 32}, {8, zfp.Float32, 4, 2048}, {0.5, zfp.Float32, 1, 9}, {0.5, zfp.Float64, 1, 12},
		{0.5, zfp.Int64, 1, 2}, {1.04, zfp.Int32, 2, 17}, {10.5, zfp.Float64, 3, 672},
	} {
		if p, err := zfp.FixedRate(c.rate, c.typ, c.dims); err != nil || p.MinBits != c.bits || p.MaxBits != c.bits {
			t.Errorf("%+v gave %+v, %v", c, p, err)
		}
	}
	for _, shape := range [][]int{{0}, {-4}, {math.MaxInt}, {1 << 40, 1 << 40}, {1 << 60}} {
		if n, ok := zfp.MaxSize(shape, zfp.Float64, zfp.Reversible()); ok {
			t.Errorf("shape %v has at most %d bytes", shape, n)
		}
	}
}
