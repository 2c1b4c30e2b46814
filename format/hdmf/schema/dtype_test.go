package schema

import (
	"slices"
	"testing"
)

func TestStoredTypesAreAllowedAsInHDMF(t *testing.T) {
	g, err := loadGolden()
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Allowable) < 20 {
		t.Fatalf("only %d types", len(g.Allowable))
	}
	for asked, allowed := range g.Allowable {
		p, ok := ParsePrimitive(asked)
		if !ok {
			t.Errorf("%s is unknown", asked)
		}
		for stored := range g.Allowable {
			q, _ := ParsePrimitive(stored)
			if want := slices.Contains(allowed, stored); p.Allows(q) != want {
				t.Errorf("%s for %s: allowed %v, by hdmf %v", stored, asked, !want, want)
			}
		}
	}
	for p := Unspecified; p <= Compound; p++ {
		if !Unspecified.Allows(p) || !p.Allows(p) {
			t.Errorf("%v is not allowed", p)
		}
		if q, ok := ParsePrimitive(p.String()); ok && q != p {
			t.Errorf("%v is read as %v", p, q)
		}
	}
	if p, ok := ParsePrimitive("str"); !ok || p != ASCII { // of the table of the storage text
		t.Errorf("str is read as %v", p)
	}
	if _, ok := ParsePrimitive("float16"); ok || Primitive(200).String() != "unknown" {
		t.Error("unknown types are known")
	}
}

func TestDatesAreReadAsInHDMF(t *testing.T) {
	g, err := loadGolden()
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Times) < 20 {
		t.Fatalf("only %d texts", len(g.Times))
	}
	for _, tt := range g.Times {
		valid, zoned := DateTime(tt[0].(string))
		if valid != tt[1].(bool) || zoned != tt[2].(bool) {
			t.Errorf("%q: valid %v, zone %v, by hdmf %v, %v", tt[0], valid, zoned, tt[1], tt[2])
		}
	}
}

func TestCompoundsAreComparedByPosition(t *testing.T) {
	asked, err := parseDType([]byte(`[{"name":"i","dtype":"int"},{"name":"t","dtype":{"target_type":"T","reftype":"object"}}]`))
	if err != nil {
		t.Fatal(err)
	}
	if s := asked.String(); s != "compound of i int32, t object reference to T" {
		t.Error(s)
	}
	for _, tt := range []struct {
		stored string
		want   bool
	}{
		{`[{"name":"a","dtype":"int64"},{"name":"b","dtype":"object"}]`, true},
		{`[{"name":"a","dtype":"int64"},{"name":"b","dtype":"object"},{"name":"c","dtype":"text"}]`, true},
		{`[{"name":"i","dtype":"int16"},{"name":"t","dtype":"object"}]`, false},
		{`[{"name":"i","dtype":"int32"},{"name":"t","dtype":"region"}]`, false},
		{`[{"name":"i","dtype":"int32"}]`, false},
		{`"int32"`, false},
	} {
		stored, err := parseDType([]byte(tt.stored))
		if err != nil {
			t.Fatal(err)
		}
		if asked.Allows(stored) != tt.want {
			t.Errorf("%s is allowed: %v", tt.stored, !tt.want)
		}
	}
	if (DType{Primitive: Int8}).Allows(asked) {
		t.Error("a compound for an integer")
	}
}

func TestQuantities(t *testing.T) {
	for _, tt := range []struct {
		raw      string
		want     Quantity
		text     string
		required bool
		many     bool
	}{
		{`1`, ExactlyOne, "1", true, false},
		{`"?"`, ZeroOrOne, "?", false, false},
		{`"zero_or_one"`, ZeroOrOne, "?", false, false},
		{`"*"`, ZeroOrMany, "*", false, true},
		{`"zero_or_many"`, ZeroOrMany, "*", false, true},
		{`"+"`, OneOrMany, "+", true, true},
		{`"one_or_many"`, OneOrMany, "+", true, true},
		{`3`, Quantity{3, 3}, "3", true, true},
		{`"4"`, Quantity{4, 4}, "4", true, true},
	} {
		q, err := parseQuantity([]byte(tt.raw))
		if err != nil || q != tt.want || q.String() != tt.text || q.Required() != tt.required || q.Many() != tt.many {
			t.Errorf("%s: %v %v", tt.raw, q, err)
		}
	}
	if OneOrMany.Fits(0) || !OneOrMany.Fits(9) || ZeroOrOne.Fits(2) || !ZeroOrOne.Fits(0) || (Quantity{3, 3}).Fits(2) {
		t.Error("quantities fit badly")
	}
}
