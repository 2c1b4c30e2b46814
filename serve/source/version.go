package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/zip"
)

// How often what is open is looked at, whether others have changed it.
const (
	lookHere      = time.Second
	lookElsewhere = 30 * time.Second // where it is a request to somebody
)

// kept is a node that is open.
type kept struct {
	node   zarr.Node
	stamp  string // of its documents
	looked time.Time
}

// Version tells what the documents of a node were when they were last looked at, which
// is at most a second ago, half a minute where they are on another machine: another
// text is another node. It is for ETags and keys of caches.
func (s *Source) Version(ctx context.Context, at string) (string, error) {
	p, inner, err := s.find(ctx, at)
	if err != nil {
		return "", err
	}
	k, err := p.keep(ctx, inner)
	if err != nil {
		return "", s.failed(at, err)
	}
	sum := sha256.Sum256([]byte(p.stamp + "\x00" + k.stamp))
	return hex.EncodeToString(sum[:12]), nil
}

// changed reports whether the place is not any more what was opened, if it is time to
// look.
func (p *place) changed(ctx context.Context) bool {
	if p.settled() {
		return false
	}
	done, err := p.alone(ctx)
	if err != nil {
		return false // who asked has gone
	}
	defer done()
	if p.settled() {
		return false
	}
	stamp, err := p.stampNow(ctx)
	p.looked()
	return err == nil && stamp != p.stamp
}

// stampNow tells what the root of the place is now: the file, or the documents.
func (p *place) stampNow(ctx context.Context) (string, error) {
	if p.url != "" && p.isFile() {
		one, err := openOne(ctx, p.url, p.source.set)
		if err != nil {
			return "", err
		}
		defer one.Close()
		return tag(ctx, one.Store, one.Path)
	}
	return p.documents(ctx, p.subject.Node)
}

// isFile reports whether the place is inside one file, which tells itself when it
// changes.
func (p *place) isFile() bool {
	if p.folder != nil {
		return isArchive(p.folder.where.Store)
	}
	f := p.source.set.opt.Formats.Find(p.subject.Node.Format())
	return f != nil && f.File != nil || isArchive(p.subject.Node.Store())
}

func isArchive(s store.Store) bool {
	_, ok := store.Behind[*zip.Store](s)
	return ok
}

// journal is where an edit that is not yet complete says what it does: those who read
// see it done.
const journal = ".omnizarr-edit"

// documents tells what the documents of a node are.
func (p *place) documents(ctx context.Context, n zarr.Node) (string, error) {
	f := p.source.set.opt.Formats.Find(n.Format())
	if f == nil || f.Folder == nil {
		return "", nil
	}
	raw := translate.Raw(n.Store())
	var all []string
	for _, name := range slices.Concat(f.Folder.Documents.Nodes, f.Folder.Documents.Others, []string{journal}) {
		text, err := tag(ctx, raw, path.Join(n.Path(), name))
		if err != nil {
			return "", err
		}
		all = append(all, text)
	}
	return strings.Join(all, "\x00"), nil
}

// tag tells which value lies at a key, "" for none.
func tag(ctx context.Context, s store.Store, key string) (string, error) {
	_, info, err := s.Get(ctx, key, store.Suffix(0), nil)
	if errors.Is(err, store.ErrNotExist) {
		return "", nil
	}
	return info.ETag + " " + strconv.FormatInt(info.Size, 10), err
}

// keep opens the node at a path of the place, anew if its documents have changed.
func (p *place) keep(ctx context.Context, at string) (*kept, error) {
	p.mu.Lock()
	k := p.nodes[at]
	p.mu.Unlock()
	if k != nil && time.Since(k.looked) < p.every {
		return k, nil
	}
	n, err := p.openNode(ctx, at)
	if err != nil {
		return nil, err
	}
	fresh := &kept{n, "", time.Now()}
	if p.folder == nil {
		stored := n
		if p.file != nil {
			// Not by subjectAt, which asks here for what is no object.
			if o, err := p.file.At(ctx, path.Join(p.file.Path(), at)); err == nil {
				stored = o.Node()
			}
		}
		if fresh.stamp, err = p.documents(ctx, stored); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if k != nil && k.stamp == fresh.stamp {
		fresh.node = k.node // which others have, with what it has read
	}
	if len(p.nodes) >= mostNodes {
		clear(p.nodes)
	}
	p.nodes[at] = fresh
	return fresh, nil
}
