package schema

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
)

func TestTypesThatInheritFromThemselves(t *testing.T) {
	c := catalogOf(t, `{"groups":[{"data_type_def":"Self","data_type_inc":"Self"},{"data_type_def":"A","data_type_inc":"B"},
		{"data_type_def":"B","data_type_inc":"C"},{"data_type_def":"C","data_type_inc":"A"},{"data_type_def":"Below","data_type_inc":"B"},
		{"data_type_def":"Good"},{"data_type_def":"Data","data_type_inc":"Dataset"}],"datasets":[{"data_type_def":"Dataset"}]}`)
	for _, name := range []string{"A", "B", "C", "Below"} {
		if _, err := c.Type("n", name); !errors.Is(err, ErrCycle) || !strings.Contains(err.Error(), "type "+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s := mustType(t, c, "n", "Self"); s.Base != nil {
		t.Error("Self has a base")
	}
	wantProblem(t, c, "type Self", "ignored")
	mustType(t, c, "n", "Good")
	if _, err := c.Type("n", "Data"); err == nil || !containsAll(err.Error(), []string{"type Data", "is a group", "a dataset"}) {
		t.Error(err)
	}
}

func TestACycleThroughTwoNamespaces(t *testing.T) {
	c := &Catalog{}
	add(t, c, "a", "1", `{"namespace":"b"},{"source":"s"}`, `{"groups":[{"data_type_def":"A","data_type_inc":"B"}]}`)
	add(t, c, "b", "1", `{"namespace":"a"},{"source":"s"}`, `{"groups":[{"data_type_def":"B","data_type_inc":"A"}]}`)
	for _, name := range []string{"A", "B"} {
		if _, err := c.Type("a", name); !errors.Is(err, ErrCycle) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestALongChainOfTypes(t *testing.T) {
	n := thorough.Of(3_000, 30_000)
	var b strings.Builder
	b.WriteString(`{"groups":[{"data_type_def":"T0"}`)
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, `,{"data_type_def":"T%d","data_type_inc":"T%d","attributes":[{"name":"a%d","dtype":"int"}]}`, i, i-1, i)
	}
	b.WriteString("]}")
	used := alloctest.Bytes(func() {
		c := catalogOf(t, b.String())
		_, err := c.Type("n", fmt.Sprintf("T%d", n-1))
		if !errors.Is(err, ErrLimit) || len(err.Error()) > 300 {
			t.Error(err)
		}
		if got := len(mustType(t, c, "n", fmt.Sprintf("T%d", maxChain)).Group.Attributes); got != maxChain {
			t.Errorf("%d attributes", got)
		}
		if _, err := c.Type("n", fmt.Sprintf("T%d", maxChain+1)); !errors.Is(err, ErrLimit) {
			t.Error(err)
		}
		p := c.Problems()
		if len(p) != maxProblems+1 || !strings.Contains(p[maxProblems].Error(), fmt.Sprintf("and %d more", n-1-maxChain-maxProblems)) {
			t.Errorf("%d problems, the last %v", len(p), p[len(p)-1])
		}
	})
	if used /= int64(n); used > 8000 {
		t.Errorf("%d bytes were allocated per type", used)
	}
}

// Types that together have far more members than their text: the ones that fit
// are there, the others say why they are not.
func TestMembersThatMultiplyAreBounded(t *testing.T) {
	const wide = 4000
	types := thorough.Of(200, 4000)
	var b strings.Builder
	b.WriteString(`{"groups":[{"data_type_def":"Base","attributes":[`)
	for i := range wide {
		fmt.Fprintf(&b, `{"name":"a%d","dtype":"int"},`, i)
	}
	b.WriteString(`{"name":"z","dtype":"int"}]}`)
	for i := range types {
		fmt.Fprintf(&b, `,{"data_type_def":"T%d","data_type_inc":"Base","attributes":[{"name":"own","dtype":"int"}]}`, i)
	}
	b.WriteString("]}")
	c := catalogOf(t, b.String())
	c.merge.used = thorough.Of(maxMembers-100*wide, 0) // as if there had been most of them
	if got := len(mustType(t, c, "n", "T0").Group.Attributes); got != wide+2 {
		t.Errorf("%d attributes", got)
	}
	limited := 0
	for _, err := range c.Problems() {
		if errors.Is(err, ErrLimit) {
			limited++
		}
	}
	if limited == 0 {
		t.Error("no type was refused")
	}
}

func TestTooManySpecs(t *testing.T) {
	if race.Enabled && thorough.Enabled {
		t.Skip("a long text")
	}
	left := thorough.Of(2*maxProblems, maxSpecs)
	c := &Catalog{specs: maxSpecs - left} // as if there had been others
	add(t, c, "n", "1.0", `{"source":"s"}`, `{"datasets":[{"data_type_def":"First"}`+strings.Repeat(`,{"name":"a"}`, left+10)+`]}`)
	mustType(t, c, "n", "First")
	p := c.Problems()
	if len(p) != maxProblems+1 {
		t.Errorf("%d problems", len(p))
	}
	add(t, c, "m", "1", `{"source":"s"}`, `{"groups":[{"data_type_def":"A"}]}`)
	if _, err := c.Type("m", "A"); err == nil {
		t.Error("a type beyond the limit")
	}
	if err := c.Add("big", "1", map[string]string{"namespace": strings.Repeat(" ", maxSource+1)}); err == nil || !strings.Contains(err.Error(), "16777216") {
		t.Error(err)
	}
}

func TestDeepNesting(t *testing.T) {
	deep := func(n int) string {
		return `{"groups":[{"data_type_def":"D"` + strings.Repeat(`,"groups":[{"name":"g"`, n) + strings.Repeat("}]", n) + `}]}`
	}
	c := catalogOf(t, deep(28))
	mustType(t, c, "n", "D")
	c = catalogOf(t, deep(100))
	wantProblem(t, c, "source s", "nested deeper")
	c = catalogOf(t, `{"groups":[{"data_type_def":"D"}],"datasets":`+strings.Repeat("[", 40)+strings.Repeat("]", 40)+`}`)
	mustType(t, c, "n", "D")
}

func TestManyAskAtOnce(t *testing.T) {
	g, catalogs := goldenCatalogs(t)
	c := catalogs[0]
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, n := range g.Sets[0].Namespaces {
				for name := range n.Types {
					typ, err := c.Type(n.Name, name)
					if err != nil {
						t.Error(err)
						return
					}
					if typ.Group != nil {
						for _, s := range typ.Group.Groups {
							if _, err := s.Expand(); err != nil {
								t.Error(err)
							}
						}
					}
				}
			}
		})
	}
	wg.Go(func() { c.Problems() })
	wg.Go(func() {
		if err := c.Add("late", "1", map[string]string{"namespace": namespaceText("late", "1", "")}); err != nil {
			t.Error(err)
		}
	})
	wg.Wait()
}
