package format

import (
	"bytes"
	"unicode/utf8"
)

// strangers are files that people try to open and that are of no format here, by how
// they begin.
var strangers = []struct{ start, title string }{
	{"CDF\x01", "a NetCDF-3 file, which is not read: convert it first, with xarray's to_zarr"},
	{"CDF\x02", "a NetCDF-3 file, which is not read: convert it first, with xarray's to_zarr"},
	{"CDF\x05", "a NetCDF-3 file, which is not read: convert it first, with xarray's to_zarr"},
	{"GRIB", "a GRIB file, which is not read: convert it first, with xarray's to_zarr"},
	{"\x89PNG\r\n\x1a\n", "a PNG picture, which is not read: convert it to TIFF first"},
	{"\xff\xd8\xff", "a JPEG picture, which is not read: convert it to TIFF first"},
	{"GIF8", "a GIF picture, which is not read: convert it to TIFF first"},
	{"\x00\x00\x00\x0cjP  ", "a JPEG 2000 picture, which is not read: convert it to TIFF first"},
	{"RIFF", "a RIFF file, such as WebP or WAV, which is not read"},
	{"PAR1", "a Parquet table, which is no array"},
	{"ARROW1", "an Arrow table, which is no array"},
	{"\x1f\x8b", "a gzip file: unpack it first"},
	{"BZh", "a bzip2 file: unpack it first"},
	{"\xfd7zXZ\x00", "an xz file: unpack it first"},
	{"\x28\xb5\x2f\xfd", "a Zstandard file: unpack it first, unless it is a chunk of an array"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it first"},
	{"%PDF", "a PDF document, which is no array"},
	{"ZISRAWFI", "a Zeiss CZI file, which is not read: convert it first, with bioformats2raw"},
	{"\xda\xce\xbe\x0a", "a Nikon ND2 file, which is not read: convert it first, with bioformats2raw"},
}

// Stranger says what a file is that is of no format here, by its first bytes, and
// whether it is known well enough that this is all there is to say.
func Stranger(head []byte) (what string, known bool) {
	for _, s := range strangers {
		if bytes.HasPrefix(head, []byte(s.start)) {
			return s.title, true
		}
	}
	switch {
	case len(head) == 0:
		return "an empty file", false
	case isText(head):
		return "a text file", false
	}
	return "a file", false
}

// isText reports whether bytes look like text, of which the last character may be cut.
func isText(head []byte) bool {
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n == 1 {
			return !utf8.FullRune(head)
		}
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f {
			return false
		}
		head = head[n:]
	}
	return true
}
