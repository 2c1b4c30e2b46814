package rows

import "testing"

func TestCellsForPeopleAreShort(t *testing.T) {
	for cell, want := range map[string]string{
		`"short"`:                     "short",
		`0.4073245623984571`:          "0.407325",
		`12345678901234`:              "12345678901234",
		`[0.4073245623984571, [1.5]]`: "[0.407325, [1.5]]",
		`"v0.4073245623"`:             "v0.4073245623",
		`[1, 2, 3]`:                   "[1, 2, 3]",
		`"a line\nand another one that goes on and on"`:        "a line and another one that g…",
		`"/general/extracellular_ephys/a_shank_of_many"`:       "…ellular_ephys/a_shank_of_many",
		`[0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5]`:   "[0.5, 1.5, 2.5, … 10 values]",
		`["a text that is long all by itself, isn't it", "b"]`: `["a text that is … 2 values]`,
	} {
		if got := shownCell([]byte(cell), digitsShown); got != want {
			t.Errorf("%s is shown as %s, want %s", cell, got, want)
		}
	}
}
