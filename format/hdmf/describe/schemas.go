package describe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/hdmf/schema"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// maxSchema bounds a schema document, in bytes.
const maxSchema = 16 << 20

// ReadSchemas reads schemas from what a name or URL names: an HDMF file that caches
// them, a document of namespaces, or a folder with such documents.
func ReadSchemas(ctx context.Context, name string, opts ...zarr.Option) (*schema.Catalog, error) {
	if s, err := convention.Find(ctx, name, []convention.Convention{&Convention{}}, opts...); err == nil {
		defer s.Close()
		if s.Object == nil {
			return nil, fmt.Errorf("schemas of %s: is no HDMF file", name)
		}
		c, err := s.Object.(*Object).object.File().Schemas(ctx)
		if err == nil && len(c.Namespaces()) == 0 {
			err = errors.New("no schemas are cached in it")
		}
		if err != nil {
			return nil, fmt.Errorf("schemas of %s: %w", name, err)
		}
		return c, nil
	}
	c := &schema.Catalog{}
	err := filepath.WalkDir(name, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if ext := filepath.Ext(file); ext != ".json" && filepath.Base(file) != "namespace" && file != name {
			return nil
		}
		return addNamespaces(c, file, file == name)
	})
	if err == nil && len(c.Namespaces()) == 0 {
		err = errors.New("there are no namespace documents in JSON")
	}
	if err != nil {
		return nil, fmt.Errorf("schemas of %s: %w", name, err)
	}
	return c, nil
}

// addNamespaces adds what a document of namespaces describes, with the sources that
// lie beside it. Other documents are passed over unless they must be such.
func addNamespaces(c *schema.Catalog, file string, must bool) error {
	text, err := readSchema(file)
	if err != nil {
		return err
	}
	var doc struct {
		Namespaces []struct {
			Name    string
			Version string
			Schema  []struct{ Source string }
		}
	}
	if err := strictjson.Decode([]byte(text), &doc); err != nil || doc.Namespaces == nil {
		if !must {
			return nil
		}
		return fmt.Errorf("%s is no JSON with \"namespaces\"; schemas in YAML are not read", filepath.Base(file))
	}
	for _, n := range doc.Namespaces {
		sources := map[string]string{"namespace": text}
		for _, s := range n.Schema {
			if s.Source == "" {
				continue
			}
			if sources[s.Source], err = readSource(filepath.Dir(file), s.Source); err != nil {
				return fmt.Errorf("namespace %s: source %q: %w", n.Name, s.Source, err)
			}
		}
		if err := c.Add(n.Name, n.Version, sources); err != nil {
			return err
		}
	}
	return nil
}

// readSource reads a source by its name, with or without an ending.
func readSource(dir, name string) (string, error) {
	if !filepath.IsLocal(name) {
		return "", errors.New("is no name of a file beside it")
	}
	bare := strings.TrimSuffix(strings.TrimSuffix(name, ".yaml"), ".yml")
	for _, try := range []string{name, bare + ".json", bare} {
		text, err := readSchema(filepath.Join(dir, try))
		if !errors.Is(err, fs.ErrNotExist) {
			return text, err
		}
	}
	return "", errors.New("there is no such file in JSON")
}

func readSchema(file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if info.Size() > maxSchema {
		return "", fmt.Errorf("%s has %d bytes, at most %d are read", file, info.Size(), maxSchema)
	}
	text, err := os.ReadFile(file)
	return string(text), err
}
