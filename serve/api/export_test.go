package api

// Routes are the names of all that is answered.
func Routes() (names []string) {
	for _, r := range routes() {
		names = append(names, r.name)
	}
	return names
}
