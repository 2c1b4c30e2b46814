package hdf5_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/internal/thorough"
)

// expected is what h5py sees in a file.
type expected struct {
	Userblock  int64
	Superblock int
	Sizes      [2]int
	Objects    map[string]object
}

type object struct {
	Kind       string
	Space      string
	Shape      []uint64
	Max        []*uint64 `json:"maxshape"`
	Type       typ
	DType      string
	Layout     string
	Chunks     []uint64
	Filters    []filter
	Fill       string
	External   []external
	Virtual    []json.RawMessage
	Offset     *int64
	Stored     *int    `json:"stored_chunks"`
	Map        string  `json:"chunk_map_sha256"`
	MapList    [][]any `json:"chunk_map"`
	Attributes map[string]object
	SHA        string `json:"sha256"`
	Raw        string `json:"raw_sha256"`
	Values     json.RawMessage
	Error      string `json:"h5py_error"`
	ChunkError string `json:"chunk_error"`
	Note       string
	Count      int
	Members    []json.RawMessage
	MembersSHA string          `json:"members_sha256"`
	Order      []string        `json:"creation_order"`
	Same       string          `json:"same_as"`
	Target     string          `json:"target"`
	File       string          `json:"file"`
	Resolves   json.RawMessage `json:"resolves"`
	HardLinks  int             `json:"hard_links"`
}

type filter struct {
	ID       uint16
	Name     string
	Optional bool
	Values   []uint32
}

type external struct {
	File   string
	Offset uint64
	Size   *uint64
}

type typ struct {
	Size      int
	Class     string
	Order     string
	Signed    *bool
	Precision int
	BitOffset int `json:"bit_offset"`
	Sign      int
	Exponent  []int
	Mantissa  []int
	Bias      uint32
	Norm      string
	Variable  bool
	Pad       string
	Charset   string
	Tag       string
	Kind      string
	Base      *typ
	Dims      []int
	Committed bool
	Members   json.RawMessage
}

// part is a name of a path as the files spell it.
func spelled(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return "$bytes:" + hex.EncodeToString([]byte(name))
}

// digest checks everything in a file against what h5py sees.
type digest struct {
	t     *testing.T
	name  string
	f     *hdf5.File
	paths map[uint64]string
	seen  map[string]bool
	count counts
}

type counts struct{ datasets, right, unread, attributes int }

