package dtype_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

func ExampleParse() {
	t, err := dtype.Parse(json.RawMessage(`{"name": "numpy.datetime64", "configuration": {"unit": "us", "scale_factor": 10}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	unit, scale, _ := dtype.TimeUnit(t)
	fmt.Println(t.Name(), t.Size(), unit, scale)

	_, err = dtype.Parse(json.RawMessage(`"decimal"`))
	fmt.Println(err, errors.Is(err, dtype.ErrUnknown))
	// Output:
	// numpy.datetime64 8 us 10
	// unknown data type "decimal" true
}

func ExampleType_fillValue() {
	t := dtype.MustParse("float32")
	for _, raw := range []string{"1e2", `"NaN"`, `"0x7fc00001"`, `"0x7fc0"`} {
		elem, err := t.ParseFill(json.RawMessage(raw), nil)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fill, _ := t.AppendFill(nil, elem, nil)
		value, _ := t.AppendValue(nil, elem, nil)
		fmt.Printf("%x fill %s value %s\n", elem, fill, value)
	}
	// Output:
	// 0000c842 fill 100.0 value 100.0
	// 0000c07f fill "NaN" value "NaN"
	// 0100c07f fill "0x7fc00001" value "NaN"
	// fill value "0x7fc0" for float32: must have 8 hexadecimal digits
}

func ExampleCheck() {
	t := dtype.MustParse("uint16")
	fmt.Println(dtype.Check[uint16](t))
	fmt.Println(dtype.Check[float32](t))
	// Output:
	// <nil>
	// array is uint16, which is not float32: use uint16
}

func ExampleNewStruct() {
	t, err := dtype.NewStruct([]dtype.Field{
		{Name: "label", Type: dtype.MustParse("string")},
		{Name: "weight", Type: dtype.MustParse("float32")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	h := new(nd.Heap)
	elem, _ := t.ParseFill(json.RawMessage(`{"label": "none", "weight": -1}`), h)
	value, _ := t.AppendValue(nil, elem, h.Blobs())
	fmt.Printf("%s %v\n", value, t.Refs())
	// Output: {"label": "none", "weight": -1.0} [0]
}

func ExampleNumpy() {
	for _, s := range []string{"uint16", `{"name": "struct", "configuration": {"fields": [["x", "float32"], ["ok", "bool"]]}}`, "bfloat16"} {
		descr, err := dtype.Numpy(dtype.MustParse(s))
		fmt.Println(descr, err)
	}
	// Output:
	// '<u2' <nil>
	// [('x', '<f4'), ('ok', '|b1')] <nil>
	//  NumPy has no type for bfloat16
}

func ExampleFormat() {
	f, _ := dtype.FormatOf(dtype.MustParse("float8_e4m3fn"))
	bits, ok := f.Encode(3.3)
	fmt.Printf("0x%02x %v %v\n", bits, ok, f.Decode(bits))
	_, ok = f.Encode(1e6)
	fmt.Println(ok)
	// Output:
	// 0x45 true 3.25
	// false
}

func ExampleCanonicaliser() {
	data := []byte{0xf7, 0x08}
	err := dtype.MustParse("int4").(dtype.Canonicaliser).Canonicalise(nd.Of(data, 1, 2))
	fmt.Println(data, err)
	err = dtype.MustParse("bool").(dtype.Canonicaliser).Canonicalise(nd.Of([]byte{1, 7}, 1, 2))
	fmt.Println(err)
	// Output:
	// [7 248] <nil>
	// value 7 for bool: must be 0 or 1
}
