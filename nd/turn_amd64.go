package nd

// kernelCols is how many columns a kernel turns at a time.
func kernelCols(size int) int { return min(16/size, 8) }
