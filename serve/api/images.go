package api

import (
	"context"
	"errors"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/raster"
	"github.com/omnizarr/zarr/serve/levels"
)

// images keeps images open from one tile to the next: the documents of their levels are
// not read again for each.
type images struct {
	mu   sync.Mutex
	open map[string]*openImage // by source and path
	tick int64
}

// openImage is an image that is kept open.
type openImage struct {
	version string
	used    int64 // when it was asked for last; guarded by images.mu
	users   int   // likewise
	stale   bool  // likewise: nobody finds it any more

	mu    sync.Mutex // of what follows
	image *levels.Image
	close context.CancelFunc

	telling sync.Mutex // of what follows: tiles do not wait for it
	info    *ImageInfo
}

// mostImages is how many are kept open.
const mostImages = 32

// acquire finds the image of a node or a place for it. It is given back by release.
func (l *images) acquire(sp *spot) *openImage {
	key := sp.source.Name() + "\x00" + sp.path
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = map[string]*openImage{}
	}
	o := l.open[key]
	if o != nil && o.version != sp.version { // the node is another now
		l.drop(key, o)
		o = nil
	}
	if o == nil {
		if len(l.open) >= mostImages {
			oldest := ""
			for k, other := range l.open {
				if oldest == "" || other.used < l.open[oldest].used {
					oldest = k
				}
			}
			l.drop(oldest, l.open[oldest])
		}
		o = &openImage{version: sp.version}
		l.open[key] = o
	}
	l.tick++
	o.used = l.tick
	o.users++
	return o
}

// drop forgets an image, which is closed when nobody uses it. l.mu is held.
func (l *images) drop(key string, o *openImage) {
	delete(l.open, key)
	if o.stale = true; o.users == 0 && o.close != nil {
		o.close()
	}
}

func (l *images) release(o *openImage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if o.users--; o.users == 0 && o.stale && o.close != nil {
		o.close()
	}
}

// imageOf opens the image that a request is about. It is good until done is called.
func (s *server) imageOf(r *request) (sp *spot, img *levels.Image, done func(), err error) {
	if sp, err = r.spot(); err != nil {
		return nil, nil, nil, err
	}
	o, done, err := s.image(r.Context(), sp)
	if err != nil {
		return nil, nil, nil, err
	}
	return sp, o.image, done, nil
}

// image opens the image that a node is. It is good until done is called.
func (s *server) image(ctx context.Context, sp *spot) (o *openImage, done func(), err error) {
	o = s.images.acquire(sp)
	done = func() { s.images.release(o) }
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.image != nil {
		return o, done, nil
	}
	// The image outlives the request, and so must its node.
	own, cancel := context.WithCancel(context.Background())
	n, err := sp.source.Node(own, sp.path[1:])
	var img *levels.Image
	if err == nil {
		img, err = levels.Of(ctx, n, levels.Options{Cache: s.cache, Chunks: &s.stored, Key: sp.key("levels"), Raster: []raster.Option{raster.Described(s.described)}})
	}
	if err != nil {
		cancel()
		done()
		if errors.Is(err, raster.ErrNone) || errors.Is(err, raster.ErrLine) || errors.Is(err, zarr.ErrType) || errors.Is(err, levels.ErrEmpty) {
			return nil, nil, sp.fail(unsupported("%s has no picture: %v", sp.path, err))
		}
		return nil, nil, sp.fail(err)
	}
	o.image, o.close = img, cancel
	return o, done, nil
}
