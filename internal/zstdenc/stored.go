package zstdenc

import "github.com/omnizarr/zarr/internal/bigmem"

// maxStored is the longest block of a frame.
const maxStored = 128 << 10

// Stored is a zstd frame that holds bytes as they are: any decoder reads it, and it takes
// no longer than to write the bytes.
type Stored struct {
	frame  []byte
	header int // bytes of the frame's header
	blocks int
}

// NewStored makes a frame for n bytes.
func NewStored(n int) *Stored {
	blocks := max((n+maxStored-1)/maxStored, 1)
	frame := appendFrameHeader(bigmem.Bytes(n + 3*blocks + maxHeader)[:0], n, false)
	return &Stored{frame[:len(frame)+3*blocks+n], len(frame), blocks}
}

// maxHeader is the longest header of a frame that stores bytes.
const maxHeader = 14

// Content is where the bytes are written to before Frame is called. They lie together, so
// that the last block is in its place.
func (s *Stored) Content() []byte { return s.frame[s.header+3*s.blocks:] }

// Frame puts the headers of blocks between the bytes, and gives the frame.
func (s *Stored) Frame() []byte {
	content, to := s.Content(), s.header
	for i := range s.blocks {
		block := content[:min(len(content), maxStored)]
		content = content[len(block):]
		last := uint32(0)
		if i == s.blocks-1 {
			last = 1
		}
		blockHeader(s.frame[:to], last|blockRaw<<1, uint32(len(block)))
		to += 3 + copy(s.frame[to+3:], block) // to the left, but for the last, which stays
	}
	return s.frame
}
