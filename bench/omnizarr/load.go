//go:build !arrays

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"
)

func init() {
	commands["load"] = command{3, func(a []string) error { return load(a[0], a[1], a[2]) }}
}

// loaded is what the driver reads of a load.
type loaded struct {
	Seconds  float64 `json:"s"`
	Bytes    int64   `json:"bytes"`
	Requests int     `json:"requests"`
	P50      float64 `json:"p50"` // seconds until the last byte of an answer
	P99      float64 `json:"p99"`
}

// load asks a server for values, from so many connections at once: those whose addresses
// stand in a file, each once in a random order, or, for a number of seconds, any of them.
// Where the addresses tell a size, "SIZE URL", the answer must have it and begin with the
// number of its line. Any other answer than 200 ends it.
func load(list, connections, seconds string) error {
	text, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	n, err1 := strconv.Atoi(connections)
	limit, err2 := strconv.ParseFloat(seconds, 64)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	order := make(chan int)
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	go func() {
		defer close(order)
		rng := rand.New(rand.NewPCG(1, 2))
		next := rng.Perm(len(lines))
		for end := time.Now().Add(time.Duration(limit * float64(time.Second))); len(next) > 0 || limit > 0 && time.Now().Before(end); {
			i := rng.IntN(len(lines))
			if limit <= 0 {
				i, next = next[0], next[1:]
			} else {
				next = nil
			}
			select {
			case order <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	var mu sync.Mutex
	var wg sync.WaitGroup
	out, took := loaded{}, []float64(nil)
	start := time.Now()
	for range n {
		wg.Go(func() {
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1, ReadBufferSize: 64 << 10, DisableCompression: true}}
			defer client.CloseIdleConnections()
			buffer := make([]byte, 4<<20)
			for i := range order {
				began := time.Now()
				size, err := ask(ctx, client, lines[i], i, buffer)
				if err != nil {
					stop(fmt.Errorf("%s: %w", lines[i], err))
					return
				}
				mu.Lock()
				out.Bytes += size
				took = append(took, time.Since(began).Seconds())
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	out.Seconds = time.Since(start).Seconds()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	slices.Sort(took)
	out.Requests, out.P50, out.P99 = len(took), took[len(took)/2], took[len(took)*99/100]
	return json.NewEncoder(os.Stdout).Encode(out)
}

// ask gets one value and gives its size.
func ask(ctx context.Context, client *http.Client, line []byte, number int, buffer []byte) (int64, error) {
	size, url, sized := bytes.Cut(line, []byte(" "))
	if !sized {
		url = line
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, string(url), nil)
	if err != nil {
		return 0, err
	}
	answer, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("status %s", answer.Status)
	}
	n, err := io.ReadFull(answer.Body, buffer)
	if err == nil {
		return 0, errors.New("the value is too large")
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if sized && (string(size) != strconv.Itoa(n) || binary.LittleEndian.Uint64(buffer) != uint64(number)) {
		return 0, fmt.Errorf("%d bytes that begin with %d", n, binary.LittleEndian.Uint64(buffer))
	}
	return int64(n), nil
}
