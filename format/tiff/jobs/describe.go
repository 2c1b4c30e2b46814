package jobs

import (
	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff/ome"
	"github.com/omnizarr/zarr/kind"
)

// Describe tells what a file says of an image. Its attributes are in the words of all
// already; the OME-XML is the description of its first page.
func (k *Kind) Describe(n zarr.Node) (kind.Description, bool) {
	if n.Format() != k.Name() {
		return kind.Description{}, false
	}
	d := kind.Description{Attributes: n.Attributes()}
	var about struct {
		Name string
		Tags struct{ ImageDescription string }
	}
	if ok, err := d.Attributes.Get("tiff", &about); ok && err == nil {
		d.Name = about.Name
		if ome.IsOME(about.Tags.ImageDescription) {
			d.Document = about.Tags.ImageDescription
		}
	}
	return d, true
}
