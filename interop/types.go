package main

import "fmt"

// typeCase is a data type with a fill value that is not zero.
type typeCase struct {
	name string // in case names
	json string
	fill string
}

// dataTypes are all data types that metadata can name.
func dataTypes() []typeCase {
	out := []typeCase{
		{"bool", `"bool"`, `true`},
		{"r8", `"r8"`, `[7]`},
		{"r16", `"r16"`, `[1,255]`},
		{"r24", `"r24"`, `[1,2,3]`},
		{"r64", `"r64"`, `[1,2,3,4,5,6,7,8]`},
		{"complex64", `"complex64"`, `[1.5,"NaN"]`},
		{"complex128", `"complex128"`, `["-Infinity",-0.5]`},
		{"string", `"string"`, `"grün"`},
		{"bytes", `"bytes"`, `"AQI="`},
		{"variable_length_bytes", `"variable_length_bytes"`, `"AQI="`},
		configured("fixed_length_utf32", `"length_bytes":16`, `"grün"`),
		configured("null_terminated_bytes", `"length_bytes":5`, `"AQI="`),
		configured("raw_bytes", `"length_bytes":6`, `"AQIDBAUG"`),
		configured("numpy.datetime64", `"unit":"ns","scale_factor":1`, `"NaT"`),
		configured("numpy.timedelta64", `"unit":"ms","scale_factor":10`, `-5`),
		configured("struct", `"fields":[{"name":"a","data_type":"uint16"},{"name":"b","data_type":"float64"},{"name":"c","data_type":"int8"}]`,
			`{"a":1,"b":"NaN","c":-1}`),
		configured("structured", `"fields":[["a","int32"],["b","uint8"]]`, `"AQAAAAI="`),
	}
	nested := configured("struct",
		`"fields":[{"name":"p","data_type":{"name":"struct","configuration":{"fields":[{"name":"x","data_type":"float32"},{"name":"y","data_type":"float32"}]}}},`+
			`{"name":"t","data_type":{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}}]`,
		`{"p":{"x":1.0,"y":2.0},"t":"NaT"}`)
	nested.name = "struct-nested"
	out = append(out, nested)
	for _, bits := range []string{"2", "4", "8", "16", "32", "64"} {
		out = append(out, plain("int"+bits, "-2"), plain("uint"+bits, "3"))
	}
	for _, f := range []string{
		"float16", "bfloat16", "float32", "float64",
		"float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn",
		"float8_e3m4", "float8_e4m3", "float8_e4m3fn", "float8_e4m3b11fnuz", "float8_e4m3fnuz",
		"float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu",
	} {
		out = append(out, plain(f, "2.0"), plain("complex_"+f, "[1.0,2.0]"))
	}
	return out
}

func plain(name, fill string) typeCase { return typeCase{name, `"` + name + `"`, fill} }

func configured(name, config, fill string) typeCase {
	return typeCase{name, fmt.Sprintf(`{"name":"%s","configuration":{%s}}`, name, config), fill}
}

// fillSpellings are further fill values by type.
var fillSpellings = map[string][]string{
	"bool":     {`false`},
	"int8":     {`-128`, `127`},
	"int64":    {`-9223372036854775808`, `9223372036854775807`},
	"uint64":   {`18446744073709551615`, `9007199254740993`},
	"float16":  {`"NaN"`, `"Infinity"`, `"-Infinity"`, `"0x7e01"`, `65504`, `-0.0`},
	"float32":  {`"NaN"`, `"Infinity"`, `"-Infinity"`, `"0x7fc00001"`, `0.1`, `1e-45`, `-0.0`, `1`},
	"float64":  {`"NaN"`, `"Infinity"`, `"-Infinity"`, `"0xfff8000000000001"`, `0.1`, `5e-324`, `1.7976931348623157e308`},
	"bfloat16": {`"NaN"`, `"Infinity"`, `"0x7fc1"`, `1.5`},

	"float8_e5m2":    {`"NaN"`, `"0x3c"`},
	"float8_e8m0fnu": {`"NaN"`, `"0x80"`},

	"complex64":  {`[0.0,1.0]`, `["0x7fc00001","Infinity"]`, `["NaN","NaN"]`},
	"complex128": {`[0.1,-0.1]`, `["NaN","-Infinity"]`},
	"string":     {`""`, `"数据\u0000 \"quoted\""`},
	"bytes":      {`""`, `"AP8="`},

	"numpy.datetime64": {`0`, `-9223372036854775807`},
}

// fillCases are arrays without chunks: what a reader gives is the fill value.
func fillCases() []spec {
	var out []spec
	for _, t := range dataTypes() {
		for i, fill := range fillSpellings[t.name] {
			out = append(out, spec{
				name: fmt.Sprintf("fill/%s/%d", t.name, i), typ: t.json, fill: fill,
				shape: []int{2, 3}, chunks: []int{2, 2}, codecs: serializer(t.json, "little"), empty: true,
			})
		}
	}
	return out
}
