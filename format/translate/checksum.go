package translate

import (
	"fmt"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// DropChecksum takes the checksum out of a codec zstd, which documents of formats
// other than Zarr v3 cannot ask for: whoever opens the array again writes frames
// without one, and the same copy, resumed or made by many, must have the same bytes.
func DropChecksum(x *meta.Extension) error {
	if x.Name != "zstd" {
		return nil
	}
	var config struct {
		Level    int  `json:"level"`
		Checksum bool `json:"checksum"`
	}
	if err := strictjson.Unmarshal(x.Configuration, &config); err != nil {
		return fmt.Errorf("codec %s: %w", x.Name, err)
	}
	if config.Checksum {
		x.Configuration = fmt.Appendf(nil, `{"level":%d,"checksum":false}`, config.Level)
	}
	return nil
}
