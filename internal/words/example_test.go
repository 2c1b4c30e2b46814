package words_test

import (
	"fmt"

	"github.com/omnizarr/zarr/internal/words"
)

func Example() {
	fmt.Println(words.Visible("red: \x1b[31m"), words.Times([]int{480, 640}), words.Counted(2, "array"))
	// Output: red: \x1b[31m 480 × 640 2 arrays
}

func ExampleNear() {
	nodes := []string{"raw", "labels", "raw_small", "s0"}
	fmt.Println(words.Near("rwa", nodes), words.Near("label", nodes), words.Near("small", nodes), words.Near("s9", nodes), words.Near("other", nodes))
	// Output: [raw] [labels] [raw_small] [s0] []
}
