package zarr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format"
	formats "github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/internal/bigmem"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/internal/reach"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// Option changes how nodes are opened and used.
type Option func(*options)

type options struct {
	locate       locate.Options
	codecs       *codec.Registry
	types        *dtype.Registry
	grids        *grid.Registry
	cache        *codec.Cache
	workers      int
	inFlight     int64
	maxChunk     int
	maxRead      int
	maxDocument  int
	keepEmpty    bool
	failMissing  bool
	noPartCache  bool
	strict       bool
	implicit     bool
	explicit     bool
	consolidated consolidation
	formats      *format.Registry
	format       string // the name of one, or "" for what is there
	wishes       []format.Option
	allow        []string
	readOnly     bool // besides locate.ReadOnly, which Locate replaces
	sync         bool
	remote       *store.Remote // instead of locate.Remote
	err          error         // what is wrong with them
}

type consolidation uint8

const (
	preferConsolidated consolidation = iota
	bypassConsolidated
)

func newOptions(opts []Option) (*options, error) {
	o := &options{
		codecs:   std.Registry(),
		types:    dtype.Default(),
		grids:    grid.Default(),
		formats:  formats.Registry(),
		inFlight: 512 << 20,
		maxChunk: codec.DefaultMaxChunk(),
		maxRead:  int(min(bigmem.Available(), math.MaxInt)),
	}
	for _, f := range opts {
		if f != nil {
			f(o)
		}
	}
	o.locate.ReadOnly = o.locate.ReadOnly || o.readOnly
	o.locate.Sync = o.locate.Sync || o.sync
	if o.remote != nil {
		o.locate.Remote = *o.remote
	}
	o.notNegative("Remote: Requests", int64(o.locate.Remote.Requests))
	for _, place := range o.allow {
		if path, ok := strings.CutPrefix(place, "file://"); ok || !strings.Contains(place, "://") {
			o.locate.Allow = append(slices.Clip(o.locate.Allow), path)
		} else {
			o.locate.HTTP.Allow = append(slices.Clip(o.locate.HTTP.Allow), place)
		}
	}
	switch {
	case o.err != nil:
		return nil, o.err
	case o.codecs == nil || o.types == nil || o.grids == nil || o.formats == nil:
		return nil, errors.New("option Codecs, Types, Grids or Formats: no registry")
	}
	return o, o.formats.Check(o.format, o.wishes)
}

// notNegative notes an option that must not be negative.
func (o *options) notNegative(name string, n int64) {
	if n < 0 {
		o.err = fmt.Errorf("option %s: %d is negative", name, n)
	}
}

// ReadOnly refuses every change.
func ReadOnly() Option { return func(o *options) { o.readOnly = true } }

// Sync makes every write wait until it has reached the disk.
func Sync() Option { return func(o *options) { o.sync = true } }

// Syncs reports whether Sync is among options, for what writes files without a store.
func Syncs(opts ...Option) bool {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	return o.sync || o.locate.Sync
}

// Locate sets how URLs become stores: schemes, HTTP options.
func Locate(l locate.Options) Option { return func(o *options) { o.locate = l } }

// Remote sets how much may be asked of stores that are reached over a network.
func Remote(r store.Remote) Option { return func(o *options) { o.remote = &r } }

// Codecs sets the codecs that arrays may use, instead of std.Registry.
func Codecs(r *codec.Registry) Option { return func(o *options) { o.codecs = r } }

// Types sets the data types that arrays may have, instead of dtype.Default.
func Types(r *dtype.Registry) Option { return func(o *options) { o.types = r } }

// Grids sets the chunk grids and key encodings that arrays may have, instead of
// grid.Default.
func Grids(r *grid.Registry) Option { return func(o *options) { o.grids = r } }

// Workers sets how many goroutines of a read or write compute. The default is the
// number of processors; 0 stands for it. Those that wait for a network come on top,
// as many as the store likes to have requests under way: see Remote.
func Workers(n int) Option {
	return func(o *options) { o.workers = n; o.notNegative("Workers", int64(n)) }
}

// InFlight bounds the bytes of chunks that are being coded at once. What text and other
// values without a fixed length take shows only when they are decoded: such chunks may take half
// as much again together, each worker its part of it and a mebibyte at least, and of those that take
// more, one at a time is decoded, which may take up to MaxChunk.
func InFlight(bytes int64) Option {
	return func(o *options) { o.inFlight = bytes; o.notNegative("InFlight", bytes) }
}

// WithCache keeps decoded chunks and shard indexes in c, which several arrays
// may share. It is for chunks that change only through arrays of this process: what
// others do to a file, or a folder that is replaced on disk, it does not notice.
func WithCache(c *codec.Cache) Option { return func(o *options) { o.cache = c } }

// Strict makes reading also check bytes that decoding passes over: padding that is
// not what metadata says, bits behind the last packed element. Chunks are read
// wholly then.
func Strict() Option { return func(o *options) { o.strict = true } }

// NoPartCache decodes a chunk anew for every part of it that is read. By default
// up to 64 MiB of chunks that were decoded for a part of them stay in memory for
// as long as their files do not change.
func NoPartCache() Option { return func(o *options) { o.noPartCache = true } }

