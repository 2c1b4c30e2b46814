package check

import (
	"context"
	"errors"
	"strings"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/schema"
)

// maxProblems bounds what is told of the schemas of a file.
const maxProblems = 50

// schemas finds the schemas to check against, and tells what is wrong with those
// that the file caches.
func (c *checker) schemas(ctx context.Context) error {
	if c.opt.Schema != nil {
		c.catalog = c.opt.Schema
		return nil
	}
	at := c.file.SchemaPath()
	if c.file.Plain() {
		return nil
	}
	if at == "" {
		c.tell("/", MissingSpec, "caches no schema (it has no .specloc), and none was given: only links and references are checked. --schema takes one, from a file that caches it or as YAML")
		return nil
	}
	texts, err := c.file.SchemaTexts(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		c.tell(at, MissingSpec, "%v", reason(err))
	}
	catalog := hdmf.Catalog(texts, func(t hdmf.SchemaText, err error) {
		if t.Source == "" {
			c.unusable(at, err)
			return
		}
		c.tell(within(at, t.Namespace, t.Version, t.Source), MissingSpec, "%v", reason(err))
	})
	problems := catalog.Problems()
	for i, err := range problems {
		if i == maxProblems {
			c.tell(at, MissingSpec, "%d more problems of schemas are not told", len(problems)-i)
			break
		}
		c.unusable(at, err)
	}
	if len(catalog.Namespaces()) == 0 {
		c.tell(at, MissingSpec, "holds no schema that can be used: only links and references are checked")
		return nil
	}
	c.catalog = catalog
	return nil
}

// unusable tells what is wrong at a place of a schema.
func (c *checker) unusable(at string, err error) {
	var where *schema.Error
	if errors.As(err, &where) {
		if !isName(where.Source) && where.Source != "" {
			named := *where
			named.Source = ""
			c.tell(within(at, where.Namespace, where.Version), MissingSpec, "source %s: %v", quote(where.Source), &named)
			return
		}
		at = within(at, where.Namespace, where.Version, where.Source)
	}
	c.tell(at, MissingSpec, "%v", err)
}

// within is a path below another, as far as names are such that it can have.
func within(at string, names ...string) string {
	for _, name := range names {
		if !isName(name) {
			break
		}
		at = join(at, name)
	}
	return at
}

// isName reports whether a node may have a name.
func isName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\\")
}
