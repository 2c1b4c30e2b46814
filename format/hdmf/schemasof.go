package hdmf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// maxSchema bounds a schema document, in bytes.
const maxSchema = 16 << 20

// SchemasOf reads the schemas that a place has: a file that caches them, by URL, a
// local folder of documents in YAML or JSON, as the repositories of NWB and of its
// extensions have them, or a single document of namespaces. The texts are as files
// cache them, in JSON; those of several places are used together if one list has
// them all.
func SchemasOf(ctx context.Context, place string, opts ...Option) ([]SchemaText, error) {
	texts, err := schemasOf(ctx, place, opts)
	if err != nil {
		return nil, fmt.Errorf("schemas of %s: %w", place, err)
	}
	return texts, nil
}

func schemasOf(ctx context.Context, place string, opts []Option) ([]SchemaText, error) {
	f, err := Open(ctx, place, opts...)
	if err != nil {
		if strings.Contains(place, ":") { // a URL, or on Windows a drive
			if _, missing := os.Stat(place); missing != nil {
				return nil, err
			}
		}
		return documentsIn(place)
	}
	defer f.Close()
	texts, err := f.SchemaTexts(ctx)
	for _, t := range texts {
		if t.Err != nil {
			err = errors.Join(err, fmt.Errorf("%s %s: %w", t.Namespace, t.Source, t.Err))
		}
	}
	if err == nil && len(texts) == 0 {
		err = errors.New("no schemas are cached in it")
	}
	return texts, err
}

// documentsIn finds the documents of namespaces in a folder, with their sources.
func documentsIn(place string) ([]SchemaText, error) {
	var all []SchemaText
	err := filepath.WalkDir(place, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch ext := filepath.Ext(file); {
		case file == place || ext == ".json" || filepath.Base(file) == "namespace":
		case (ext == ".yaml" || ext == ".yml") && strings.Contains(filepath.Base(file), "namespace"):
		default:
			return nil
		}
		texts, err := namespacesIn(file, file == place)
		all = append(all, texts...)
		return err
	})
	if err == nil && len(all) == 0 {
		err = errors.New("there are no documents of namespaces in YAML or JSON")
	}
	return all, err
}

// namespacesIn gives what a document of namespaces describes, with the sources that
// lie beside it. Other documents are passed over unless they must be such.
func namespacesIn(file string, must bool) ([]SchemaText, error) {
	text, err := readDocument(file)
	if err != nil {
		return nil, err
	}
	var doc struct{ Namespaces []json.RawMessage }
	if err := strictjson.Decode(text, &doc); err != nil || doc.Namespaces == nil {
		if !must {
			return nil, nil
		}
		return nil, fmt.Errorf("%s has no \"namespaces\"", filepath.Base(file))
	}
	var all []SchemaText
	for _, raw := range doc.Namespaces {
		var n struct {
			Name    string
			Version string
			Schema  []struct{ Source string }
		}
		if err := strictjson.Decode(raw, &n); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		said, err := bare(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		all = append(all, SchemaText{Namespace: n.Name, Version: n.Version, Source: "namespace", Text: said})
		for _, s := range n.Schema {
			if s.Source == "" {
				continue
			}
			text, err := readSource(filepath.Dir(file), s.Source)
			if err != nil {
				return nil, fmt.Errorf("namespace %s: source %q: %w", n.Name, s.Source, err)
			}
			all = append(all, SchemaText{Namespace: n.Name, Version: n.Version, Source: withoutEnding(s.Source), Text: string(text)})
		}
	}
	return all, nil
}

// bare is the document of one namespace, whose sources are named without the
// endings of files, as it is cached.
func bare(namespace json.RawMessage) (string, error) {
	members, err := strictjson.Split(namespace)
	if err != nil {
		return "", err
	}
	for i, m := range members {
		if m.Name != "schema" {
			continue
		}
		var list [][]byte
		err := strictjson.Each(m.Raw, func(_ int, entry json.RawMessage) error {
			parts, err := strictjson.Split(entry)
			for i, p := range parts {
				if p.Name != "source" {
					continue
				}
				name, err := strictjson.String(p.Raw)
				if err != nil {
					return err
				}
				parts[i].Raw = strictjson.AppendString(nil, withoutEnding(name))
			}
			list = append(list, appendObject(nil, parts))
			return err
		})
		if err != nil {
			return "", err
		}
		members[i].Raw = slices.Concat([]byte{'['}, joined(list), []byte{']'})
	}
	return string(appendObject([]byte(`{"namespaces":[`), members)) + "]}", nil
}

func appendObject(dst []byte, members []strictjson.Member) []byte {
	list := make([][]byte, len(members))
	for i, m := range members {
		list[i] = append(append(strictjson.AppendString(nil, m.Name), ':'), m.Raw...)
	}
	return append(append(append(dst, '{'), joined(list)...), '}')
}

func joined(list [][]byte) []byte {
	var out []byte
	for i, part := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, part...)
	}
	return out
}

// withoutEnding is the name of a source as files cache it.
func withoutEnding(name string) string {
	for _, ending := range []string{".yaml", ".yml", ".json"} {
		if short, ok := strings.CutSuffix(name, ending); ok {
			return short
		}
	}
	return name
}

// readSource reads a source by its name, with or without an ending.
func readSource(dir, name string) ([]byte, error) {
	if !filepath.IsLocal(name) {
		return nil, errors.New("is no name of a file beside it")
	}
	short := withoutEnding(name)
	for _, try := range []string{name, short + ".json", short + ".yaml", short + ".yml", short} {
		text, err := readDocument(filepath.Join(dir, try))
		if !errors.Is(err, fs.ErrNotExist) {
			return text, err
		}
	}
	return nil, errors.New("there is no such file in YAML or JSON")
}

// readDocument reads a document as JSON.
func readDocument(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxSchema {
		return nil, fmt.Errorf("%s has %d bytes, at most %d are read", file, info.Size(), maxSchema)
	}
	text, err := os.ReadFile(file)
	if ext := filepath.Ext(file); err == nil && (ext == ".yaml" || ext == ".yml") {
		if text, err = fromYAML(text); err != nil {
			err = fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
	}
	return text, err
}
