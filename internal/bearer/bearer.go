// Package bearer keeps the tokens by which clouds know who asks: each is used until
// shortly before its end, or until a server refuses it, and asked for once for all who
// wait for it.
package bearer

import (
	"context"
	"time"
)

// early is how long before its end a token is replaced.
const early = 4 * time.Minute

// Token is what a request is allowed by.
type Token struct {
	Value   string
	Expires time.Time // zero if it does not
}

func (t Token) good(now time.Time, spare time.Duration) bool {
	return t.Value != "" && (t.Expires.IsZero() || now.Add(spare).Before(t.Expires))
}

// Source gives tokens. Its methods may be called by several goroutines.
type Source struct {
	fetch func(ctx context.Context) (Token, error)
	turn  chan struct{} // who holds it may look at token, and change it
	token Token
}

// New gives a source of the tokens that fetch gets.
func New(fetch func(ctx context.Context) (Token, error)) *Source {
	return &Source{fetch: fetch, turn: make(chan struct{}, 1)}
}

// Get gives a token that is good for a while. Where a new one cannot be had, the old one
// is used to its end.
func (s *Source) Get(ctx context.Context) (string, error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	defer func() { <-s.turn }()
	if s.token.good(time.Now(), early) {
		return s.token.Value, nil
	}
	t, err := s.fetch(ctx)
	if err == nil {
		s.token = t
	} else if !s.token.good(time.Now(), 0) {
		return "", err
	}
	return s.token.Value, nil
}

// Drop says that a server has refused a token: it is not given again.
func (s *Source) Drop(value string) {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.token.Value == value {
		s.token = Token{}
	}
}
