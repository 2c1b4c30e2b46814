package inflate

import "testing"

// Wrong margins are a panic before they do damage.
func TestAccessOutsideOfMemoryPanics(t *testing.T) {
	m := memoryOf(make([]byte, 64))
	for name, access := range map[string]func(by uint){
		"load":   func(by uint) { m.load(56 + by) },
		"store":  func(by uint) { m.store(56+by, 1) },
		"store2": func(by uint) { m.store2(56+by, 1) },
		"copy32": func(by uint) { m.copy32(32+by, 0) },
		"before": func(by uint) { m.copy32(16, 16+by) },
		"repeat": func(by uint) { m.repeat(48, 64+by, 1) },
	} {
		panics := func(by uint) (did bool) {
			defer func() { did = recover() != nil }()
			access(by)
			return false
		}
		if panics(0) {
			t.Errorf("%s: refuses the last place", name)
		}
		if !panics(1) {
			t.Errorf("%s: goes too far", name)
		}
	}
}
