package schema_test

import (
	"fmt"

	"github.com/omnizarr/zarr/format/hdmf/schema"
)

func Example() {
	var c schema.Catalog
	err := c.Add("lab", "0.1.0", map[string]string{
		"namespace": `{"namespaces": [{"name": "lab", "version": "0.1.0", "doc": "ours", "schema": [{"source": "lab.types"}]}]}`,
		"lab.types": `{"groups": [
			{"data_type_def": "Trace", "doc": "samples", "attributes": [{"name": "unit", "dtype": "text", "doc": "unit"}],
			 "datasets": [{"name": "data", "dtype": "numeric", "shape": [null], "doc": "samples"}]},
			{"data_type_def": "Voltage", "data_type_inc": "Trace", "doc": "in volts",
			 "attributes": [{"name": "unit", "dtype": "text", "value": "V", "doc": "unit"}]}]}`,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	voltage, err := c.Type("lab", "Voltage")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("is a Trace:", voltage.Is("lab", "Trace"))
	for _, a := range voltage.Group.Attributes {
		fmt.Printf("%s: %v, always %s\n", a.Name, a.DType, a.Value)
	}
	for _, d := range voltage.Group.Datasets {
		fmt.Printf("%s: %v %v\n", d.Name, d.DType, d.Shapes[0])
		fmt.Println("float32 is fine:", d.DType.Primitive.Allows(schema.Float32))
	}
	// Output:
	// is a Trace: true
	// unit: text, always "V"
	// data: numeric [*]
	// float32 is fine: true
}