func TestFixtures(t *testing.T) {
	files := fixtures(t)
	var all counts
	n := 0
	for _, name := range slices.Sorted(mapKeys(files)) {
		doc, ok := strings.CutSuffix(name, ".expected.json")
		if !ok {
			continue
		}
		if n++; n%thorough.Least(4, 1, 1) != 0 {
			continue
		}
		var e expected
		check(t, json.Unmarshal(files[name], &e))
		f, err := open(files, doc)
		if err != nil {
			t.Errorf("%s: %v", doc, err)
			continue
		}
		d := &digest{t: t, name: doc, f: f, paths: map[uint64]string{}, seen: map[string]bool{}}
		d.file(e)
		check(t, f.Close())
		all.datasets += d.count.datasets
		all.right += d.count.right
		all.unread += d.count.unread
		all.attributes += d.count.attributes
	}
	t.Logf("%d files, %d datasets, values of %d right, of %d not decoded here, %d attributes", n, all.datasets, all.right, all.unread, all.attributes)
	if n == 0 || all.right+all.unread != all.datasets {
		t.Errorf("%d of %d datasets are wrong", all.datasets-all.right-all.unread, all.datasets)
	}
	if os.Getenv("OMNIZARR_HDF5") == "" && (n < 20 || all.datasets < thorough.Least(50, 400, 400)) {
		t.Errorf("only %d files with %d datasets", n, all.datasets)
	}
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func (d *digest) errorf(path, format string, args ...any) {
	d.t.Helper()
	d.t.Errorf("%s %s: %s", d.name, path, fmt.Sprintf(format, args...))
}

func (d *digest) file(e expected) {
	if d.f.Base() != e.Userblock || d.f.Superblock != e.Superblock {
		d.errorf("", "superblock %d at %d", d.f.Superblock, d.f.Base())
	}
	if o, l := d.f.Sizes(); o != e.Sizes[0] || l != e.Sizes[1] {
		d.errorf("", "sizes %d %d", o, l)
	}
	root := d.f.Root()
	d.paths[root.Address()] = "/"
	type found struct {
		path   string
		link   hdf5.Link
		object *hdf5.Object
	}
	all := []found{{"/", hdf5.Link{}, root}}
	err := root.Walk(func(path string, l hdf5.Link, x *hdf5.Object, err error) error {
		parts := strings.Split(path, "/")
		for i, p := range parts {
			parts[i] = spelled(p)
		}
		path = strings.Join(parts, "/")
		if err != nil {
			d.errorf(path, "%v", err)
		}
		if x != nil {
			d.paths[x.Address()] = path
		}
		all = append(all, found{path, l, x})
		return nil
	})
	check(d.t, err)
	for _, x := range all {
		o, ok := e.Objects[x.path]
		d.seen[x.path] = true
		if !ok { // only some of many are listed
			continue
		}
		d.object(x.path, o, x.link, x.object)
	}
	for path := range e.Objects {
		if !d.seen[path] {
			d.errorf(path, "is not found")
		}
	}
}

func (d *digest) object(path string, o object, l hdf5.Link, x *hdf5.Object) {
	switch o.Kind {
	case "hard":
		if l.Kind != hdf5.Hard || d.paths[l.Address] != o.Same {
			d.errorf(path, "is %s, not %s", d.paths[l.Address], o.Same)
		}
	case "soft", "external":
		d.link(path, o, l)
	case "group":
		if x == nil || x.Kind != hdf5.KindGroup {
			d.errorf(path, "is no group")
			return
		}
		d.group(path, o, x)
		d.attributes(path, o, x)
	case "datatype":
		if x == nil || x.Kind != hdf5.KindDatatype {
			d.errorf(path, "is no datatype")
			return
		}
		t, err := x.Datatype()
		if err != nil {
			d.errorf(path, "%v", err)
			return
		}
		d.typ(path, o.Type, t)
		d.attributes(path, o, x)
	case "dataset":
		d.count.datasets++
		if x == nil || x.Kind != hdf5.KindDataset {
			d.errorf(path, "is no dataset")
			return
		}
		d.attributes(path, o, x)
		ds, err := x.Dataset()
		if err != nil {
			d.errorf(path, "%v", err)
			return
		}
		d.dataset(path, o, ds)
	default:
		d.errorf(path, "kind %q", o.Kind)
	}
}

// link follows a link that is not hard.
func (d *digest) link(path string, o object, l hdf5.Link) {
	want := hdf5.Soft
	if o.Kind == "external" {
		want = hdf5.External
	}
	if l.Kind != want || l.Target != o.Target || l.File != o.File {
		d.errorf(path, "link %+v", l)
	}
	dir, err := d.f.Lookup(path[:strings.LastIndex(path, "/")+1])
	check(d.t, err)
	x, err := dir.Follow(l)
	var to string
	_ = json.Unmarshal(o.Resolves, &to)
	switch {
	case to == "" && err == nil:
		d.errorf(path, "leads to something")
	case to == "":
	case err != nil:
		d.errorf(path, "%v", err)
	case o.Kind == "soft" && d.paths[x.Address()] != to:
		d.errorf(path, "leads to %s", d.paths[x.Address()])
	case o.Kind == "external" && []string{"group", "dataset", "datatype"}[x.Kind] != to:
		d.errorf(path, "leads to a %d", x.Kind)
	}
}

func (d *digest) group(path string, o object, x *hdf5.Object) {
	links, err := x.Links()
	if err != nil || len(links) != o.Count {
		d.errorf(path, "%d members, not %d: %v", len(links), o.Count, err)
		return
	}
	for i, m := range o.Members {
		var name string
		check(d.t, json.Unmarshal(m, &name))
		if spelled(links[i].Name) != name {
			d.errorf(path, "member %d is %q, not %q", i, links[i].Name, name)
		}
	}
	if o.MembersSHA != "" {
		names := make([]string, len(links))
		for i, l := range links {
			names[i] = l.Name
		}
		if got := sum([]byte(strings.Join(names, "\n"))); got != o.MembersSHA {
			d.errorf(path, "names of members")
		}
	}
	if len(o.Order) > 0 {
		links = slices.Clone(links)
		slices.SortFunc(links, func(a, b hdf5.Link) int { return int(a.Order - b.Order) })
		for i, l := range links {
			if l.Name != o.Order[i] {
				d.errorf(path, "number %d is %q", i, l.Name)
			}
		}
	}
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

func (d *digest) attributes(path string, o object, x *hdf5.Object) {
	all, err := x.Attributes()
	if err != nil || len(all) != len(o.Attributes) {
		d.errorf(path, "%d attributes, not %d: %v", len(all), len(o.Attributes), err)
	}
	for _, a := range all {
		d.count.attributes++
		path := path + "@" + a.Name
		e, ok := o.Attributes[spelled(a.Name)]
		if !ok {
			d.errorf(path, "is not expected")
			continue
		}
		d.space(path, e, a.Space)
		d.typ(path, e.Type, a.Type)
		if _, err := a.Value(); err != nil && e.Error == "" {
			d.errorf(path, "%v", err)
		}
		d.values(path, e, a.Type, a.Raw)
	}
}

func (d *digest) space(path string, o object, s hdf5.Space) {
	kind := []string{"simple", "scalar", "null"}[s.Kind]
	if kind != o.Space || !slices.Equal(s.Shape, o.Shape) {
		d.errorf(path, "space %s %d, not %s %d", kind, s.Shape, o.Space, o.Shape)
	}
	if len(o.Max) == 0 {
		return
	}
	_, lengths := d.f.Sizes()
	for i, m := range o.Max {
		want := hdf5.Unlimited
		if m != nil && (*m != math.MaxUint32 || lengths == 8) { // which h5py takes for a number
			want = *m
		}
		if len(s.Max) <= i || s.Max[i] != want {
			d.errorf(path, "may grow to %d", s.Max)
			return
		}
	}
}

var classes = []string{"integer", "float", "time", "string", "bitfield", "opaque", "compound", "reference", "enum", "vlen", "array", "complex"}

func (d *digest) typ(path string, e typ, t *hdf5.Type) {
	fail := func(format string, args ...any) {
		d.errorf(path, "type: "+format+" for %+v", append(args, e)...)
	}
	if classes[t.Class] != e.Class || t.Variable != e.Variable {
		fail("class %s", classes[t.Class])
		return
	}
	// References, and compounds with text or sequences, have another size in memory.
	if e.Size != 0 && t.Size != e.Size && e.Class != "reference" && !bytes.Contains(e.Members, []byte(`"variable":true`)) && !bytes.Contains(e.Members, []byte(`"vlen"`)) {
		fail("size %d", t.Size)
	}
	if e.Committed != (t.Committed != hdf5.Undefined) {
		fail("committed %d", t.Committed)
	}
	if e.Order == "" && t.Order != hdf5.LittleEndian && t.Class != hdf5.Time {
		fail("order %d", t.Order)
	}
	if e.Order != "" && t.Size > 1 && []string{"little", "big", "vax"}[t.Order] != e.Order {
		fail("order %d", t.Order)
	}
	if e.Signed != nil && *e.Signed != t.Signed {
		fail("signed %v", t.Signed)
	}
	if e.Precision != 0 && (t.Precision != e.Precision || t.Offset != e.BitOffset) {
		fail("%d bits at %d", t.Precision, t.Offset)
	}
	if e.Mantissa != nil {
		l := t.Layout
		if l.Sign != e.Sign || l.ExponentAt != e.Exponent[0] || l.ExponentBits != e.Exponent[1] || l.MantissaAt != e.Mantissa[0] || l.MantissaBits != e.Mantissa[1] || l.Bias != e.Bias || l.Implied != (e.Norm == "implied") {
			fail("layout %+v", l)
		}
	}
	if e.Class == "string" {
		if p := []string{"nullterm", "nullpad", "spacepad"}[t.Padding]; p != e.Pad || t.UTF8 != (e.Charset == "utf-8") {
			fail("padding %s, %v", p, t.UTF8)
		}
	}
	if t.Tag != e.Tag || !slices.Equal(t.Dims, e.Dims) {
		fail("tag %q, dimensions %d", t.Tag, t.Dims)
	}
	if e.Kind != "" && []string{"object", "region", "new", "new", "new"}[t.Kind] != e.Kind {
		fail("kind %d", t.Kind)
	}
	if e.Base != nil {
		d.typ(path, *e.Base, t.Base)
	}
	switch e.Class {
	case "compound":
		var members []struct {
			Name   json.RawMessage
			Offset int
			Type   typ
		}
		check(d.t, json.Unmarshal(e.Members, &members))
		if len(members) != len(t.Members) {
			fail("%d members", len(t.Members))
			return
		}
		// Text and sequences have another size in memory, which moves members.
		for i, m := range members {
			d.typ(path+"."+t.Members[i].Name, m.Type, t.Members[i].Type)
		}
	case "enum":
		var members map[string]json.Number
		check(d.t, json.Unmarshal(e.Members, &members))
		if len(members) != len(t.Members) {
			fail("%d members", len(t.Members))
		}
		for _, m := range t.Members {
			v, err := d.f.Decode(t.Base, m.Value)
			if err != nil || fmt.Sprint(v) != members[m.Name].String() {
				fail("member %s is %v", m.Name, v)
			}
		}
	}
}

func (d *digest) dataset(path string, o object, x *hdf5.Dataset) {
	d.space(path, o, x.Space)
	d.typ(path, o.Type, x.Type)
	if got := []string{"compact", "contiguous", "chunked", "virtual"}[x.Layout.Class]; got != o.Layout {
		d.errorf(path, "layout %s, not %s", got, o.Layout)
	}
	if !slices.Equal(x.Layout.Chunk, o.Chunks) {
		d.errorf(path, "chunks %d, not %d", x.Layout.Chunk, o.Chunks)
	}
	known := true
	if len(x.Filters) != len(o.Filters) {
		d.errorf(path, "filters %+v", x.Filters)
	}
	for i, f := range x.Filters {
		known = known && f.ID <= 3
		if w := o.Filters[i]; f.ID != w.ID || f.Optional != w.Optional || !slices.Equal(f.Values, w.Values) {
			d.errorf(path, "filter %+v, not %+v", f, w)
		}
	}
	fill := "default"
	if !x.Fill.Defined {
		fill = "undefined"
	} else if x.Fill.User {
		fill = "user"
	}
	if fill != o.Fill {
		d.errorf(path, "fill is %s, not %s: %+v", fill, o.Fill, x.Fill)
	}
	if len(x.Externals) != len(o.External) || len(x.Mappings) != len(o.Virtual) {
		d.errorf(path, "external %+v, virtual %+v", x.Externals, x.Mappings)
	}
	for i, e := range o.External {
		size := hdf5.Unlimited
		if e.Size != nil {
			size = *e.Size
		}
		if x.Externals[i] != (hdf5.ExternalFile{Name: e.File, Offset: e.Offset, Size: size}) {
			d.errorf(path, "external %+v", x.Externals[i])
		}
	}
	if at, ok := x.Offset(); o.Offset != nil && (!ok || at != *o.Offset) {
		d.errorf(path, "lies at %d, not %d", at, *o.Offset)
	}
	d.chunks(path, o, x)
	if !known {
		d.count.unread++
		return
	}
	if o.SHA == "" && o.Raw == "" { // h5py cannot read it, or it is too large
		d.count.right++
		return
	}
	raw, err := x.ReadAll()
	if err != nil {
		d.errorf(path, "%v", err)
		return
	}
	if d.values(path, o, x.Type, raw) {
		d.count.right++
	}
}

// chunks compares where all chunks are, found one after the other and by index.
func (d *digest) chunks(path string, o object, x *hdf5.Dataset) {
	if o.Stored == nil {
		return
	}
	type at struct {
		offsets []uint64
		chunk   hdf5.Chunk
	}
	var all []at
	err := x.Chunks(func(index []uint64, c hdf5.Chunk) bool {
		again, ok, err := x.Chunk(index)
		if !ok || err != nil || again != c {
			d.errorf(path, "chunk %d is %+v, and %+v when it is asked for: %v", index, c, again, err)
		}
		offsets := slices.Clone(index)
		for i := range offsets {
			offsets[i] *= x.Layout.Chunk[i]
		}
		all = append(all, at{offsets, c})
		return true
	})
	if err != nil || len(all) != *o.Stored {
		d.errorf(path, "%d chunks, not %d: %v", len(all), *o.Stored, err)
	}
	if o.Map == "" {
		return
	}
	slices.SortFunc(all, func(a, b at) int { return slices.Compare(a.offsets, b.offsets) })
	var b []byte
	for _, c := range all {
		for _, x := range c.offsets {
			b = binary.LittleEndian.AppendUint64(b, x)
		}
		mask := c.chunk.Mask
		if mask == ^uint32(0) { // an edge that is not filtered, where the index has no mask
			mask = 0
		}
		b = binary.LittleEndian.AppendUint64(b, uint64(mask))
		b = binary.LittleEndian.AppendUint64(b, uint64(c.chunk.Offset))
		b = binary.LittleEndian.AppendUint64(b, c.chunk.Size)
	}
	if sum(b) != o.Map {
		d.errorf(path, "chunks lie elsewhere: %v, not %v", all[:min(len(all), 12)], o.MapList)
	}
}

// values compares the digest of elements.
func (d *digest) values(path string, o object, t *hdf5.Type, raw []byte) bool {
	want := o.SHA
	var b []byte
	if o.Raw != "" && want == "" {
		want, b = o.Raw, raw
	} else {
		if want == "" {
			return true
		}
		for i := 0; i+t.Size <= len(raw); i += t.Size {
			var err error
			if b, err = d.canonical(b, t, raw[i:i+t.Size]); err != nil {
				d.errorf(path, "%v", err)
				return false
			}
		}
	}
	if strings.Contains(path, "time_never") { // what is not stored is undefined
		return true
	}
	if bytes.Contains(o.Values, []byte("Unable to get object token")) { // no region, which h5py cannot tell
		return true
	}
	if sum(b) != want {
		d.errorf(path, "values differ: %.200x, not %.300s", b, o.Values)
		return false
	}
	return true
}

// canonical appends an element as the digests have it.
func (d *digest) canonical(dst []byte, t *hdf5.Type, raw []byte) ([]byte, error) {
	text := func(s string) []byte {
		return append(binary.LittleEndian.AppendUint32(dst, uint32(len(s))), s...)
	}
	each := func(t *hdf5.Type, raw []byte) ([]byte, error) {
		var err error
		for i := 0; i+t.Size <= len(raw) && err == nil; i += t.Size {
			dst, err = d.canonical(dst, t, raw[i:i+t.Size])
		}
		return dst, err
	}
	switch t.Class {
	case hdf5.Opaque:
		return append(dst, raw...), nil
	case hdf5.Compound:
		var err error
		for _, m := range t.Members {
			if dst, err = d.canonical(dst, m.Type, raw[m.Offset:m.Offset+m.Type.Size]); err != nil {
				return dst, err
			}
		}
		return dst, nil
	case hdf5.Enum:
		return d.canonical(dst, t.Base, raw)
	case hdf5.Array:
		return each(t.Base, raw)
	case hdf5.Complex:
		return each(t.Base, raw)
	case hdf5.Sequence:
		b, err := d.f.Sequence(raw, t.Base.Size)
		if err != nil {
			return dst, err
		}
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(b)/t.Base.Size))
		return each(t.Base, b)
	}
	v, err := d.f.Decode(t, raw)
	if err != nil {
		return dst, err
	}
	switch v := v.(type) {
	case string:
		if t.Variable {
			return text(v), nil
		}
		return text(v), nil
	case int64:
		return append(dst, binary.LittleEndian.AppendUint64(nil, uint64(v))[:t.Size]...), nil
	case uint64:
		return append(dst, binary.LittleEndian.AppendUint64(nil, v)[:t.Size]...), nil
	case *big.Int:
		return dst, errors.New("large")
	case float64:
		switch {
		case t.IEEE() && t.Size == 8 || t.Size > 8:
			return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v)), nil
		case t.IEEE() && t.Size == 4 || t.Size == 2 && !t.IEEE():
			return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(v))), nil
		case t.IEEE():
			b := slices.Clone(raw)
			if t.Order == hdf5.BigEndian {
				slices.Reverse(b)
			}
			return append(dst, b...), nil
		}
		return binary.LittleEndian.AppendUint16(dst, half(v)), nil
	case hdf5.Ref:
		return text(d.reference(v)), nil
	}
	return dst, fmt.Errorf("value %T", v)
}

