package thorough_test

import (
	"fmt"
	"testing"

	"github.com/omnizarr/zarr/internal/leaktest"
	"github.com/omnizarr/zarr/internal/thorough"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func Example() {
	defer func(was bool) { thorough.Enabled = was }(thorough.Enabled)
	for _, thorough.Enabled = range []bool{false, true} {
		fmt.Println(thorough.Rounds(1), thorough.Rounds(100), thorough.Step(7))
	}
	// Output:
	// 1 25 7
	// 1 100 1
}
