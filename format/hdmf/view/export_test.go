package view

// LimitListing makes whole listings end earlier, until it is undone.
func LimitListing(most int) (undo func()) {
	was := maxListed
	maxListed = most
	return func() { maxListed = was }
}
