//go:build amd64 || arm64

package pixel

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// without runs a test as on a processor that lacks the instructions.
func without(test func()) {
	had := hasKernels
	defer func() { hasKernels = had }()
	hasKernels = false
	test()
}

func TestPlainKernels(t *testing.T) {
	without(func() {
		TestRowsAreAddedUpByDefinition(t)
		TestFloatsAreAddedUpByDefinition(t)
		TestPlanesAreSplitByDefinition(t)
		TestBytesAreSwappedByDefinition(t)
		TestBitsAreUnpackedByDefinition(t)
		TestGolden(t)
	})
}

// Registers above 15 exist with AVX-512 only, and the assembler does not mind.
func TestOnlyRegistersOfAVX2(t *testing.T) {
	names, err := filepath.Glob("*.s")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if r := regexp.MustCompile(`\b[XYZ](1[6-9]|[23]\d)\b|\bZ\d`).Find(text); r != nil {
			t.Errorf("%s: register %s", name, r)
		}
	}
}

func BenchmarkPlainKernels(b *testing.B) {
	without(func() { BenchmarkKernels(b) })
}
