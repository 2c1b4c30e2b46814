package zarr_test

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store/mem"
)

// degrees is a data type of one's own: tenths of a degree in 16 bits. It is an
// int16 in all that it does not say itself.
type degrees struct{ dtype.Type }

func parseDegrees(string, json.RawMessage) (dtype.Type, error) {
	return degrees{dtype.MustParse("int16")}, nil
}

func (degrees) Name() string                 { return "example.celsius" }
func (degrees) MarshalJSON() ([]byte, error) { return []byte(`"example.celsius"`), nil }

func (t degrees) AppendValue(dst, elem []byte, _ nd.Blobs) ([]byte, error) {
	tenths := int16(elem[0]) | int16(elem[1])<<8
	return fmt.Appendf(dst, `"%.1f °C"`, float64(tenths)/10), nil
}

func ExampleTypes() {
	registry := dtype.NewRegistry()
	registry.Register("example.celsius", parseDegrees)
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{3}, DataType: "example.celsius"}, zarr.Types(registry))
	if err == nil {
		err = zarr.Write(ctx, a, zarr.All(), []int16{215, -3, 0})
	}
	back, readErr := zarr.Read[int16](ctx, a, zarr.All())
	fmt.Println(a.DataType().Name(), back.Data, err, readErr)
	text, err := a.DataType().AppendValue(nil, []byte{215, 0}, nil)
	fmt.Println(string(text), err)
	// Output:
	// example.celsius [215 -3 0] <nil> <nil>
	// "21.5 °C" <nil>
}
