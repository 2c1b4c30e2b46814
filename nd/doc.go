// Package nd is the arithmetic of n-dimensional memory: boxes, strided views
// over bytes, and the kernels that copy and fill them.
//
// It knows nothing of Zarr, of data types or of files. An element is a run of
// Size bytes; what the bytes mean is somebody else's business.
package nd

// MaxRank is the largest number of dimensions that views and boxes may have.
// It lets the kernels keep their state on the stack.
const MaxRank = 32
