package hdf5

// Trust makes readers take checksums for right, and gives what undoes that.
func Trust() func() {
	verify = false
	return func() { verify = true }
}
