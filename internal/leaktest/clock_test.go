package leaktest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// clocks are the functions that tell or spend time, by package.
var clocks = map[string][]string{
	"time":    {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"},
	"context": {"WithTimeout", "WithTimeoutCause", "WithDeadline", "WithDeadlineCause"},
}

// onTime are declarations that run for as long as somebody asks them to.
var onTime = []string{"TestSoak"}

// inBubbles are declarations that use the clock, but only when they are called
// by tests that run in a bubble of testing/synctest.
var inBubbles = []string{"slow.Get", "slow.Put", "plan", "trickle.Read", "lingering.Read", "keptByWhatIsStored", "swell.Decode"}

// TestNoTestReadsTheClock wants results that do not depend on how busy the
// machine is: time passes only in bubbles of testing/synctest, where it is made
// up. Work is counted instead: requests, calls, or bytes, as alloctest does.
func TestNoTestReadsTheClock(t *testing.T) {
	for file := range testFiles(t) {
		code, err := os.ReadFile(file)
		if err == nil && !bytes.Contains(code, []byte(`"time"`)) {
			continue // it does not import it
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, code, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && (slices.Contains(inBubbles, funcName(f)) || slices.Contains(onTime, funcName(f))) {
				continue
			}
			for pkg, names := range clocks {
				for _, name := range names {
					if calls(d, pkg, name) {
						t.Errorf("%s uses %s.%s: count something instead, or use testing/synctest", filepath.ToSlash(file), pkg, name)
					}
				}
			}
		}
	}
}

// calls reports whether something of a package is named below a node, outside of bubbles.
func calls(n ast.Node, pkg, name string) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if s, ok := c.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Test" && fmt.Sprint(s.X) == "synctest" {
				return false
			}
		}
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == name {
			id, ok := s.X.(*ast.Ident)
			found = found || ok && id.Name == pkg
		}
		return !found
	})
	return found
}

// funcName is the name of a function, with its receiver's type.
func funcName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	typ := f.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if id, ok := typ.(*ast.Ident); ok {
		return strings.Join([]string{id.Name, f.Name.Name}, ".")
	}
	return f.Name.Name
}
