package zstdenc

import (
	"sync"

	"github.com/klauspost/compress/zstd"
)

// bestLevel is the first level that gets the slowest delegate.
const bestLevel = 10

// smallFrame is the length below which a frame tells its length only as a single
// segment; some readers want to know it.
const smallFrame = 256

// delegates pools klauspost encoders: better and best compression, each
// without and with a checksum, for long and for small frames.
var delegates [2][2][2]sync.Pool

// appendDelegated encodes the levels where size matters more than time.
func appendDelegated(dst, src []byte, level int, checksum bool) []byte {
	speed, i, j, k := zstd.SpeedBetterCompression, 0, 0, 0
	if level >= bestLevel {
		speed, i = zstd.SpeedBestCompression, 1
	}
	if checksum {
		j = 1
	}
	if len(src) < smallFrame {
		k = 1
	}
	pool := &delegates[i][j][k]
	e, _ := pool.Get().(*zstd.Encoder)
	if e == nil {
		var err error
		e, err = zstd.NewWriter(nil,
			zstd.WithEncoderLevel(speed),
			zstd.WithEncoderConcurrency(1),
			zstd.WithEncoderCRC(checksum),
			zstd.WithZeroFrames(true),
			zstd.WithSingleSegment(k == 1),
			zstd.WithWindowSize(maxWindow))
		if err != nil {
			panic("zstdenc: " + err.Error()) // the options are constants
		}
	}
	dst = e.EncodeAll(src, dst)
	pool.Put(e)
	return dst
}
