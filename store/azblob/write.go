package azblob

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/omnizarr/zarr/internal/bucket"
	"github.com/omnizarr/zarr/store"
)

// mark is the header of metadata by which a conditional Put knows its own value again.
const mark = "X-Ms-Meta-Omnizarrput"

// Put stores a value: in one request, or in blocks, of which nothing shows before the list
// of them is stored.
func (s *Store) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	err := s.checkWrite(ctx, key)
	var u *upload
	if err == nil {
		u, err = s.upload(key, opt)
	}
	var info store.Info
	if err == nil {
		if len(data) >= s.large {
			info, err = u.again(ctx, data)
		} else {
			info, err = u.whole(ctx, data)
		}
		if u.mark != "" && errors.Is(err, store.ErrPrecondition) {
			info, err = u.mine(ctx, int64(len(data)))
		}
	}
	if err != nil {
		return store.Info{}, store.WrapError("put", s.url, key, noContainer(err))
	}
	return info, nil
}

// PutFrom stores what r gives, a block at a time.
func (s *Store) PutFrom(ctx context.Context, key string, r io.Reader, size int64) (store.Info, error) {
	err := s.checkWrite(ctx, key)
	var u *upload
	if err == nil {
		u, err = s.upload(key, store.PutOptions{})
	}
	var info store.Info
	if err == nil {
		info, err = u.from(ctx, bucket.NewPieces(r, size), size)
	}
	if err != nil {
		return store.Info{}, store.WrapError("put", s.url, key, noContainer(err))
	}
	return info, nil
}

// upload is a value on its way.
type upload struct {
	s      *Store
	name   string
	header http.Header // conditions
	mark   string      // "" without conditions
}

func (s *Store) upload(key string, opt store.PutOptions) (*upload, error) {
	u := &upload{s: s, name: s.place.Prefix + key, header: http.Header{}}
	if opt.IfAbsent {
		u.header.Set("If-None-Match", "*")
	}
	if opt.IfMatch != "" {
		// What is no tag is none that a value can have.
		if opt.IfAbsent || len(opt.IfMatch) < 2 || opt.IfMatch[0] != '"' || opt.IfMatch[len(opt.IfMatch)-1] != '"' {
			return nil, store.ErrPrecondition
		}
		u.header.Set("If-Match", opt.IfMatch)
	}
	if len(u.header) > 0 {
		u.mark = rand.Text()
		u.header.Set(mark, u.mark)
	}
	return u, nil
}

// whole sends a value in one request.
func (u *upload) whole(ctx context.Context, data []byte) (store.Info, error) {
	h := u.header.Clone()
	h.Set("X-Ms-Blob-Type", "BlockBlob")
	h.Set("Content-Type", "application/octet-stream")
	a, err := u.s.do(ctx, ask{method: http.MethodPut, name: u.name, header: h, body: data})
	if err != nil {
		return store.Info{}, err
	}
	return store.Info{Size: int64(len(data)), ETag: a.Header.Get("ETag")}, nil
}

// mine looks whether the value that is in the way of a conditional Put is the one that it
// put itself, when the answer to that was lost.
func (u *upload) mine(ctx context.Context, size int64) (store.Info, error) {
	a, err := u.s.do(ctx, ask{method: http.MethodHead, name: u.name})
	switch {
	case errors.Is(err, store.ErrNotExist):
		return store.Info{}, store.ErrPrecondition
	case err != nil:
		return store.Info{}, err
	case a.Header.Get(mark) != u.mark:
		return store.Info{}, store.ErrPrecondition
	}
	return store.Info{Size: size, ETag: a.Header.Get("ETag")}, nil
}

// again sends a value that is in memory in blocks, many at a time, and all of them anew
// where somebody else who put the same value has swept them away.
func (u *upload) again(ctx context.Context, data []byte) (store.Info, error) {
	for try := 0; ; try++ {
		b := u.begin()
		size := max(u.s.block, (len(data)+maxBlocks-1)/maxBlocks)
		g, sending := errgroup.WithContext(ctx)
		g.SetLimit(u.s.Concurrency())
		for from := 0; from < len(data); from += size {
			id, piece := b.next(), data[from:min(from+size, len(data))]
			g.Go(func() error { return b.send(sending, id, piece) })
		}
		err := g.Wait()
		var info store.Info
		if err == nil {
			info, err = b.commit(ctx, int64(len(data)))
		}
		if try == 2 || !isCode(err, "InvalidBlockList") {
			return info, err
		}
	}
}

