package lz4

// Every processor of this kind has NEON; tests go without.
var hasKernels = true

// patternTable has from where the bytes come that repeat those of a distance.
type patternTable [33][32]byte

func makePatterns() (p patternTable) {
	for distance := 1; distance <= 32; distance++ {
		for i := range 32 {
			p[distance][i] = byte(i % distance)
		}
	}
	return p
}
