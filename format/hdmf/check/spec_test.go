package check_test

import (
	"context"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf/check"
)

const things = `{"groups":[
 {"data_type_def":"Thing","doc":"d","attributes":[
   {"name":"label","dtype":"text","doc":"d"},
   {"name":"size","dtype":"uint8","required":false,"doc":"d"},
   {"name":"code","dtype":"ascii","required":false,"doc":"d"},
   {"name":"scale","dtype":"float32","required":false,"doc":"d"},
   {"name":"on","dtype":"bool","required":false,"doc":"d"},
   {"name":"made","dtype":"isodatetime","required":false,"doc":"d"},
   {"name":"tags","dtype":"text","shape":[null],"required":false,"doc":"d"},
   {"name":"peer","dtype":{"target_type":"Thing","reftype":"object"},"required":false,"doc":"d"}],
  "datasets":[
   {"name":"numbers","dtype":"float32","shape":[[null],[null,3]],"quantity":"?","doc":"d"},
   {"name":"when","dtype":"isodatetime","shape":[null],"quantity":"?","doc":"d"},
   {"name":"fixed","dtype":"text","value":"yes","quantity":"?","doc":"d"},
   {"name":"pairs","dtype":[{"name":"x","dtype":"int32","doc":"d"},{"name":"y","dtype":{"target_type":"Thing","reftype":"object"},"doc":"d"}],"shape":[null],"quantity":"?","doc":"d"},
   {"name":"friends","dtype":{"target_type":"Big","reftype":"object"},"shape":[null],"quantity":"?","doc":"d"}],
  "links":[{"name":"friend","target_type":"Thing","quantity":"?","doc":"d"}]},
 {"data_type_def":"Big","data_type_inc":"Thing","doc":"d"},
 {"data_type_def":"Wheel","doc":"d"},
 {"data_type_def":"Car","doc":"d","attributes":[{"name":"kind","dtype":"text","value":"car","doc":"d"}],
  "groups":[{"data_type_inc":"Wheel","quantity":2,"doc":"d"},{"name":"engine","data_type_inc":"Thing","linkable":false,"doc":"d"},
            {"name":"spare","data_type_inc":"Big","quantity":"?","doc":"d"},{"name":"notes","quantity":"?","doc":"d"}]},
 {"data_type_def":"Shelf","doc":"d","groups":[{"data_type_inc":"Thing","quantity":"*","doc":"d"},{"data_type_inc":"Big","doc":"d"},
   {"name":"best","data_type_inc":"Big","quantity":"?","doc":"d","attributes":[{"name":"prize","dtype":"text","doc":"d"}]},
   {"name":"label","quantity":"?","doc":"d","attributes":[{"name":"colour","dtype":"text","doc":"d"}]}]},
 {"data_type_def":"Root","doc":"d","groups":[{"data_type_inc":"Shelf","quantity":"*","doc":"d"},{"data_type_inc":"Thing","quantity":"*","doc":"d"},{"data_type_inc":"Car","quantity":"*","doc":"d"}]}
]}`

// car adds a car that is as it should be.
func (f files) car() {
	f.group("car", typed("Car", `"kind":"car"`))
	f.group("car/w1", typed("Wheel"))
	f.group("car/w2", typed("Wheel"))
	f.group("car/engine", typed("Thing", `"label":"e"`))
}

