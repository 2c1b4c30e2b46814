// Package hdmf reads HDMF files on Zarr, such as those of NWB: typed groups and
// datasets with links, object and region references, and the schemas that they
// were made with.
//
// Zarr has none of these. Three conventions put them into attributes and arrays
// of text or objects, and are one model here: that of hdmf-zarr's text on Zarr v2
// (zarr_link, zarr_dtype), an older one whose sources are relative to the folder
// around the file, and a newer one on Zarr v3 (_LINKS, _REFERENCE, _DTYPE).
//
// A Table is a group whose datasets are columns, also ragged ones; a Series is data
// over time; All finds objects by type, with those that inherit from it.
//
// Links and references are lazy: opening a file follows none of them. Another
// file is opened only below the folder around this one, or where Allow says.
package hdmf

// The attributes that conventions reserve.
const (
	linksV2         = "zarr_link"
	dtypeV2         = "zarr_dtype"
	linksV3         = "_LINKS"
	dtypeV3         = "_DTYPE"
	referenceV3     = "_REFERENCE"
	referenceFields = "_REFERENCE_FIELDS"
	schemaLocation  = ".specloc"
)

var reserved = []string{linksV2, dtypeV2, linksV3, dtypeV3, referenceFields, schemaLocation}

// Layout is how a file keeps what Zarr has no place for.
type Layout uint8

const (
	// V2 is the convention of hdmf-zarr's text, on Zarr v2.
	V2 Layout = 2
	// V3 is that of hdmf-zarr 0.14 and later, on Zarr v3.
	V3 Layout = 3
)

// String is "v2" or "v3".
func (l Layout) String() string {
	if l == V3 {
		return "v3"
	}
	return "v2"
}
