package nd

// kernelCols is how many columns a kernel turns at a time.
func kernelCols(size int) int { return step / size }
