package zstddec

// Every processor of this kind has NEON; tests go without.
var hasKernels = true
