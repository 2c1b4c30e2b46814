package shuffle

// Every processor of this kind has NEON; tests go without.
var hasKernels = true

// register is how many bytes the kernels have in a register.
const register = 16
