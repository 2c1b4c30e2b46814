package zarr_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"
)

// ownSlices are those that codecs make themselves, though their lengths do not follow from
// what is there: by package, function and length, with what bounds them. The limit that a
// filter decodes up to is Chunk.Room of the chain.
var ownSlices = map[string]string{
	"blosc load: s.index.BlockSize":                       "readIndex asks Chunk.Check",
	"blosc load: hi - lo":                                 "at most a block, see above",
	"cast run: n.out":                                     "of one element",
	"categorize BindArray: f.width":                       "of one element",
	"conditional Encode: f.header":                        "check wants at most maxHeaderBits",
	"gdeflate Decode: n":                                  "decodedLen compares it with the limit",
	"gdeflate Encode: sizes":                              "eight bytes for each 64 KiB of src",
	"lz4 Decode: size":                                    "at most the limit, and 255 times src",
	"lz4 Encode: headerSize + lz4.Bound(len(src))":        "little more than src",
	"lz4 append: p.size":                                  "Decode compares it with the limit",
	"lzma grow: min(max(n, have, 512), end - len(d.out))": "doubles what came, up to the limit",
	"lzma init: size":                                     "at most twice data",
	"lzw appendDecode: at + room - len(dst)":              "four times src, or twice what came, up to the limit",
	"n5 Decode: n":                                        "compared with the limit",
	"object tail: rank":                                   "at most nd.MaxRank",
	"pad planTIFF: size":                                  "the length of head, rounded up",
	"pad repeat: n":                                       "samples of a pixel, at most 65535",
	"shard before: axis":                                  "below the rank",
	"shard find: r.parts.n":                               "at most as many as in the index, which is there",
	"shard newIndex: 16 * s.count":                        "checkIndex asks Chunk.Check",
	"shard read: 16 * s.count":                            "checkIndex asks Chunk.Check",
	"vlen BindSerializer: s.width":                        "4 or 8",
	"vlen values: int(n)":                                 "asks Chunk.Check",
	"zstd decode: room":                                   "at most the limit and slack",
}

// Codecs ask their Chunk for memory, which knows the limit: they do not lend or make
// any themselves, but for what follows from what is there.
func TestCodecsAllocateThroughTheGate(t *testing.T) {
	uses, found := imports(t), map[string]bool{}
	for pkg, s := range sources(t) {
		name, below := strings.CutPrefix(pkg, "codec/")
		if !below || name == "codectest" {
			continue
		}
		for _, other := range []string{"internal/buf", "internal/bigmem"} {
			if slices.Contains(uses[pkg], other) {
				t.Errorf("%s imports %s: codec.Chunk lends memory", pkg, other)
			}
		}
		known := map[string]bool{}
		for _, f := range s.files {
			ast.Inspect(f, func(n ast.Node) bool {
				if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST {
					for _, s := range d.Specs {
						for _, id := range s.(*ast.ValueSpec).Names {
							known[id.Name] = true
						}
					}
				}
				return true
			})
		}
		for _, f := range s.files {
			for _, d := range f.Decls {
				where := ""
				if f, ok := d.(*ast.FuncDecl); ok {
					where = f.Name.Name
				}
				for _, length := range lengths(d, known) {
					place := name + " " + where + ": " + length
					if found[place] = true; ownSlices[place] == "" {
						t.Errorf("%s: codec.Chunk gives memory, or say in ownSlices what bounds it", place)
					}
				}
			}
		}
	}
	for place := range ownSlices {
		if !found[place] {
			t.Errorf("%s is in ownSlices, and nowhere else", place)
		}
	}
}

// lengths are those of the slices, and of the room behind slices, that a declaration makes,
// without those that follow from what is there.
func lengths(d ast.Decl, known map[string]bool) (out []string) {
	known = maps.Clone(known)
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field: // a parameter, or a result
			for _, id := range n.Names {
				known[id.Name] = false
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if id, ok := e.(*ast.Ident); ok {
					known[id.Name] = false
				}
			}
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if id, ok := to.(*ast.Ident); ok {
					before, again := known[id.Name]
					known[id.Name] = n.Tok == token.DEFINE && len(n.Lhs) == len(n.Rhs) && follows(n.Rhs[i], known) && (before || !again)
				}
			}
		}
		return true
	})
	ast.Inspect(d, func(n ast.Node) bool {
		if n, ok := n.(*ast.CallExpr); ok {
			args := n.Args
			switch types.ExprString(n.Fun) {
			case "nd.Make":
			case "make", "slices.Grow":
				args = args[1:]
			default:
				return true
			}
			for _, arg := range args {
				if !follows(arg, known) {
					out = append(out, types.ExprString(arg))
				}
			}
		}
		return true
	})
	return out
}

// follows reports whether a length follows from what is there: from constants, the lengths
// of slices and the size of an element, which is 16 MiB at most; none of them times another.
func follows(e ast.Expr, known map[string]bool) bool {
	all := func(list ...ast.Expr) bool {
		return !slices.ContainsFunc(list, func(e ast.Expr) bool { return !follows(e, known) })
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return known[e.Name]
	case *ast.ParenExpr:
		return follows(e.X, known)
	case *ast.BinaryExpr:
		_, x := e.X.(*ast.BasicLit)
		_, y := e.Y.(*ast.BasicLit)
		return all(e.X, e.Y) && (e.Op != token.MUL || x || y) && (e.Op != token.SHL || y)
	case *ast.CallExpr:
		switch name := types.ExprString(e.Fun); name {
		case "len", "cap":
			return true
		case "min":
			return slices.ContainsFunc(e.Args, func(e ast.Expr) bool { return follows(e, known) })
		case "max":
			return all(e.Args...)
		default:
			return strings.HasSuffix(name, ".Size") && len(e.Args) == 0
		}
	}
	return false
}
