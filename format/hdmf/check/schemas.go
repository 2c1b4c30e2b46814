package check

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"strings"

	"github.com/omnizarr/zarr/format/hdmf/schema"
	"github.com/omnizarr/zarr/internal/strictjson"
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
	at := c.schemaPath()
	if at == "" {
		c.tell("/", MissingSpec, "caches no schema (it has no .specloc), and none was given: only links and references are checked")
		return nil
	}
	texts, err := c.file.SchemaTexts(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		c.tell(at, MissingSpec, "%v", reason(err))
	}
	type key struct{ name, version string }
	sources := map[key]map[string]string{}
	var order []key
	for _, t := range texts {
		k := key{t.Namespace, t.Version}
		if sources[k] == nil {
			sources[k] = map[string]string{}
			order = append(order, k)
		}
		if t.Err != nil {
			c.tell(path.Join(at, t.Namespace, t.Version, t.Source), MissingSpec, "%v", reason(t.Err))
			continue
		}
		sources[k][t.Source] = t.Text
	}
	catalog := &schema.Catalog{}
	for _, k := range order {
		if err := catalog.Add(k.name, k.version, sources[k]); err != nil {
			c.unusable(at, err)
		}
	}
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
		at = path.Join(at, where.Namespace, where.Version, where.Source)
	}
	c.tell(at, MissingSpec, "%v", err)
}

// schemaPath is where the file says that its schemas are, "" if it does not.
func (c *checker) schemaPath() string {
	raw := c.file.Zarr().Metadata().Attributes.Raw(".specloc")
	if raw == nil {
		return ""
	}
	s, err := strictjson.String(raw)
	if err != nil {
		var by struct {
			Reference struct{ Path string } `json:"_REFERENCE"`
			Value     struct{ Path string } `json:"value"`
		}
		json.Unmarshal(raw, &by)
		s = by.Reference.Path + by.Value.Path
	}
	if s == "" {
		return ""
	}
	return path.Clean("/" + strings.TrimSpace(s))
}
