package tiff

import (
	"context"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/store"
)

// extent is where a tile lies in the file.
type extent struct{ off, length uint64 }

// has reports whether a place in the file is in it.
func (x extent) has(off uint64) bool { return off >= x.off && off-x.off < x.length }

// tileIndex keeps what was read of the tables of tiles, in blocks: those of a
// large image take megabytes, of which a small part may be wanted.
type tileIndex struct {
	blocks map[blockKey][]extent
	tiles  int // in all blocks, and what the blocks themselves take
}

type blockKey struct{ directory, block uint64 }

const (
	blockTiles = 8 << 10
	mostTiles  = 1 << 20
	blockCost  = 8 // in tiles
)

// extent finds tile i of a page. A tile that is not stored is ErrNotExist.
func (f *File) extent(ctx context.Context, p *page, i uint64) (extent, error) {
	var x extent
	switch {
	case p.offsets.one && (p.counts.one || p.counts.id == 0):
		x.off = p.offsets.at
		if p.counts.one {
			x.length = p.counts.at
		}
	default:
		block, err := f.block(ctx, p, i/blockTiles)
		if err != nil {
			return extent{}, err
		}
		x = block[i%blockTiles]
	}
	if p.counts.id == 0 && x.off != 0 {
		x.length = p.kind.storedBytes(i, uint64(f.src.size)-min(x.off, uint64(f.src.size)))
	}
	if x.off == 0 || x.length == 0 {
		return extent{}, store.ErrNotExist
	}
	if x.length > math.MaxInt64 || !f.src.fits(x.off, x.length) {
		return extent{}, fmt.Errorf("tile %d: offset %d and length (byte count) %d are out of range: the file has %d bytes", i, x.off, x.length, f.src.size)
	}
	return x, nil
}

// storedBytes is how many bytes an uncompressed tile has whose length the file
// does not tell, of those that are left.
func (k *kind) storedBytes(i, left uint64) uint64 {
	height := k.tileHeight
	if row := int(i / uint64(k.cols()) % uint64(k.rows())); !k.tiled {
		height = min(height, k.height-row*k.tileHeight)
	}
	return min(product(k.rowBytes(k.tileWidth), height), left)
}

// block reads a block of the tables of a page.
func (f *File) block(ctx context.Context, p *page, n uint64) ([]extent, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := blockKey{p.offset, n}
	if b, ok := f.index.blocks[key]; ok {
		return b, nil
	}
	first := n * blockTiles
	b := make([]extent, min(p.offsets.count-first, blockTiles))
	err := f.values(ctx, &p.offsets, first, len(b), func(i int, v uint64) { b[i].off = v })
	if err == nil && p.counts.id != 0 {
		some := min(len(b), int(p.counts.count-min(first, p.counts.count)))
		err = f.values(ctx, &p.counts, first, some, func(i int, v uint64) { b[i].length = v })
	}
	if err != nil {
		return nil, err
	}
	if f.index.blocks == nil || f.index.tiles > mostTiles {
		f.index = tileIndex{blocks: map[blockKey][]extent{}}
	}
	f.index.blocks[key] = b
	f.index.tiles += len(b) + blockCost
	return b, nil
}

// values reads n values of a table from value first on.
func (f *File) values(ctx context.Context, t *table, first uint64, n int, set func(i int, v uint64)) error {
	if t.one {
		set(0, t.at)
		return nil
	}
	size := t.typ.Size()
	raw, err := f.src.read(ctx, t.at+first*uint64(size), n*size)
	if err != nil {
		return fmt.Errorf("tag %d (%v): %w", t.id, t.id, err)
	}
	values := tag.Field{ID: t.id, Type: t.typ, Raw: raw, Big: f.bigEndian()}
	for i := range n {
		v, err := values.Uint(i)
		if err != nil {
			return err
		}
		set(i, v)
	}
	return nil
}
