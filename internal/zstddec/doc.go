// Package zstddec reads zstd frames (RFC 8878) into memory that the caller has:
// chunks of arrays are whole frames whose size is known, so that nothing is
// streamed, matches are copied from where they were written, and a window takes no
// memory of its own.
//
// A decoder in Go, which checks every step, reads everything. Where the processor
// allows it, kernels in assembly do the bulk of the work: they stop before anything
// that is rare, wrong or near the end of a buffer, and Go goes on from there.
//
// Dictionaries are not known. State is pooled, so that decoding does not allocate.
package zstddec
