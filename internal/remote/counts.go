package remote

import "sync/atomic"

// Counts says what a client has done.
type Counts struct {
	Requests int64 // sent, with those below
	Retries  int64 // requests that were made since another had failed
	Hedges   int64 // requests that were made since another lingered
	In, Out  int64 // bytes of values received and sent
}

type counts struct{ requests, retries, hedges, in, out atomic.Int64 }

// Counts tells what was done since New.
func (c *Client) Counts() Counts {
	return Counts{
		Requests: c.counts.requests.Load(), Retries: c.counts.retries.Load(), Hedges: c.counts.hedges.Load(),
		In: c.counts.in.Load(), Out: c.counts.out.Load(),
	}
}
