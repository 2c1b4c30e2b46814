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