func TestObjectsAreAsTheirSchemasSay(t *testing.T) {
	schema := catalog(t, things)
	for name, test := range map[string]struct {
		make func(f files)
		want []string
	}{
		"as it should be": {func(f files) {
			f.group("a", typed("Thing", `"label":"x","size":7,"code":"abc","scale":0.5,"on":true,"made":"2024-05-01T12:00:00+02:00","tags":["a"],"peer":{"_REFERENCE":{"source":".","path":"/b"}},"_LINKS":[{"name":"friend","source":".","path":"/b"}]`))
			f.floats("a/numbers", "", []int{1, 3}, 1, 2, 3)
			f.texts("a/when", "", false, "2024-05-01T12:00:00Z")
			f.texts("a/fixed", "", true, "yes")
			f.texts("a/friends", `"_DTYPE":"object_reference"`, false, "/b", "/b")
			f.group("b", typed("Big", `"label":"y"`))
			f.car()
			f.group("car/notes", "")
			f.texts("car/notes/anything", `"more":1`, true, "goes")
		}, nil},
		"missing attribute": {func(f files) { f.group("a", typed("Big")) }, []string{`/a MissingError attribute "label" is missing`}},
		"null attribute":    {func(f files) { f.group("a", typed("Thing", `"label":null`)) }, []string{`/a DtypeError "label" is null`, `/a MissingError "label"`}},
		"types of attributes": {func(f files) {
			f.group("a", typed("Thing", `"label":1,"size":-1,"scale":1,"on":"yes","tags":[1],"peer":"/b"`))
		}, []string{
			`/a DtypeError "label" is int64, must be text`, `/a DtypeError "size" is int64, must be uint8`, `/a DtypeError "scale" is int64, must be float32`,
			`/a DtypeError "on" is text, must be bool`, `/a DtypeError "tags" is int64, must be text`, `/a DtypeError "peer" is text, must be object reference to Thing`}},
		"dates": {func(f files) {
			f.group("a", typed("Thing", `"label":"x","made":"yesterday"`))
			f.group("b", typed("Thing", `"label":"x","made":"2024-05-01T12:00:00"`))
			f.texts("b/when", "", false, "2024-05-01T12:00:00Z", "2024-13-01T12:00:00Z")
		}, []string{`/a DtypeError must be a date and time`, `/b DtypeError without its time zone`, `/b/when DtypeError element 1 is "2024-13-01T12:00:00Z"`}},
		"fixed values": {func(f files) {
			f.group("a", typed("Thing", `"label":"x"`))
			f.texts("a/fixed", "", true, "no")
			f.car()
			f.group("car", typed("Car", `"kind":"cart"`))
		}, []string{`/a/fixed IncorrectValue is "no", must be "yes"`, `/car IncorrectValue "kind" is "cart", must be "car"`}},
		"shapes": {func(f files) {
			f.group("a", typed("Thing", `"label":"x","tags":"single"`))
			f.empty("a/numbers", "float32", "", 5, 2)
			f.texts("a/when", "", true, "2024-05-01T12:00:00Z")
		}, []string{`/a ExpectedArrayError "tags" is a single value`, `/a/numbers ShapeError shape [5,2], must be [*] or [*, 3]`, `/a/when ExpectedArrayError single value`}},
		"single number": {func(f files) {
			f.group("a", typed("Thing", `"label":"x"`))
			f.empty("a/numbers", "float32", "")
		}, []string{`/a/numbers ShapeError shape [], must be [*] or [*, 3]`}},
		"nested attribute": {func(f files) { f.group("a", typed("Thing", `"label":"x","tags":[["a","b"]]`)) }, []string{`/a ShapeError "tags" has shape [1,2]`}},
		"type of a dataset": {func(f files) {
			f.group("a", typed("Thing", `"label":"x"`))
			f.empty("a/numbers", "int32", "", 5)
		}, []string{`/a/numbers DtypeError holds int32, must be float32`}},
		"narrow type of a dataset": {func(f files) {
			f.group("a", typed("Thing", `"label":"x"`))
			f.empty("a/numbers", "float16", "", 5)
		}, []string{`/a/numbers DtypeError holds float16, must be float32`}},
		"no compound": {func(f files) {
			f.group("a", typed("Thing", `"label":"x"`))
			f.empty("a/pairs", "int32", "", 5)
		}, []string{`/a/pairs DtypeError holds int32, must be compound of x int32, y object reference to Thing`}},
		"text instead of references": {func(f files) {
			f.group("a", typed("Thing", `"label":"x"`))
			f.texts("a/friends", "", false, "/a")
		}, []string{`/a/friends DtypeError holds text, must be object reference to Big`}},
		"bare numbers": {func(f files) {
			f.group("a", typed("Thing", `"label":"x","scale":-Infinity,"size":NaN`))
		}, []string{`/a DtypeError "size" is float64`}},
		"fields of compounds": {func(f files) {
			for name, fields := range map[string]string{"a": `{"name":"x","data_type":"int32"}`, "b": `{"name":"x","data_type":"int16"},{"name":"y","data_type":"int32"}`} {
				f.group(name, typed("Thing", `"label":"x"`))
				f.empty(name+"/pairs", `{"name":"struct","configuration":{"fields":[`+fields+`]}}`, "", 5)
			}
		}, []string{`/a/pairs DtypeError holds compound of int32, must be`, `/b/pairs DtypeError holds compound of int16, int32, must be`}},
		"places that lack objects come first": {func(f files) {
			f.group("s", typed("Shelf"))
			f.group("s/a", typed("Thing", `"label":"x"`))
			f.group("s/b", typed("Big", `"label":"x"`))
		}, nil},
		"what the place of a link asks": {func(f files) {
			f.group("b", typed("Big", `"label":"x"`))
			f.group("s", typed("Shelf", `"_LINKS":[{"name":"best","source":".","path":"/b"}]`))
			f.group("s/b", typed("Big", `"label":"x"`))
		}, []string{`/b MissingError "prize"`}},
		"unknown type where others are known": {func(f files) {
			f.group("s", typed("Shelf"))
			f.group("s/b", typed("Big", `"label":"x"`))
			f.group("s/label", typed("Nothing", `"colour":"red","more":1`))
		}, []string{`/s/label UnknownType t.Nothing`}},
		"names of axes": {func(f files) {
			f.group("a", typed("Thing", `"label":"x"`))
			f.empty("a/numbers", "float32", `"_ARRAY_DIMENSIONS":["x","y"]`, 5)
		}, []string{`/a/numbers ShapeError names 2 axes, the dataset has 1`}},
		"extra fields": {func(f files) {
			f.group("a", typed("Thing", `"label":"x","colour":"red"`))
			f.empty("a/more", "int8", "", 1)
			f.group("c", "")
		}, []string{`/a ExtraField attribute "colour"`, `/a/more ExtraField dataset`, `/c ExtraField group`}},
		"unknown type":          {func(f files) { f.group("a", typed("Nothing")) }, []string{`/a UnknownType t.Nothing`}},
		"type and no namespace": {func(f files) { f.group("a", `"data_type":"Nothing"`) }, []string{`/a UnknownType does not say of which namespace`}},
		"unknown namespace":     {func(f files) { f.group("a", `"namespace":"u","data_type":"X"`) }, []string{`/ MissingSpec "u"`}},
		"type of another kind":  {func(f files) { f.empty("a", "int8", typed("Thing"), 1) }, []string{`/a IncorrectDataType is a dataset, and its type t.Thing is one of groups`}},
		"too few":               {func(f files) { f.car(); f.move("car/w2", "") }, []string{`/car IncorrectQuantityError holds 1 of group of type Wheel, must be 2`}},
		"too many":              {func(f files) { f.car(); f.group("car/w3", typed("Wheel")) }, []string{`/car IncorrectQuantityError holds 3 of group of type Wheel, must be 2`}},
		"missing type":          {func(f files) { f.car(); f.move("car/engine", "") }, []string{`/car MissingDataType group "engine" of type Thing is missing`}},
		"illegal link": {func(f files) {
			f.car()
			f.move("car/engine", "other")
			f.group("car", typed("Car", `"kind":"car","_LINKS":[{"name":"engine","source":".","path":"/other"}]`))
		}, []string{`/car IllegalLinkError "engine" is a link`}},
		"base instead of derived":  {func(f files) { f.car(); f.group("car/spare", typed("Thing", `"label":"x"`)) }, []string{`/car/spare IncorrectDataType is of type t.Thing, must be of type Big`}},
		"dataset instead of group": {func(f files) { f.car(); f.empty("car/notes", "int8", "", 1) }, []string{`/car/notes IncorrectDataType is a dataset, must be a group`}},
		"targets": {func(f files) {
			f.car()
			f.group("a", typed("Thing", `"label":"x","peer":{"_REFERENCE":{"source":".","path":"/car"}},"_LINKS":[{"name":"friend","source":".","path":"/car"}]`))
			f.texts("a/friends", `"_DTYPE":"object_reference"`, false, "/a", "/car/engine")
		}, []string{
			`/a IncorrectDataType attribute "peer" leads to /car, which is of type t.Car, must be of type Thing`, `/a/friend IncorrectDataType is of type t.Car, must be of type Thing`,
			`/a/friends IncorrectDataType element 0 leads to /a, which is of type t.Thing, must be of type Big`, `/a/friends IncorrectDataType element 1`}},
	} {
		t.Run(name, func(t *testing.T) {
			f := made(typed("Root"))
			test.make(f)
			want(t, findings(t, in(t, f), check.Options{Schema: schema}), test.want...)
		})
	}
}

