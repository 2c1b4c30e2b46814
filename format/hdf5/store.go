package hdf5

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/store"
)

const (
	documentName = "zarr.json"
	chunkPrefix  = "c"
)

// Put refuses.
func (s *Store) Put(_ context.Context, key string, _ []byte, _ store.PutOptions) (store.Info, error) {
	return store.Info{}, store.WrapError("put", s.url, key, store.ErrReadOnly)
}

// Delete refuses.
func (s *Store) Delete(_ context.Context, key string) error {
	return store.WrapError("delete", s.url, key, store.ErrReadOnly)
}

// Get gives a document or a chunk.
func (s *Store) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := s.get(ctx, key, r, dst)
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", s.url, key, store.Damaged(err))
	}
	return out, info, nil
}

func (s *Store) get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if err := store.CheckKey(key); err != nil {
		return nil, store.Info{}, err
	}
	if err := ctx.Err(); err != nil {
		return nil, store.Info{}, err
	}
	if path, ok := strings.CutSuffix("/"+key, "/"+documentName); ok {
		n, err := s.node(strings.TrimPrefix(path, "/"))
		if err != nil {
			return nil, store.Info{}, err
		}
		text, err := s.marshal(n)
		if err != nil {
			return nil, store.Info{}, present(err)
		}
		out, err := r.Append(dst, text)
		return out, store.Info{Size: int64(len(text)), ETag: s.etag, Format: Format}, err
	}
	n, index, err := s.split(key)
	if err != nil {
		return nil, store.Info{}, err
	}
	x, err := s.place(ctx, n, index)
	if err != nil {
		return nil, store.Info{}, err
	}
	return s.part(ctx, x, r, dst)
}

// placed is a chunk: some bytes, then a part of the file, then zeros.
type placed struct {
	head []byte
	off  int64
	n    int64
	pad  int64
}

// part gives a part of a chunk.
func (s *Store) part(ctx context.Context, x placed, r store.Range, dst []byte) ([]byte, store.Info, error) {
	head := int64(len(x.head))
	total := head + x.n + x.pad
	from, n, err := r.Resolve(total)
	if err != nil {
		return nil, store.Info{}, err
	}
	info := store.Info{Size: total, ETag: s.etag}
	if from < head {
		k := min(n, head-from)
		dst = append(dst, x.head[from:from+k]...)
		from, n = from+k, n-k
	}
	from -= head
	if k := min(n, x.n-from); k > 0 {
		if dst, _, err = s.obj.Get(ctx, store.Part(x.off+from, k), dst); err != nil {
			return nil, store.Info{}, present(err)
		}
		n -= k
	}
	return append(dst, make([]byte, n)...), info, nil
}

// split takes the key of a chunk apart.
func (s *Store) split(key string) (*node, []uint64, error) {
	path, rest, ok := strings.Cut("/"+key+"/", "/"+chunkPrefix+"/")
	if !ok {
		return nil, nil, store.ErrNotExist
	}
	n, err := s.node(strings.TrimPrefix(path, "/"))
	if err != nil {
		return nil, nil, err
	}
	if n.d == nil {
		return nil, nil, store.ErrNotExist
	}
	index := make([]uint64, 0, len(n.grid))
	for rest != "" {
		part, more, _ := strings.Cut(rest, "/")
		k, err := strconv.ParseUint(part, 10, 62)
		axis := len(index)
		if n.turned {
			axis = len(n.grid) - 1 - axis
		}
		if err != nil || len(index) == len(n.grid) || k >= n.grid[axis] || strconv.FormatUint(k, 10) != part {
			return nil, nil, store.ErrNotExist
		}
		index, rest = append(index, k), more
	}
	if len(index) != len(n.grid) {
		return nil, nil, store.ErrNotExist
	}
	if n.turned {
		slices.Reverse(index)
	}
	return n, index, nil
}

