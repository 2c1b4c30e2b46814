package nwb

import (
	"fmt"
	"maps"
	"reflect"
	"time"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/schema"
	"github.com/omnizarr/zarr/format/hdmf/write"
)

// Growing is a series, or the times of one, that has no samples yet and gets them
// while the file is recorded: each has a value, or as many as the axes behind the
// first have room for.
func Growing[T write.Number](axes ...int) write.Data {
	return write.Numbers([]T{}, append([]int{0}, axes...)...)
}

// dataset makes a dataset of a value.
func (f *File) dataset(specs []*schema.DatasetSpec, t *schema.Type, v any) (*write.Dataset, error) {
	d := &write.Dataset{}
	if given, ok := v.(*write.Dataset); ok && given != nil {
		c := *given
		d = &c
	}
	made := objectOf(t)
	if d.Type.Name == "" {
		d.Type = made.Type
	}
	maps.Copy(made.Attributes, d.Attributes)
	d.Attributes = made.Attributes
	if _, ok := v.(*write.Dataset); ok {
		return d, nil
	}
	if r, ok := v.(Region); ok {
		d.Attributes["table"], v = r.Table, r.Rows
	}
	var want schema.DType
	list := false
	for _, s := range specs {
		if want.Primitive == schema.Unspecified {
			want = s.DType
		}
		list = list || s.Shapes != nil
	}
	var err error
	d.Data, err = dataOf(v, want, list)
	return d, err
}

// dataOf makes data of a value. A single value is a list of one where the schema asks
// for a list.
func dataOf(v any, want schema.DType, list bool) (write.Data, error) {
	if d, ok := v.(write.Data); ok {
		return d, nil
	}
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Slice {
		flat, shape, err := flatten(r)
		if err != nil {
			return write.Data{}, err
		}
		return flatData(flat.Interface(), shape, want)
	}
	if list && r.IsValid() {
		one := reflect.Append(reflect.MakeSlice(reflect.SliceOf(r.Type()), 0, 1), r)
		return flatData(one.Interface(), []int{1}, want)
	}
	switch x := v.(type) {
	case nil:
		return write.Data{}, fmt.Errorf("has no value")
	case time.Time:
		return write.Scalar(isoTime(x)), nil
	case int:
		v = intAs(x, want)
	}
	return write.Scalar(v), nil
}

// flatten gives the elements of slices of slices in C order, and their shape.
func flatten(v reflect.Value) (flat reflect.Value, shape []int, err error) {
	shape = []int{v.Len()}
	for v.Type().Elem().Kind() == reflect.Slice {
		inner := v.Type().Elem()
		width := 0
		if v.Len() > 0 {
			width = v.Index(0).Len()
		}
		all := reflect.MakeSlice(inner, 0, v.Len()*width)
		for i := range v.Len() {
			if n := v.Index(i).Len(); n != width {
				return v, nil, fmt.Errorf("slice %d has %d elements, and the first %d: an array has rows of one length", i, n, width)
			}
			all = reflect.AppendSlice(all, v.Index(i))
		}
		v, shape = all, append(shape, width)
	}
	return v, shape, nil
}

// flatData makes data of the elements of an array.
func flatData(flat any, shape []int, want schema.DType) (write.Data, error) {
	switch x := flat.(type) {
	case []int:
		switch {
		case isFloat(want.Primitive):
			return write.Numbers(convert(x, func(n int) float64 { return float64(n) }), shape...), nil
		case isUnsigned(want.Primitive):
			for _, n := range x {
				if n < 0 {
					return write.Data{}, fmt.Errorf("%d is negative, must be %s", n, want)
				}
			}
			return write.Numbers(convert(x, func(n int) uint64 { return uint64(n) }), shape...), nil
		}
		return write.Numbers(convert(x, func(n int) int64 { return int64(n) }), shape...), nil
	case []bool:
		return write.Numbers(x, shape...), nil
	case []int8:
		return write.Numbers(x, shape...), nil
	case []int16:
		return write.Numbers(x, shape...), nil
	case []int32:
		return write.Numbers(x, shape...), nil
	case []int64:
		return write.Numbers(x, shape...), nil
	case []uint8:
		return write.Numbers(x, shape...), nil
	case []uint16:
		return write.Numbers(x, shape...), nil
	case []uint32:
		return write.Numbers(x, shape...), nil
	case []uint64:
		return write.Numbers(x, shape...), nil
	case []float32:
		return write.Numbers(x, shape...), nil
	case []float64:
		return write.Numbers(x, shape...), nil
	case []string:
		return write.Text(x, shape...), nil
	case []time.Time:
		return write.Text(convert(x, isoTime), shape...), nil
	case []hdmf.Reference:
		return write.References(x, shape...), nil
	}
	return write.Data{}, fmt.Errorf("no dataset holds a %v", reflect.TypeOf(flat))
}

func convert[T, U any](list []T, to func(T) U) []U {
	out := make([]U, len(list))
	for i, v := range list {
		out[i] = to(v)
	}
	return out
}

// isoTime spells a time as NWB has it.
func isoTime(t time.Time) string { return t.Format("2006-01-02T15:04:05.000000-07:00") }

func isFloat(p schema.Primitive) bool { return p == schema.Float32 || p == schema.Float64 }

func isUnsigned(p schema.Primitive) bool { return p >= schema.Uint8 && p <= schema.Uint64 }

// intAs gives an int the type that a schema asks for: a constant in a program has
// none of its own.
func intAs(n int, want schema.DType) any {
	switch {
	case isFloat(want.Primitive):
		return float64(n)
	case isUnsigned(want.Primitive) && n >= 0:
		return uint64(n)
	}
	return int64(n)
}

// attributeValue gives a value the type that a schema asks for.
func attributeValue(v any, want schema.DType) (any, error) {
	switch x := v.(type) {
	case time.Time:
		return isoTime(x), nil
	case []time.Time:
		return convert(x, isoTime), nil
	case int:
		return intAs(x, want), nil
	case []int:
		return convert(x, func(n int) any { return intAs(n, want) }), nil
	case write.Data, *write.Dataset, Fields, Object, Column, Region:
		return nil, fmt.Errorf("is an attribute, which no %v can be", reflect.TypeOf(v))
	}
	return v, nil
}