func TestRootWithoutType(t *testing.T) {
	f := made("")
	f.group("a", typed("Thing"))
	want(t, findings(t, in(t, f), check.Options{Schema: catalog(t, things)}), `/ MissingError has no type`, `/a MissingError "label"`)
}

// A file without schemas is checked as far as it goes, and a given schema makes up
// for what it lacks.
func TestSchemaIsGiven(t *testing.T) {
	f := made(typed("Root"))
	f.group("a", typed("Thing"))
	want(t, findings(t, in(t, f), check.Options{}), `/ MissingSpec no .specloc`)
	want(t, findings(t, in(t, f), check.Options{Schema: catalog(t, things)}), `/a MissingError "label"`)
}

func TestNoSchemasWhereTheyShouldBe(t *testing.T) {
	f := made(typed("Root", `".specloc":"specifications"`))
	f.group("specifications", "")
	want(t, findings(t, in(t, f), check.Options{}), "/specifications MissingSpec holds no schema")
}

func TestSchemasThatNobodyNames(t *testing.T) {
	schema, err := in(t, unpacked(t, "broken_v3/good.nwb.zarr")).Schemas(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	f := unpacked(t, "broken_v3/missing_specloc.nwb.zarr")
	want(t, findings(t, in(t, f), check.Options{Schema: schema}), "/ MissingSpec /specifications")
}

// Cached schemas that are not there or broken are told one by one.
func TestBrokenSchemas(t *testing.T) {
	name := "specifications/core/2.11.0/"
	for what, test := range map[string]struct {
		change func(f files)
		want   string
	}{
		"nothing there":  {func(f files) { f.move("specifications", "") }, "/specifications MissingSpec "},
		"no namespace":   {func(f files) { f.move(name+"namespace", "") }, "/specifications/core/2.11.0/namespace MissingSpec is missing"},
		"lacks a source": {func(f files) { f.move(name+"nwb.device", "") }, "/specifications/core/2.11.0/nwb.device MissingSpec is missing"},
		"no JSON": {func(f files) {
			f[name+"nwb.device/c"] = vlen([]string{`{"groups":[`})
			f.attributes(name+"nwb.device", func(map[string]any) {})
			doc := f.load(name + "nwb.device/zarr.json")
			doc["codecs"] = []any{map[string]any{"name": "vlen-utf8"}}
			f.save(name+"nwb.device/zarr.json", doc)
		}, "/specifications/core/2.11.0/nwb.device MissingSpec "},
		"damaged chunk": {func(f files) { f[name+"nwb.device/c"] = []byte("rubbish") }, "/specifications/core/2.11.0/nwb.device MissingSpec "},
	} {
		t.Run(what, func(t *testing.T) {
			f := unpacked(t, "broken_v3/good.nwb.zarr")
			test.change(f)
			found := findings(t, in(t, f), check.Options{})
			for _, x := range found {
				if strings.HasPrefix(test.want, x.Path+" "+x.Rule+" ") {
					want(t, []check.Finding{x}, test.want)
					return
				}
			}
			t.Errorf("no %s in %v", test.want, found)
		})
	}
}