// place tells where a chunk is, or makes it.
func (s *Store) place(ctx context.Context, n *node, index []uint64) (placed, error) {
	all := n
	if n.mosaic != nil {
		var err error
		if n, index, err = s.partAt(n, index); err != nil {
			return placed{}, err
		}
	}
	if n.letters {
		return s.lettersOf(n)
	}
	d := n.d
	for i, k := range index {
		if k*n.chunk[i] >= d.Space.Shape[i] { // it is shown with more than is stored
			return placed{}, store.ErrNotExist
		}
	}
	if !n.plain {
		return s.make(n, index)
	}
	size := uint64(d.Type.Size)
	switch d.Layout.Class {
	case hdf5.Chunked:
		c, ok, err := d.Chunk(index)
		if err != nil {
			return placed{}, err
		}
		if !ok {
			return placed{}, store.ErrNotExist
		}
		x := placed{off: c.Offset, n: int64(c.Size)}
		if len(d.Filters) > 0 {
			if _, err := s.describe(all); err != nil { // which finds out whether there are masks
				return placed{}, err
			}
			if x.head, err = all.head(c.Mask); err != nil {
				return placed{}, err
			}
		}
		return x, nil
	case hdf5.Compact:
		return placed{head: d.Layout.Data[:elements(n.chunk)*size]}, nil
	}
	at, ok := d.Offset()
	if !ok {
		return placed{}, store.ErrNotExist
	}
	// Chunks are whole behind one axis, so that they lie together.
	off, total := uint64(0), elements(d.Space.Shape)*size
	for i, k := range index {
		off = off*d.Space.Shape[i] + k*n.chunk[i]
	}
	off *= size
	want := elements(n.chunk) * size
	if total/size != elements(d.Space.Shape) || off > total {
		return placed{}, fmt.Errorf("layout: %d elements have a size that is too large", d.Space.Shape)
	}
	if end, err := d.Check(); err != nil || end < total {
		return placed{}, err
	}
	there := min(want, total-off)
	return placed{off: at + int64(off), n: int64(there), pad: int64(want - there)}, nil
}

// head is what stands in front of a chunk that left some filters out.
func (n *node) head(mask uint32) ([]byte, error) {
	if !n.masked {
		for _, i := range n.filters {
			if mask&(1<<i) != 0 { // of many datasets, not all were looked at
				return nil, fmt.Errorf("a chunk left out filter %d, which those of the first dataset have", n.d.Filters[i].ID)
			}
		}
		return nil, nil
	}
	head := make([]byte, (len(n.filters)+7)/8)
	for k, i := range n.filters {
		if mask&(1<<i) == 0 {
			head[k/8] |= 1 << (k % 8)
		}
	}
	return head, nil
}

// elements is how many elements a shape has.
func elements(shape []uint64) uint64 {
	n := uint64(1)
	for _, k := range shape {
		n *= k
	}
	return n
}

// mostMade is how many bytes a chunk may have that is made.
const mostMade = 1 << 30

// make makes a chunk that is no part of the file.
func (s *Store) make(n *node, index []uint64) (placed, error) {
	d := n.d
	if d.Layout.Class == hdf5.Chunked {
		if _, ok, err := d.Chunk(index); err != nil || !ok {
			if err == nil {
				err = store.ErrNotExist
			}
			return placed{}, err
		}
	}
	start, count := make([]uint64, len(index)), make([]uint64, len(index))
	for i, k := range index {
		start[i] = k * n.chunk[i]
		count[i] = min(n.chunk[i], d.Space.Shape[i]-start[i])
	}
	size := uint64(d.Type.Size)
	if elements(n.chunk) > mostMade/size {
		return placed{}, fmt.Errorf("layout: chunks of shape %d are too large to be made", n.chunk)
	}
	raw := make([]byte, elements(count)*size)
	if err := d.Read(raw, start, count); err != nil {
		return placed{}, present(err)
	}
	out, err := s.chunk(n, raw, count)
	return placed{head: out}, err
}

