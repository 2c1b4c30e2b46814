package write_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
)

// A file with a table is made, copied to the other layout, and gets a row.
func Example() {
	ctx := context.Background()
	common := func(name string, attributes map[string]any) write.Object {
		return write.Object{Type: hdmf.Type{Namespace: "hdmf-common", Name: name}, Attributes: attributes}
	}
	table := &write.Group{
		Object: common("DynamicTable", map[string]any{"description": "fruit", "colnames": []string{"name", "weight"}}),
		Datasets: map[string]*write.Dataset{
			"id":     {Object: common("ElementIdentifiers", nil), Data: write.Numbers([]int64{0, 1})},
			"name":   {Object: common("VectorData", map[string]any{"description": "its name"}), Data: write.Text([]string{"apple", "pear"})},
			"weight": {Object: common("VectorData", map[string]any{"description": "in kg"}), Data: write.Numbers([]float64{0.2, 0.3})},
		},
	}
	root := &write.Group{
		Groups: map[string]*write.Group{"table": table},
		Links:  map[string]hdmf.Reference{"fruit": {Path: "/table"}},
	}
	err := write.Create(ctx, "mem:fruit3", root, write.Options{DataType: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	src, err := hdmf.Open(ctx, "mem:fruit3")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close()
	if _, err := write.Copy(ctx, "mem:fruit2", src, write.Options{Layout: hdmf.V2}); err != nil {
		fmt.Println(err)
		return
	}
	e, err := write.Edit(ctx, "mem:fruit2", write.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	err = e.AppendRows(ctx, "/table", write.Rows{Columns: map[string]write.Column{
		"name":   {Data: write.Text([]string{"plum"})},
		"weight": {Data: write.Numbers([]float64{0.05})},
	}})
	if err == nil {
		err = e.Commit(ctx)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := hdmf.Open(ctx, "mem:fruit2")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	o, err := f.Object(ctx, "/fruit") // through the link
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := hdmf.OpenTable(ctx, o.(*hdmf.Group))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Layout(), t.Rows())
	// Output: v2 3
}
