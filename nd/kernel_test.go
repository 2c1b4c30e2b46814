//go:build amd64 || arm64

package nd

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

func TestPlainSwaps(t *testing.T) {
	without(t, TestSwapBytesOfAllLengths)
	without(t, TestRowsAreSwapped)
}

func TestPlainTurns(t *testing.T) {
	without(t, TestPlanesAreTurned)
	without(t, TestVolumesAreTurned)
	without(t, TestTilesAreTurnedByDefinition)
}

// Registers above 15 exist with AVX-512 only, and the assembler does not mind.
func TestOnlyRegistersOfAVX2(t *testing.T) {
	for _, name := range []string{"swap_amd64.s", "turn_amd64.s"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if r := regexp.MustCompile(`\b[XYZ](1[6-9]|[23]\d)\b|\bZ\d`).Find(text); r != nil {
			t.Errorf("%s: register %s", name, r)
		}
	}
}

func BenchmarkPlain(b *testing.B) {
	has := hasKernels
	defer func() { hasKernels = has }()
	hasKernels = false
	b.Run("swap", BenchmarkSwapBytes)
	b.Run("turn", BenchmarkTurn)
}