// chunk makes the bytes of a chunk of elements, which have the shape count. What
// lies beyond the edge is nothing.
func (s *Store) chunk(n *node, raw []byte, count []uint64) ([]byte, error) {
	size := n.d.Type.Size
	all := int(elements(n.chunk))
	// each calls do for all elements of the chunk, with nil for those outside.
	each := func(do func(raw []byte) error) error {
		index := make([]uint64, len(count))
		for range all {
			at, inside := uint64(0), true
			for i, k := range index {
				inside = inside && k < count[i]
				at = at*count[i] + k
			}
			var x []byte
			if inside {
				x = raw[at*uint64(size) : (at+1)*uint64(size)]
			}
			if err := do(x); err != nil {
				return err
			}
			for i := len(index) - 1; i >= 0; i-- {
				if index[i]++; index[i] < n.chunk[i] {
					break
				}
				index[i] = 0
			}
		}
		return nil
	}
	var out []byte
	limit := func() error {
		if len(out) > mostMade {
			return fmt.Errorf("a chunk has more than %d bytes of text", mostMade)
		}
		return nil
	}
	switch n.element.kind {
	case asText:
		out = binary.LittleEndian.AppendUint32(out, uint32(all))
		err := each(func(raw []byte) error {
			text := ""
			if raw != nil {
				v, err := s.f.Decode(n.d.Type, raw)
				if r, ok := v.(hdf5.Ref); ok && err == nil && r.Address != 0 {
					v, err = s.referred(n.path, r.Address)
				}
				if err != nil {
					return err
				}
				text, _ = v.(string)
			}
			if !utf8.ValidString(text) {
				return fmt.Errorf("text that is not UTF-8: %q", text)
			}
			out = binary.LittleEndian.AppendUint32(out, uint32(len(text)))
			out = append(out, text...)
			return limit()
		})
		return out, err
	case asJSON:
		out = append(out, '[')
		err := each(func(raw []byte) error {
			var v any
			if raw != nil {
				var err error
				if v, err = s.value(n.d.Type, raw, &saying{path: n.path, left: mostSaid}); err != nil {
					return err
				}
			}
			b, err := json.Marshal(v)
			if err != nil {
				return err
			}
			out = append(append(out, b...), ',')
			return limit()
		})
		shape, _ := json.Marshal(n.chunk)
		if len(n.chunk) == 0 {
			shape = []byte("[]")
		}
		return append(append(append(out, `"|O",`...), shape...), ']'), err
	}
	zero := make([]byte, n.element.data.Size())
	err := each(func(raw []byte) error {
		if raw == nil {
			out = append(out, zero...)
			return nil
		}
		var err error
		out, err = s.pack(out, n.d.Type, raw, n.path)
		return err
	})
	return out, err
}

// Open holds a chunk open, or a document.
func (s *Store) Open(ctx context.Context, key string) (store.Object, error) {
	if !strings.HasSuffix("/"+key, "/"+documentName) && store.CheckKey(key) == nil && ctx.Err() == nil {
		n, index, err := s.split(key)
		var x placed
		if err == nil {
			x, err = s.place(ctx, n, index)
		}
		if err != nil {
			return nil, store.WrapError("open", s.url, key, store.Damaged(err))
		}
		return &object{s, key, x}, nil
	}
	return store.Open(ctx, documents{s}, key)
}

// documents hides that a Store is an Opener.
type documents struct{ store.Reader }

// object is a chunk held open.
type object struct {
	s   *Store
	key string
	x   placed
}

func (o *object) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := o.s.part(ctx, o.x, r, dst)
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", o.s.url, o.key, store.Damaged(err))
	}
	return out, info, nil
}

func (o *object) Close() error { return nil }

// Near says what the file is.
func (o *object) Near() bool { return store.IsNear(o.s.obj) }

// Tag is that of the file.
func (o *object) Tag() string { return o.s.etag }

// Locate tells which part of the file a chunk is. What is made has no place.
func (s *Store) Locate(ctx context.Context, key string) (url string, off, length int64, err error) {
	var x placed
	if strings.HasSuffix("/"+key, "/"+documentName) {
		err = store.ErrNoPlace
	} else {
		var n *node
		var index []uint64
		if n, index, err = s.split(key); err == nil && !n.plain {
			err = store.ErrNoPlace
		}
		if err == nil {
			x, err = s.place(ctx, n, index)
		}
		if err == nil && (len(x.head) > 0 || x.pad > 0) {
			err = store.ErrNoPlace
		}
	}
	if err == nil {
		if url, off, _, err = store.Locate(ctx, s.in, s.key); err != nil {
			err = present(err)
		}
	}
	if err != nil {
		return "", 0, 0, store.WrapError("locate", s.url, key, store.Damaged(err))
	}
	return url, off + x.off, x.n, nil
}
