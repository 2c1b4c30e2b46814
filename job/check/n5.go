package check

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/refs"
)

// n5Document is what nodes of N5 have instead of zarr.json.
const n5Document = "attributes.json"

// find sets the store of the validator: one that shows nodes of all formats as
// Zarr v3, found out by looking as opening a node does.
func (v *validator) find(ctx context.Context, s store.Store) {
	formats := std.Registry()
	t, _ := s.(*translate.Store)
	if t == nil {
		if n, err := zarr.OpenStore(ctx, s, v.root, v.open...); err == nil {
			t, _ = n.Store().(*translate.Store)
		} else if _, _, gone := s.Get(ctx, path.Join(v.root, job.Document), store.Part(0, 0), nil); gone != nil {
			if f := formats.Look(ctx, s, v.root, false); f != nil {
				t = formats.Open(s, f.Name, format.Env{}) // broken
			}
		}
	}
	if t == nil {
		t = formats.Open(s, "", format.Env{Metadata: meta.Registry{Transformers: []string{refs.Transformer}}})
	}
	if v.store = t; t.Format() == n5.Format {
		v.old = t
	}
}

// n5Members checks what reading a node of N5 is lenient about.
func (v *validator) n5Members(ctx context.Context, at string) {
	text, _, err := v.old.Unwrap().Get(ctx, path.Join(at, n5Document), store.UpTo(meta.MaxBytes), nil)
	if err != nil {
		return // a group need not have it; all else has been told
	}
	attrs, err := meta.ParseAttributes(text)
	if err != nil {
		return
	}
	tell := func(rule, problem string) { v.problem(v.at(at), rule, problem) }
	if raw := attrs.Raw(n5.Format); raw != nil {
		if why := badVersion(raw); why != "" {
			tell("version", why)
		}
	}
	if attrs.Raw("dimensions") == nil || attrs.Raw("dataType") == nil {
		for _, name := range []string{"dimensions", "dataType", "blockSize", "compression"} {
			if attrs.Raw(name) != nil {
				tell("metadata", fmt.Sprintf("%s without both dimensions and dataType makes no dataset", name))
				break
			}
		}
		return
	}
	if attrs.Raw("blockSize") == nil {
		tell("chunk_grid", "blockSize: there is none")
	}
	if attrs.Raw("compression") == nil && attrs.Raw("compressionType") == nil {
		tell("codecs", "compression: there is none")
	}
}

// badVersion says why the version of a container is none that is known, "" if it
// is one.
func badVersion(raw json.RawMessage) string {
	text, err := strictjson.String(raw)
	if err != nil {
		return err.Error()
	}
	first, _, _ := strings.Cut(text, ".")
	known, _, _ := strings.Cut(n5.Version, ".")
	most, _ := strconv.Atoi(known)
	major, err := strconv.Atoi(first)
	switch {
	case err != nil:
		return fmt.Sprintf("n5: %s is no version", strictjson.Quote(text))
	case major > most:
		return fmt.Sprintf("n5: version %s is newer than %s", strictjson.Quote(text), n5.Version)
	}
	return ""
}
