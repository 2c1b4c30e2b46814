package leaktest

import "sync"

var (
	endsMu sync.Mutex
	ends   []func()
)

// AtEnd has f called when all tests have run, before leaks are looked for: for what
// many tests share, such as a server. It is not called where tests failed or were
// killed; what must not outlive the process sees to that itself.
func AtEnd(f func()) {
	endsMu.Lock()
	defer endsMu.Unlock()
	ends = append(ends, f)
}

// end calls what AtEnd was given, the last first.
func end() {
	endsMu.Lock()
	defer endsMu.Unlock()
	for i := len(ends) - 1; i >= 0; i-- {
		ends[i]()
	}
	ends = nil
}
