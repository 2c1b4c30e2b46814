package source

// Places is how many hierarchies of the source are open, and how many of these are only
// because somebody uses them.
func (s *Source) Places() (open, retired int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.places), len(s.retired)
}

// MostPlaces is how many stay open.
const MostPlaces = mostPlaces

// Users is how many uses of open hierarchies have not ended.
func (s *Source) Users() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.places {
		n += p.users
	}
	return n
}
