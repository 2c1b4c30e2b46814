package zstddec

// Every processor of this kind can do what the kernels of literals need; tests go without.
var hasKernels = true