// from sends what pieces give, two blocks at a time: one is read while the one before is
// sent.
func (u *upload) from(ctx context.Context, pieces *bucket.Pieces, size int64) (store.Info, error) {
	room := max(int64(u.s.block), (size+maxBlocks-1)/maxBlocks)
	if size >= 0 {
		room = min(room, max(size, 1))
	}
	buf := make([]byte, room)
	piece, last, err := pieces.Next(buf)
	if err == nil && last {
		return u.whole(ctx, piece)
	}
	b, sent, total := u.begin(), make(chan error, 1), int64(0)
	sent <- nil
	spare := make([]byte, room)
	for ; err == nil; piece, last, err = pieces.Next(buf) {
		if err := <-sent; err != nil {
			return store.Info{}, err
		}
		if len(b.ids) == maxBlocks {
			return store.Info{}, fmt.Errorf("%w: more than %d blocks of %d bytes", store.ErrTooLarge, maxBlocks, room)
		}
		id, now := b.next(), piece
		total += int64(len(now))
		go func() { sent <- b.send(ctx, id, now) }()
		if last {
			break
		}
		buf, spare = spare, buf
	}
	if failed := <-sent; err == nil {
		err = failed
	}
	if err != nil {
		return store.Info{}, err
	}
	return b.commit(ctx, total)
}

// blocks are the pieces of a value.
type blocks struct {
	u    *upload
	mark string // that no other upload has
	ids  []string
}

func (u *upload) begin() *blocks { return &blocks{u: u, mark: rand.Text()[:16]} }

// next names another block. All names of a value have the same length.
func (b *blocks) next() string {
	id := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%s-%06d", b.mark, len(b.ids)))
	b.ids = append(b.ids, id)
	return id
}

func (b *blocks) send(ctx context.Context, id string, data []byte) error {
	_, err := b.u.s.do(ctx, ask{method: http.MethodPut, name: b.u.name, query: url.Values{"comp": {"block"}, "blockid": {id}}, body: data})
	return err
}

// commit makes a value of the blocks.
func (b *blocks) commit(ctx context.Context, size int64) (store.Info, error) {
	var list bytes.Buffer
	list.WriteString(`<?xml version="1.0" encoding="utf-8"?><BlockList>`)
	for _, id := range b.ids {
		list.WriteString("<Latest>" + id + "</Latest>")
	}
	list.WriteString("</BlockList>")
	h := b.u.header.Clone()
	h.Set("X-Ms-Blob-Content-Type", "application/octet-stream")
	h.Set("Content-Type", "application/xml")
	a, err := b.u.s.do(ctx, ask{method: http.MethodPut, name: b.u.name, query: url.Values{"comp": {"blocklist"}}, header: h, body: list.Bytes()})
	if err != nil {
		return store.Info{}, err
	}
	return store.Info{Size: size, ETag: a.Header.Get("ETag")}, nil
}

// Delete removes a value, or with "/" at the end all that lie below.
func (s *Store) Delete(ctx context.Context, key string) error {
	name, tree := strings.CutSuffix(key, "/")
	err := s.checkWrite(ctx, name)
	switch {
	case err != nil:
	case tree:
		err = s.removeAll(ctx, s.place.Prefix+key)
	default:
		err = s.remove(ctx, s.place.Prefix+key)
	}
	return store.WrapError("delete", s.url, key, err)
}

func (s *Store) remove(ctx context.Context, name string) error {
	_, err := s.do(ctx, ask{method: http.MethodDelete, name: name})
	if errors.Is(err, store.ErrNotExist) {
		return nil
	}
	return err
}

// removeAll removes what lies below a prefix. Accounts that have folders keep them when
// they are empty: these go after what is in them.
func (s *Store) removeAll(ctx context.Context, prefix string) error {
	var mu sync.Mutex
	var folders []string
	err := bucket.DeleteAll(ctx, prefix, s.page, s.Concurrency(), 1, func(ctx context.Context, one []store.Entry) error {
		e := one[0]
		if !e.IsPrefix {
			return s.remove(ctx, e.Key)
		}
		mu.Lock()
		defer mu.Unlock()
		folders = append(folders, strings.TrimSuffix(e.Key, "/"))
		return nil
	})
	slices.Sort(folders)
	for _, name := range slices.Backward(folders) {
		if err != nil {
			break
		}
		if err = s.remove(ctx, name); isCode(err, "DirectoryIsNotEmpty") {
			err = nil // of something that came meanwhile
		}
	}
	return err
}
