package remote

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/omnizarr/zarr/store"
)

// Request makes the request of one try, signed anew for each. ranges is the value of its
// header Range, "" for none. It may be called by two goroutines at once, and once more
// just after the answer has come.
type Request func(ctx context.Context, ranges string) (*http.Request, error)

// Answer is what a server said.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// Lost says that an earlier try may have done what was asked for, though its answer
	// was lost.
	Lost bool
}

// Once makes a request one time. An answer of more than limit bytes is
// store.ErrTooLarge. An error that Explain made of a status has no answer.
func (c *Client) Once(ctx context.Context, req Request, limit int64) (*Answer, error) {
	if err := c.enter(ctx); err != nil {
		return nil, err
	}
	a := c.begin(ctx)
	if err := a.send(req, ""); err != nil {
		return nil, err
	}
	defer a.close()
	out := &Answer{Status: a.StatusCode, Header: a.Header}
	if a.Request != nil && a.Request.Method == http.MethodHead {
		return out, nil
	}
	if a.ContentLength > limit {
		return nil, fmt.Errorf("%w: an answer of %d bytes, at most %d", store.ErrTooLarge, a.ContentLength, limit)
	}
	var err error
	if a.ContentLength >= 0 {
		if out.Body, err = a.skip(0, a.ContentLength, nil); err == io.EOF {
			err = &passing{err: fmt.Errorf("answer is cut off: %w", io.ErrUnexpectedEOF)}
		}
	} else {
		out.Body, _, err = a.unknown(store.UpTo(limit), nil)
	}
	return out, err
}

// Do makes a request until it is answered or fails for good, as Retry does. What is done
// twice must be as if it were done once; where it is not, Answer.Lost tells.
func (c *Client) Do(ctx context.Context, req Request, limit int64) (*Answer, error) {
	var a *Answer
	tries := 0
	err := c.Retry(ctx, func(ctx context.Context) (err error) {
		tries++
		a, err = c.Once(ctx, req, limit)
		return err
	})
	if err == nil {
		a.Lost = tries > 1
	}
	return a, err
}
