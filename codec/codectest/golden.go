package codectest

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/delta"
	"github.com/omnizarr/zarr/codec/round"
	"github.com/omnizarr/zarr/codec/scale"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// golden is vectors that another implementation made: what was encoded, what it
// became, and what that was decoded to.
type golden struct {
	By    string
	Cases []struct {
		Name          string
		Configuration json.RawMessage
		Type          json.RawMessage
		Decoded       string
		Encoded       string
		Again         string
	}
}

// Golden runs the vectors of array-to-array codecs in a packed file. It compares bit
// by bit, except that a NaN is a NaN: machines differ in the sign and the payload
// of one that they compute.
func Golden(t *testing.T, file string) {
	t.Helper()
	packed, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	text, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.NewDecoder(text).Decode(&g); err != nil || len(g.Cases) == 0 {
		t.Fatalf("%s: %d cases, %v", file, len(g.Cases), err)
	}
	for _, c := range g.Cases {
		typ, err := dtype.Parse(c.Type)
		if err != nil {
			t.Fatal(err)
		}
		src := unhex(t, c.Decoded)
		n := len(src) / typ.Size()
		f, err := Bind(c.Name, string(c.Configuration), codec.Spec{Type: typ, Shape: []int{n}, Fill: src[:typ.Size()]})
		if err != nil {
			t.Errorf("%s %s: %v", c.Name, c.Configuration, err)
			continue
		}
		size := f.Out().Type.Size()
		enc, dec := nd.Make(size, n), nd.Make(typ.Size(), n)
		if err := f.Encode(nil, enc, nd.Of(src, typ.Size(), n)); err != nil {
			t.Errorf("%s %s: %v", c.Name, c.Configuration, err)
			continue
		}
		same(t, fmt.Sprintf("%s %s of %s: encoded", c.Name, c.Configuration, typ.Name()), enc.Data, unhex(t, c.Encoded), f.Out().Type)
		if err := f.Decode(nil, dec, nd.Whole([]int{n}), nd.Of(unhex(t, c.Encoded), size, n)); err != nil {
			t.Errorf("%s %s: %v", c.Name, c.Configuration, err)
			continue
		}
		same(t, fmt.Sprintf("%s %s of %s: decoded", c.Name, c.Configuration, typ.Name()), dec.Data, unhex(t, c.Again), typ)
	}
}

func same(t *testing.T, what string, got, want []byte, typ dtype.Type) {
	t.Helper()
	for i := 0; i < len(want); i += typ.Size() {
		g, w := got[i:i+typ.Size()], want[i:i+typ.Size()]
		if !bytes.Equal(g, w) && !(isNaN(typ, g) && isNaN(typ, w)) {
			t.Errorf("%s element %d is %x, want %x", what, i/typ.Size(), g, w)
			return
		}
	}
}

func isNaN(typ dtype.Type, elem []byte) bool {
	format, ok := dtype.FormatOf(typ)
	var b [8]byte
	copy(b[:], elem)
	return ok && len(elem) <= 8 && format.IsNaN(binary.LittleEndian.Uint64(b[:]))
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Bind makes an array-to-array codec that computes: one of those of packages delta,
// round and scale.
func Bind(name, config string, in codec.Spec) (codec.Transform, error) {
	r := codec.NewRegistry()
	r.Register(delta.Parse, delta.Name)
	r.Register(round.ParseBitRound, round.BitRoundName, round.NumcodecsBitRoundName)
	r.Register(round.ParseQuantize, round.QuantizeName)
	r.Register(scale.ParseFixed, scale.FixedName)
	r.Register(scale.ParseOffset, scale.OffsetName)
	k, err := r.Parse(codec.Entry{Name: name, Config: json.RawMessage(config)})
	if err != nil {
		return nil, err
	}
	f, err := k.(codec.ArrayToArray).BindArray(in)
	if err != nil {
		return nil, err
	}
	return f.(codec.Transform), nil
}

// Refused checks that a configuration is an error that says why.
func Refused(t *testing.T, name, config, typ, want string) {
	t.Helper()
	in := dtype.MustParse(typ)
	_, err := Bind(name, config, codec.Spec{Type: in, Shape: []int{2}, Fill: make([]byte, in.Size())})
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s %s of %s: got %v, want %q", name, config, typ, err, want)
	}
}
