// Package check tells what is wrong with an HDMF file: where it is not as the
// schemas say that it caches, which links and references lead nowhere, and which
// metadata contradict each other. It goes on after everything that it finds.
//
// What counts as wrong with regard to a schema is what hdmf's own validator counts,
// with its names. Beyond it, every object is checked wherever it lies, and every
// element of every dataset of references.
package check

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/schema"
)

// Finding is one thing that is wrong.
type Finding struct {
	// Path is the object that it is wrong with: of something missing, the one that
	// should have it; of links, the group that has them.
	Path string
	// Rule is what was broken: one of the constants, or with Inspect the name of a
	// check of nwbinspector.
	Rule string
	// Problem says in a sentence what is wrong.
	Problem string
	// Warning says that it need not be wrong: something was not looked at without
	// leave, or times go on behind the samples of one of the series that share them.
	Warning bool
}

// String is the finding in one line.
func (f Finding) String() string { return f.Path + ": " + f.Problem + " (" + f.Rule + ")" }

// The rules that are named after hdmf's classes of errors.
const (
	// Missing is an attribute, dataset or group that must be there and is not.
	Missing = "MissingError"
	// MissingType is the same of an object of a type, or of a link to one.
	MissingType = "MissingDataType"
	// BadDType is a value of another data type than asked for.
	BadDType = "DtypeError"
	// BadShape is a value of another shape than asked for.
	BadShape = "ShapeError"
	// NoArray is a single value where an array is asked for.
	NoArray = "ExpectedArrayError"
	// BadQuantity is more or fewer objects than asked for.
	BadQuantity = "IncorrectQuantityError"
	// BadType is an object, or the target of a link or reference, of a type that
	// is not the one asked for and does not inherit from it.
	BadType = "IncorrectDataType"
	// BadLink is a link where the object itself must be.
	BadLink = "IllegalLinkError"
)

// The rules that hdmf's validator has no class for. What breaks those of tables, pynwb
// cannot open, or it warns and shows less than there is.
const (
	// BadLength is a column, a category of a table, or times, of another length than
	// what they belong to.
	BadLength = "IncorrectLength"
	// BadIndex is an index of a ragged column that does not fit what it is the index of.
	BadIndex = "BadIndex"
	// BadColumn is a column that is named twice, or is no list.
	BadColumn = "BadColumn"
	// BadRow is a row that a table does not have.
	BadRow = "RowOutOfRange"
	// DanglingLink is a link that leads nowhere or in a circle.
	DanglingLink = "DanglingLink"
	// DanglingReference is a reference that leads nowhere.
	DanglingReference = "DanglingReference"
	// BadRegion is a reference to a region that its dataset does not have, or to none.
	BadRegion = "BadRegion"
	// ForeignSource is a link or reference into a file that is another one than was
	// meant, or, as a warning, into one that is not opened without leave.
	ForeignSource = "ForeignSource"
	// UnknownType is an object of a type that its namespace does not have.
	UnknownType = "UnknownType"
	// MissingSpec is a schema that is not there, or that cannot be used.
	MissingSpec = "MissingSpec"
	// StaleConsolidated is consolidated metadata that differs from the nodes.
	StaleConsolidated = "StaleConsolidated"
	// ExtraField is a member or an attribute that no schema knows.
	ExtraField = "ExtraField"
	// BadValue is another value than the only one that the schema allows.
	BadValue = "IncorrectValue"
	// Unreadable is a node, or values of one, that cannot be read.
	Unreadable = "Unreadable"
)

// Options says how to check.
type Options struct {
	// Schema is used instead of the schemas that the file caches, and makes up for
	// a file that has none.
	Schema *schema.Catalog
	// Inspect adds the checks of nwbinspector that it calls critical.
	Inspect bool
	// Alone leaves out what lies in other files: links and references into them may
	// lead anywhere.
	Alone bool
}

// File checks a file and gives what is wrong with it by path; nothing if it is as
// it should be. The error says why the check could not go on.
func File(ctx context.Context, f *hdmf.File, opt Options) ([]Finding, error) {
	if f == nil {
		return nil, errors.New("check: no file to check")
	}
	c := newChecker(f, opt)
	if err := c.run(ctx); err != nil {
		return c.sorted(), err
	}
	return c.sorted(), ctx.Err()
}

// Object checks an object of a file and all below it, as its own type says. What those
// around it ask is left out.
func Object(ctx context.Context, o hdmf.Object, opt Options) ([]Finding, error) {
	if o == nil {
		return nil, errors.New("check: no object to check")
	}
	c := newChecker(o.File(), opt)
	err := c.schemas(ctx)
	if err == nil {
		err = c.tree(ctx, o)
	}
	if err != nil {
		return c.sorted(), err
	}
	return c.sorted(), ctx.Err()
}

func (c *checker) sorted() []Finding {
	slices.SortStableFunc(c.findings, func(a, b Finding) int {
		if n := strings.Compare(a.Path, b.Path); n != 0 {
			return n
		}
		return strings.Compare(a.Rule, b.Rule)
	})
	return c.findings
}
