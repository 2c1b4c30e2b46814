// Package zfp reads and writes the bit stream of zfp 1.0, the compressed format
// of Lawrence Livermore National Laboratory for arrays of 32- and 64-bit numbers
// of one to four dimensions.
//
// An array is cut into blocks of four values along each axis. The values of a
// block become integers that share an exponent, a transform along each axis takes
// out what neighbours have in common, and the bits of the coefficients are written
// plane by plane, the most significant first, until the bits of the block are used
// up or the planes that matter are all written. A reversible variant loses
// nothing.
//
// Params says when to stop, and both sides must know it: it stands in the header,
// or beside the stream. Streams are those of the serial execution policy, in
// words of 64 bits, little-endian, as the library writes them unless it was built
// otherwise. What is written is bit by bit what the library writes.
//
// Decoders may be given anything: their time follows from the length of the data,
// they need no memory beyond the destination, and they notice when the stream
// ends before its blocks do.
package zfp
