// Package zstdenc writes zstd frames (RFC 8878) and is tuned for chunks of
// scientific arrays: 16-bit image volumes whose low bytes are mostly noise.
//
// Levels up to 5 use the encoder of this package: hash-table match finders, a
// parser that knows about two-byte elements, Huffman-coded literals and
// FSE-coded sequences. Levels from 6 on, where time matters less than size, are
// delegated to github.com/klauspost/compress/zstd. Every frame, whichever
// encoder wrote it, is plain zstd: it carries its content size, asks for a
// window of at most 8 MiB and needs no dictionary, so any decoder reads it.
//
// The output depends only on the arguments. Encoder state is pooled, so that
// encoding does not allocate once the pool is warm and dst is large enough.
package zstdenc
