package grid

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// ErrUnknown says that metadata names a chunk grid or a chunk key encoding
// that the registry does not hold.
var ErrUnknown = errors.New("unknown")

var errUnknownMember = errors.New("unknown member")

// ParseGrid makes a grid for an array of the given shape from its
// configuration, which is a JSON object or nil.
type ParseGrid func(config json.RawMessage, shape []int) (Grid, error)

// ParseKeys makes a key encoding from its configuration, which is a JSON object
// or nil.
type ParseKeys func(config json.RawMessage) (Keys, error)

// Registry knows grids and key encodings by their Zarr v3 names. It may be used
// by several goroutines.
type Registry struct {
	mu    sync.RWMutex
	grids map[string]ParseGrid
	keys  map[string]ParseKeys
}

// NewRegistry returns a registry of the grids "regular", "rectilinear" and
// "zarrs.regular_bounded", and the key encodings "default", "v2",
// "zarrs.default_suffix" and "omnizarr.reversed".
func NewRegistry() *Registry {
	r := &Registry{
		grids: map[string]ParseGrid{"regular": parseRegular, "rectilinear": parseRectilinear, "zarrs.regular_bounded": parseBounded},
		keys:  map[string]ParseKeys{"default": parseDefaultKeys, "v2": parseV2Keys, "zarrs.default_suffix": parseSuffixKeys},
	}
	r.keys[reversedName] = r.parseReversedKeys
	return r
}

var defaultRegistry = sync.OnceValue(NewRegistry)

// Default returns the registry that metadata is read with when no other is
// named. What is registered with it is known to the whole program.
func Default() *Registry { return defaultRegistry() }

// RegisterGrid adds a grid. It panics when the name is empty or taken.
func (r *Registry) RegisterGrid(name string, parse ParseGrid) {
	r.mu.Lock()
	defer r.mu.Unlock()
	register(r.grids, name, parse)
}

// RegisterKeys adds a key encoding. It panics when the name is empty or taken.
func (r *Registry) RegisterKeys(name string, parse ParseKeys) {
	r.mu.Lock()
	defer r.mu.Unlock()
	register(r.keys, name, parse)
}

func register[P any](known map[string]P, name string, parse P) {
	if _, taken := known[name]; taken || name == "" {
		panic(fmt.Sprintf("grid: name %q is empty or registered already", name))
	}
	known[name] = parse
}

// Names lists the registered grids and key encodings in order.
func (r *Registry) Names() (grids, keys []string) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Sorted(maps.Keys(r.grids)), slices.Sorted(maps.Keys(r.keys))
}

// Parse reads the chunk_grid member of Zarr v3 metadata for an array of the
// given shape.
func (r *Registry) Parse(raw json.RawMessage, shape []int) (Grid, error) {
	named, err := parseNamed(raw)
	if err != nil {
		return nil, err
	}
	parse, err := lookup(r, r.grids, "chunk grid", named.Name)
	if err != nil {
		return nil, err
	}
	g, err := parse(named.Configuration, shape)
	if err != nil {
		return nil, strictjson.At("configuration", err)
	}
	return g, nil
}

// ParseKeys reads the chunk_key_encoding member of Zarr v3 metadata.
func (r *Registry) ParseKeys(raw json.RawMessage) (Keys, error) {
	named, err := parseNamed(raw)
	if err != nil {
		return nil, err
	}
	parse, err := lookup(r, r.keys, "chunk key encoding", named.Name)
	if err != nil {
		return nil, err
	}
	k, err := parse(named.Configuration)
	if err != nil {
		return nil, strictjson.At("configuration", err)
	}
	return k, nil
}

func parseNamed(raw json.RawMessage) (strictjson.Named, error) {
	if err := strictjson.Validate(raw, strictjson.Options{}); err != nil {
		return strictjson.Named{}, err
	}
	return strictjson.ParseNamed(raw)
}

// lookup finds a name; the error says which ones are known.
func lookup[P any](r *Registry, known map[string]P, what, name string) (P, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	parse, ok := known[name]
	if !ok {
		names := strings.Join(slices.Sorted(maps.Keys(known)), ", ")
		return parse, fmt.Errorf("%w %s %s, known are %s", ErrUnknown, what, strictjson.Quote(name), names)
	}
	return parse, nil
}

// members are those of a configuration; nil has none.
func members(config json.RawMessage) ([]strictjson.Member, error) {
	if config == nil {
		return nil, nil
	}
	return strictjson.Split(config)
}
