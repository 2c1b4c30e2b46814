// Package jpeg decodes and encodes the JPEG streams that TIFF files hold, plane
// by plane.
//
// Decoding gives the very samples that libtiff with libjpeg-turbo gives, since
// these are what a TIFF file is known to hold: the accurate integer transform,
// smooth interpolation of subsampled components, and rounded fixed-point colour
// conversion. It does baseline, extended and progressive streams of 8 bits, with
// Huffman or arithmetic coding, one to four components, and tables that a stream
// leaves to the file (tag 347).
//
// A stream that ends early gives the samples of libtiff too, and a *CutError that
// says which rows were made up. In one thing decoding differs: libjpeg goes on
// where data is damaged, while here damage is an error that says where it is.
package jpeg
