package lz4

// Hash32 is the checksum of pieces, whole.
var Hash32 = hash32
