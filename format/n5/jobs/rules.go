package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// document is what nodes of N5 have instead of zarr.json.
const document = "attributes.json"

// Rules are those for the documents of N5, with one more: "version", of the
// container.
func (*Kind) Rules() check.Rules {
	return check.Rules{
		Format: n5.Format, Node: members, Documents: map[string]string{document: ""},
		Members: map[string]string{
			"dimensions": "shape", "blockSize": "chunk_grid", "dataType": "data_type", "compression": "codecs", "compressionType": "codecs",
		},
	}
}

// members checks what reading a node of N5 is lenient about.
func members(ctx context.Context, s store.Store, at string, tell func(rule, problem string)) {
	text, _, err := s.Get(ctx, path.Join(at, document), store.UpTo(meta.MaxBytes), nil)
	if err != nil {
		return // a group need not have it; all else has been told
	}
	attrs, err := meta.ParseAttributes(text)
	if err != nil {
		return
	}
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
