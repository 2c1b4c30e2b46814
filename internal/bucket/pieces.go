package bucket

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// Pieces cuts what a reader gives into pieces of one size, the last of which may be
// shorter, or empty if there is nothing at all.
type Pieces struct {
	in   *bufio.Reader
	size int64 // of all, < 0 if unknown
	at   int64
	end  bool
}

// NewPieces begins with a reader that gives size bytes, or as many as there are if that is
// negative.
func NewPieces(r io.Reader, size int64) *Pieces {
	return &Pieces{in: bufio.NewReaderSize(r, 4<<10), size: size}
}

// Next fills buf, or as much of it as is left, and says whether that was the end. Other
// sizes than were announced are errors.
func (p *Pieces) Next(buf []byte) (piece []byte, last bool, err error) {
	if p.end {
		return nil, true, io.EOF
	}
	n, err := io.ReadFull(p.in, buf)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, false, err
	}
	p.at += int64(n)
	if err == nil {
		if _, err = p.in.Peek(1); err != nil && !errors.Is(err, io.EOF) {
			return nil, false, err
		}
	}
	p.end = err != nil
	switch {
	case p.size >= 0 && p.at > p.size, p.size >= 0 && p.at == p.size && !p.end:
		return nil, false, fmt.Errorf("there are more than the %d bytes that were announced", p.size)
	case p.size >= 0 && p.end && p.at < p.size:
		return nil, false, fmt.Errorf("%d bytes were announced, and there are %d: %w", p.size, p.at, io.ErrUnexpectedEOF)
	}
	return buf[:n], p.end, nil
}
