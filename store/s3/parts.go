package s3

import (
	"context"
	"crypto/rand"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/omnizarr/zarr/internal/bucket"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/internal/remote"
	"github.com/omnizarr/zarr/store"
)

const (
	maxParts = 10_000 // of an upload
	// atOnce is how many parts of a value are under way at once, and in memory.
	atOnce = 4
	// maxPiece is the size of the parts of a value that is not in memory anyway.
	maxPiece = 8 << 20
)

// pieces cuts a value, which is in memory or is read.
type pieces struct {
	data []byte         // what is left of a value in memory
	in   *bucket.Pieces // of one that is read, else nil
	size int64          // of all that is read, -1 if unknown
	part int64
	n    int // parts so far
	end  bool
}

// next gives a part, and what gives its memory back; io.EOF behind the last.
func (p *pieces) next() ([]byte, func(), error) {
	if p.end {
		return nil, nil, io.EOF
	}
	p.n++
	if p.in == nil {
		part := p.data[:min(p.part, int64(len(p.data)))]
		p.data = p.data[len(part):]
		p.end = len(p.data) == 0
		return part, func() {}, nil
	}
	want := p.part << min((p.n-1)/(maxParts/4), 3) // more and more, while the end is not known
	if p.size >= 0 {
		want = max(min(p.part, p.size), 1)
	}
	b := buf.Get(int(want))
	part, last, err := p.in.Next(b.B[:want])
	if p.end = last; err != nil {
		b.Free()
		return nil, nil, err
	}
	return part, b.Free, nil
}

// PutFrom stores what r gives, in parts of which a few are in memory.
func (s *Store) PutFrom(ctx context.Context, key string, r io.Reader, size int64) (store.Info, error) {
	err := s.checkWrite(ctx, key)
	var info store.Info
	if err == nil {
		info, err = s.putParts(ctx, key, &pieces{in: bucket.NewPieces(r, size), size: size, part: max(min(s.part, maxPiece), (size+maxParts-1)/maxParts)})
	}
	return info, store.WrapError("put", s.url, key, err)
}

// putParts stores a value in parts, by one request if it has but one. Where that fails,
// nothing of it is left.
func (s *Store) putParts(ctx context.Context, key string, p *pieces) (store.Info, error) {
	first, free, err := p.next()
	if err != nil {
		return store.Info{}, err
	}
	if p.end {
		defer free()
		return s.putWhole(ctx, key, first, store.PutOptions{})
	}
	name := rand.Text()
	answer, err := s.client.Do(ctx, s.asking(&ask{
		method: http.MethodPost, key: key, query: url.Values{"uploads": {""}}, header: [4]string{mine, name},
	}), maxAnswer)
	var begun struct{ UploadId string }
	if err == nil && (xml.Unmarshal(answer.Body, &begun) != nil || begun.UploadId == "") {
		err = errors.New("server answers without the name of an upload")
	}
	if err != nil {
		free()
		return store.Info{}, err
	}
	u := &upload{s: s, key: key, id: begun.UploadId, name: name}
	size, err := u.send(ctx, p, first, free)
	var info store.Info
	if err == nil {
		info, err = u.complete(ctx)
		info.Size = size
	}
	if err != nil {
		if also := u.abort(ctx); also != nil {
			err = fmt.Errorf("%w; the parts that were sent are left: %w", err, also)
		}
		return store.Info{}, err
	}
	return info, nil
}

// upload is a value that is sent in parts.
type upload struct {
	s             *Store
	key, id, name string
	tags          []string // of the parts
}

// send sends all parts, of which it has the first.
func (u *upload) send(ctx context.Context, p *pieces, part []byte, free func()) (size int64, err error) {
	all, within := errgroup.WithContext(ctx)
	all.SetLimit(atOnce)
	tags := make(map[int]*string)
	for n := 1; err == nil && within.Err() == nil; n++ {
		size += int64(len(part))
		if n > maxParts {
			free()
			err = fmt.Errorf("%w: more than %d parts", store.ErrTooLarge, maxParts)
			break
		}
		tag, data, done := new(string), part, free
		tags[n] = tag
		all.Go(func() error {
			defer done()
			answer, err := u.s.client.Do(within, u.s.asking(u.part(n, data)), maxAnswer)
			if err == nil {
				if *tag = answer.Header.Get("ETag"); *tag == "" {
					err = errors.New("server takes a part and gives no ETag for it")
				}
			}
			return err
		})
		if part, free, err = p.next(); err == io.EOF {
			err = nil
			break
		}
	}
	if also := all.Wait(); err == nil {
		err = also
	}
	if err == nil {
		err = ctx.Err()
	}
	for n := range len(tags) {
		u.tags = append(u.tags, *tags[n+1])
	}
	return size, err
}

// part asks for a part to be taken.
func (u *upload) part(n int, data []byte) *ask {
	a := ask{method: http.MethodPut, key: u.key, query: url.Values{"partNumber": {strconv.Itoa(n)}, "uploadId": {u.id}}}.hashed(data)
	return &a
}

// complete makes the parts a value.
func (u *upload) complete(ctx context.Context) (store.Info, error) {
	type part struct {
		PartNumber int
		ETag       string
	}
	var list struct {
		XMLName xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ CompleteMultipartUpload"`
		Part    []part
	}
	for i, tag := range u.tags {
		list.Part = append(list.Part, part{i + 1, tag})
	}
	body, err := xml.Marshal(list)
	if err != nil {
		return store.Info{}, err
	}
	a := ask{method: http.MethodPost, key: u.key, query: url.Values{"uploadId": {u.id}}}.hashed(body)
	tries := 0
	var answer struct {
		XMLName             xml.Name
		ETag, Code, Message string
	}
	err = u.s.client.Retry(ctx, func(ctx context.Context) error {
		tries++
		got, err := u.s.client.Once(ctx, u.s.asking(&a), maxAnswer)
		if err != nil {
			return err
		}
		// A server that took long has said 200 before it knew.
		if xml.Unmarshal(got.Body, &answer) != nil {
			return remote.Passing(errors.New("server answers with something that is no XML"), 0)
		}
		if answer.XMLName.Local == "Error" {
			return remote.Passing(fmt.Errorf("server answers %s: %s", answer.Code, oneLine(answer.Message)), 0)
		}
		return nil
	})
	if errors.Is(err, errNoUpload) && tries > 1 {
		if etag, ok := u.s.isMine(ctx, u.key, u.name); ok { // an earlier try has done it
			return store.Info{ETag: etag}, nil
		}
	}
	return store.Info{ETag: answer.ETag}, err
}

// abort gives up what was sent, also where ctx is over.
func (u *upload) abort(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	_, err := u.s.client.Do(ctx, u.s.asking(&ask{method: http.MethodDelete, key: u.key, query: url.Values{"uploadId": {u.id}}}), maxAnswer)
	if errors.Is(err, errNoUpload) || errors.Is(err, store.ErrNotExist) {
		return nil
	}
	return err
}