// half is a number as float16, of those that are exact in it.
func half(v float64) uint16 {
	if v == 0 {
		return uint16(math.Float64bits(v) >> 48)
	}
	m, e := math.Frexp(math.Abs(v))
	bits := uint16(e+14)<<10 | uint16(m*2048)&0x3ff
	if v < 0 {
		bits |= 1 << 15
	}
	return bits
}

// reference is how the files tell a reference.
func (d *digest) reference(r hdf5.Ref) string {
	if r.Address == 0 {
		return "null"
	}
	path, ok := d.paths[r.Address]
	if !ok {
		_, err := d.f.Object(r.Address)
		if err == nil {
			d.errorf("", "a reference to %d leads to something", r.Address)
		}
		return `{"$dangling":"'Unable to open object by token"}`
	}
	quoted, _ := json.Marshal(path)
	if r.Region == nil {
		return fmt.Sprintf(`{"$ref":%s}`, quoted)
	}
	list := func(v any) string {
		out, _ := json.Marshal(v)
		return string(out)
	}
	switch s := r.Region; s.Kind {
	case hdf5.SelectAll, hdf5.SelectNone:
		name, n := "none", uint64(0)
		if s.Kind == hdf5.SelectAll {
			o, err := d.f.Object(r.Address)
			check(d.t, err)
			ds, err := o.Dataset()
			check(d.t, err)
			name = "all"
			n, _ = ds.Space.Len()
		}
		return fmt.Sprintf(`{"$region":{"path":%s,"points":%d,"select":"%s"}}`, quoted, n, name)
	case hdf5.SelectPoints:
		return fmt.Sprintf(`{"$region":{"at":%s,"path":%s,"points":%d,"select":"points"}}`, list(s.Points), quoted, len(s.Points))
	default:
		boxes := boxesOf(s)
		n := uint64(0)
		for _, x := range boxes {
			k := uint64(1)
			for i := range x[0] {
				k *= x[1][i] - x[0][i] + 1
			}
			n += k
		}
		return fmt.Sprintf(`{"$region":{"boxes":%s,"path":%s,"points":%d,"select":"boxes"}}`, list(boxes), quoted, n)
	}
}

// boxesOf gives all boxes of a selection, each by its first and last element.
func boxesOf(s *hdf5.Selection) [][2][]uint64 {
	if len(s.Start) == 0 {
		return s.Boxes
	}
	var out [][2][]uint64
	index := make([]uint64, len(s.Start))
	for {
		box := [2][]uint64{make([]uint64, len(index)), make([]uint64, len(index))}
		for i, k := range index {
			box[0][i] = s.Start[i] + k*s.Stride[i]
			box[1][i] = box[0][i] + s.Block[i] - 1
		}
		out = append(out, box)
		i := len(index) - 1
		for ; i >= 0; i-- {
			if index[i]++; index[i] < s.Count[i] {
				break
			}
			index[i] = 0
		}
		if i < 0 {
			return out
		}
	}
}
