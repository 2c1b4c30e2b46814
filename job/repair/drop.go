package repair

import (
	"bytes"
	"context"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// consolidatedMember is where a document of Zarr v3 has consolidated metadata.
const consolidatedMember = "consolidated_metadata"

// droppable reports whether a document is wrong in its consolidated metadata alone.
func droppable(ctx context.Context, raw store.Store, key string) bool {
	_, _, ok := withoutConsolidated(ctx, raw, key)
	return ok
}

// withoutConsolidated gives a document without the consolidated metadata that keeps it
// from being read, and the tag of what it was.
func withoutConsolidated(ctx context.Context, raw store.Store, key string) (doc []byte, tag string, ok bool) {
	text, info, err := raw.Get(ctx, key, store.UpTo(meta.MaxBytes), nil)
	if err != nil {
		return nil, "", false
	}
	members, err := strictjson.Object(text, strictjson.Options{NaNIn: []string{"attributes", consolidatedMember}})
	if err != nil {
		return nil, "", false
	}
	var b bytes.Buffer
	found := false
	for _, m := range members {
		if m.Name == consolidatedMember {
			found = true
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		name, err := strictjson.Marshal(m.Name, false)
		if err != nil {
			return nil, "", false
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.Raw)
	}
	doc = strictjson.Indent(nil, []byte("{"+b.String()+"}"))
	if _, err := meta.Parse(doc, meta.Registry{}); err != nil {
		return nil, "", false
	}
	_, err = meta.Parse(text, meta.Registry{})
	return doc, info.ETag, found && err != nil
}

// drop takes consolidated metadata out of a document that is wrong in it.
func drop(ctx context.Context, raw store.Store, key string) error {
	doc, tag, ok := withoutConsolidated(ctx, raw, key)
	if !ok {
		return nil // mended meanwhile
	}
	_, err := raw.Put(ctx, key, doc, store.PutOptions{IfMatch: tag})
	return err
}
