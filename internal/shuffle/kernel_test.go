//go:build amd64 || arm64

package shuffle

import (
	"os"
	"regexp"
	"testing"
)

// without runs a test as on a processor that lacks the instructions.
func without(t *testing.T, test func(t *testing.T)) {
	has := hasKernels
	defer func() { hasKernels = has }()
	hasKernels = false
	test(t)
}

func TestPlainKernels(t *testing.T) { without(t, TestBlocksAreShuffledByDefinition) }

// Registers above 15 exist with AVX-512 only, and the assembler does not mind.
func TestOnlyRegistersOfAVX2(t *testing.T) {
	text, err := os.ReadFile("kernel_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	if r := regexp.MustCompile(`\b[XYZ](1[6-9]|[23]\d)\b|\bZ\d`).Find(text); r != nil {
		t.Errorf("register %s", r)
	}
}

func BenchmarkPlainKernels(b *testing.B) {
	has := hasKernels
	defer func() { hasKernels = has }()
	hasKernels = false
	BenchmarkKernels(b)
}
