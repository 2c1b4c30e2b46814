package check_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf/schema"
)

// made starts a file in the layout V3 with attributes of its root.
func made(attrs string) files {
	f := files{}
	f.group("", attrs)
	return f
}

// group adds a group; attrs is what stands between the braces.
func (f files) group(node, attrs string) {
	f[f.doc(node)] = fmt.Appendf(nil, `{"zarr_format":3,"node_type":"group","attributes":{%s}}`, attrs)
}

func (f files) doc(node string) string { return strings.TrimPrefix(node+"/zarr.json", "/") }

// empty adds an array without chunks.
func (f files) empty(node, dtype, attrs string, shape ...int) {
	f.plain(node, dtype, `{"name":"bytes","configuration":{"endian":"little"}}`, attrs, shape...)
}

func (f files) plain(node, dtype, codec, attrs string, shape ...int) {
	list, _ := json.Marshal(append([]int{}, shape...))
	chunks := make([]int, len(shape))
	for i, n := range shape {
		chunks[i] = max(n, 1)
	}
	grid, _ := json.Marshal(chunks)
	fill := "0"
	switch dtype {
	case "string", "variable_length_bytes":
		fill = `""`
	case "bool":
		fill = "false"
	}
	if strings.HasPrefix(dtype, "{") { // a struct of x, or of x and y
		fill = `{"x":0}`
		if strings.Contains(dtype, `"y"`) {
			fill = `{"x":0,"y":0}`
		}
	} else {
		dtype = strconv.Quote(dtype)
	}
	f[f.doc(node)] = fmt.Appendf(nil, `{"zarr_format":3,"node_type":"array","shape":%s,"data_type":%s,"fill_value":%s,"chunk_grid":{"name":"regular","configuration":{"chunk_shape":%s}},`+
		`"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},"codecs":[%s],"attributes":{%s}}`, list, dtype, fill, grid, codec, attrs)
}

func chunkKey(node string, rank int) string { return node + "/c" + strings.Repeat("/0", rank) }

// floats adds an array of float64.
func (f files) floats(node, attrs string, shape []int, values ...float64) {
	f.empty(node, "float64", attrs, shape...)
	var data []byte
	for _, x := range values {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
	}
	f[chunkKey(node, len(shape))] = data
}

// ints adds a list of int64.
func (f files) ints(node, attrs string, values ...int64) {
	f.empty(node, "int64", attrs, len(values))
	var data []byte
	for _, x := range values {
		data = binary.LittleEndian.AppendUint64(data, uint64(x))
	}
	f[chunkKey(node, 1)] = data
}

// texts adds a list of text, or a single one if scalar.
func (f files) texts(node, attrs string, scalar bool, values ...string) {
	shape := []int{len(values)}
	if scalar {
		shape = nil
	}
	f.plain(node, "string", `{"name":"vlen-utf8","configuration":{}}`, attrs, shape...)
	f[chunkKey(node, len(shape))] = vlen(values)
}

func vlen(values []string) []byte {
	data := binary.LittleEndian.AppendUint32(nil, uint32(len(values)))
	for _, s := range values {
		data = append(binary.LittleEndian.AppendUint32(data, uint32(len(s))), s...)
	}
	return data
}

// typed are the attributes of an object of a type of namespace "t".
func typed(name string, more ...string) string {
	return strings.Join(append([]string{fmt.Sprintf(`"namespace":"t","data_type":%q`, name)}, more...), ",")
}

// catalog makes a schema of namespace "t" with the groups and datasets of a text.
func catalog(t testing.TB, text string) *schema.Catalog {
	t.Helper()
	c := &schema.Catalog{}
	err := c.Add("t", "1.0.0", map[string]string{
		"namespace": `{"namespaces":[{"name":"t","version":"1.0.0","doc":"d","author":"a","contact":"c","schema":[{"source":"t.types"}]}]}`,
		"t.types":   text,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