// MaxChunk bounds what is allocated at once for a chunk: its encoded bytes, its
// decoded ones, and what codecs need between them. Chunks of which parts can be read,
// such as shards, may be larger. The default is a sixth of the memory that the
// process may use: of what the machine has, its control group allows, and GOMEMLIMIT.
// What is larger is ErrTooLarge.
func MaxChunk(bytes int) Option {
	return func(o *options) { o.maxChunk = bytes; o.notNegative("MaxChunk", int64(bytes)) }
}

// MaxRead bounds the memory that a single Read allocates. The default is what the
// process may use.
func MaxRead(bytes int) Option {
	return func(o *options) { o.maxRead = bytes; o.notNegative("MaxRead", int64(bytes)) }
}

// MaxDocument bounds the length of the documents that describe nodes, consolidated
// metadata among them. The default is 16 MiB; what is longer is ErrTooLarge.
func MaxDocument(bytes int) Option {
	return func(o *options) { o.maxDocument = bytes; o.notNegative("MaxDocument", int64(bytes)) }
}

// KeepEmpty stores chunks that hold nothing but the fill value. By default they
// are left out, and removed if they were there.
func KeepEmpty() Option { return func(o *options) { o.keepEmpty = true } }

// FailMissing makes reading a chunk that is not there an error, for arrays
// where every chunk was written.
func FailMissing() Option { return func(o *options) { o.failMissing = true } }

// ImplicitGroup opens a folder that is no node, but holds some, as a group
// without attributes.
func ImplicitGroup() Option { return func(o *options) { o.implicit = true } }

// Explicit opens what has a document of its own, and looks at nothing below a folder
// to find out what it may be: for those who go up from a node, and come to folders
// that nobody named.
func Explicit() Option { return func(o *options) { o.explicit = true } }

// Formats sets the formats that are known, instead of those of format/std.
func Formats(r *format.Registry) Option { return func(o *options) { o.formats = r } }

// As opens and makes nodes of one format only, by its name, such as "zarr2". By
// default a node is of the format that its documents or its file are, and a new one
// of that of the group above it; where there is none, the name of the hierarchy
// tells, and Zarr v3 is made if it does not.
func As(name string) Option { return func(o *options) { o.format = name } }

// With asks for what formats offer, such as n5.Reversed. An option says nothing to
// formats that it is not for.
func With(opts ...format.Option) Option {
	return func(o *options) { o.wishes = append(o.wishes, opts...) }
}

// BypassConsolidated reads every node's own document, also where a group has
// consolidated metadata.
func BypassConsolidated() Option {
	return func(o *options) { o.consolidated = bypassConsolidated }
}

// nodeStore is a store that knows nodes.
type nodeStore interface {
	store.Store
	translator
}

// readOnlyNodes is a store of nodes that takes none.
type readOnlyNodes struct {
	store.Store
	translator
}

// Unwrap shows the store that takes no values.
func (s readOnlyNodes) Unwrap() store.Store { return s.Store }

// PutNode refuses.
func (s readOnlyNodes) PutNode(_ context.Context, path string, _ meta.Node, _ string, _ store.PutOptions) error {
	return store.WrapError("put", s.URL(), documentKey(path), store.ErrReadOnly)
}

// engine is what all nodes that were opened together share.
type engine struct {
	*options
	store    nodeStore
	location locate.Location // where the store was found, if by URL
	limits   *codec.Limits
	pool     *par.Limiter // of limits
	turn     *par.Turn    // of those who decode what is larger than they were weighed for
	changes  *changes
	reach    *reach.Reach
	kept     any // see store.Keep
	above    *groupAbove
}

// groupAbove is the group above the root of a store that was found by URL. It is
// opened when somebody asks for it, and closed with the store.
type groupAbove struct {
	sync.Mutex
	group *Group
}

func newEngine(s store.Store, o *options) *engine {
	n := o.workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	n = store.AtOnce(n, s)
	e := &engine{options: o, changes: &changes{}, kept: store.Keep(s), above: &groupAbove{}}
	var seen bool
	if e.store, seen = s.(nodeStore); !seen || o.format != "" { // else it came out of a node, and is of its format
		if o.locate.ReadOnly {
			s = store.ReadOnly(translate.Raw(s))
		}
		e.store = e.formats.Open(s, o.format, e.env())
	} else if o.locate.ReadOnly {
		e.store = readOnlyNodes{store.ReadOnly(s), e.store}
	}
	e.reach = reach.Around(e.store, o.reaching())
	e.pool, e.turn = par.NewLimiter(n-1, o.inFlight), par.NewTurn(n, o.inFlight)
	e.limits = &codec.Limits{
		Workers:   e.pool,
		MaxChunk:  o.maxChunk,
		Strict:    o.strict,
		KeepEmpty: o.keepEmpty,
	}
	return e
}

// reaching is what the user says of what nodes may reach.
func (o *options) reaching() reach.Options { return reach.Options{Allow: o.allow, Locate: o.locate} }

// env is what formats are given.
func (o *options) env() format.Env {
	return format.Env{Options: o.wishes, Metadata: o.registry(), Files: func(s store.Store, folder string) format.Files {
		return reach.Folder(s, folder, o.reaching())
	}}
}

func (o *options) registry() meta.Registry {
	return meta.Registry{DataType: o.types.Parse, Grids: o.grids, MaxBytes: o.maxDocument, Transformers: reach.Transformers}
}
