package n5block_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/n5block"
)

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	data, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The headers of blocks that N5 4.0.0 for Java wrote.
func TestHeadersByJava(t *testing.T) {
	for text, want := range map[string]n5block.Header{
		"0000 0001 00000005 7fff":              {Mode: n5block.Default, Shape: []int{5}, Size: 8},
		"0000 0002 00000004 00000003 4c5a":     {Mode: n5block.Default, Shape: []int{4, 3}, Size: 12},
		"0001 0001 00000003 0000000d 28b5":     {Mode: n5block.Varlength, Shape: []int{3}, Count: 13, Size: 12},
		"0001 0002 00000001 00000001 0000000c": {Mode: n5block.Varlength, Shape: []int{1, 1}, Count: 12, Size: 16},
		"0002 00000025 1f8b":                   {Mode: n5block.Object, Count: 37, Size: 6},
	} {
		data := unhex(t, text)
		got, err := n5block.Parse(data)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v, want %+v", text, got, err, want)
		}
		if again := n5block.Append([]byte("x"), want); string(again) != "x"+string(data[:want.Size]) {
			t.Errorf("%+v became %x", want, again)
		}
		if want.Mode == n5block.Default {
			if again := n5block.AppendDefault(nil, want.Shape); !bytes.Equal(again, data[:want.Size]) {
				t.Errorf("%v became %x", want.Shape, again)
			}
			if shape, err := n5block.ParseDefault(data, len(want.Shape)); err != nil || !reflect.DeepEqual(shape, want.Shape) {
				t.Errorf("%s: got %v, %v", text, shape, err)
			}
		}
	}
}

func TestTheOtherFormOfObjects(t *testing.T) {
	h, err := n5block.ParseShape(unhex(t, "0002 0002 00000004 00000003 ff"))
	if want := (n5block.Header{Mode: n5block.Object, Shape: []int{4, 3}, Size: 12}); err != nil || !reflect.DeepEqual(h, want) {
		t.Errorf("got %+v, %v", h, err)
	}
}

func TestHostileHeaders(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "0 bytes are too few",
		"00":                          "1 bytes are too few",
		"0000":                        "2 bytes are too few",
		"0000 0002":                   "4 bytes are too few for the 12 of the header of a block of 2 dimensions",
		"0000 0002 00000001 000000":   "11 bytes are too few for the 12",
		"0000 ffff 00000001 00000001": "12 bytes are too few for the 262144 of the header of a block of 65535 dimensions",
		"0001 0001 00000001":          "8 bytes are too few for the 12",
		"0002 0000":                   "4 bytes are too few for the 6",
		"0003 0000":                   "the block has mode 3, which N5 does not know",
		"ffff 0000":                   "mode 65535",
	} {
		if h, err := n5block.Parse(unhex(t, text)); err == nil || !strings.Contains(err.Error(), want) || h.Size != 0 {
			t.Errorf("%s: got %+v, %v, want %q", text, h, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                   "0 bytes are too few",
		"0000 00":            "3 bytes are too few",
		"0000 0001 00000001": "the block has 1 dimensions, the array has 2",
		"0000 ffff":          "the block has 65535 dimensions, the array has 2",
		"0000 0002 00000001": "8 bytes are too few for the 12",
		"0001 0002":          "mode 1 (varlength)",
		"0002 0002":          "mode 2 (object)",
		"0009":               "mode 9, which N5 does not know",
	} {
		if _, err := n5block.ParseDefault(unhex(t, text), 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{"", "0002 00", "0002 0001"} {
		if _, err := n5block.ParseShape(unhex(t, text)); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"0000 0001 00000005 7fff", "0001 0001 00000003 ffffffff", "0002 00000025 1f8b", "0000 ffff", "0001 0000", "0003"} {
		f.Add(unhex(f, text))
	}
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		if h, err := n5block.Parse(data); err == nil {
			if again := n5block.Append(nil, h); !bytes.Equal(again, data[:h.Size]) {
				t.Fatalf("%x became %x", data[:h.Size], again)
			}
		}
		if h, err := n5block.ParseShape(data); err == nil {
			shape, err := n5block.ParseDefault(data, len(h.Shape))
			if h.Mode == n5block.Default && (err != nil || !reflect.DeepEqual(shape, h.Shape)) {
				t.Fatalf("%v and %v, %v", h.Shape, shape, err)
			}
		}
	})
}

func ExampleParse() {
	h, err := n5block.Parse([]byte{0, 1, 0, 2, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 7, 'e', 'l', 'e', 'm', 's'})
	fmt.Println(h.Mode, h.Shape, h.Count, h.Size, err)
	// Output: 1 (varlength) [4 3] 7 16 <nil>
}
