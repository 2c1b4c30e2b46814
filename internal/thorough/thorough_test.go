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
	thorough.Enabled = true
	fmt.Println(thorough.Rounds(100), thorough.Step(7))
	thorough.Enabled = false
	fmt.Println(thorough.Rounds(100) < 100, thorough.Step(7) > 1)
	// Output:
	// 100 1
	// true true
}
