package tile

import (
	"errors"
	"fmt"
	"math"
)

// The compressions that are decoded and encoded. Those with Old before their
// name are other numbers for the same bytes.
const (
	None       = 1
	LZW        = 5
	JPEG       = 7
	Deflate    = 8
	PackBits   = 32773
	OldDeflate = 32946
	LZMA       = 34925
	OldZstd    = 34926
	Zstd       = 50000
)

// names are the compressions that TIFF files have.
var names = map[int]string{
	None: "uncompressed", LZW: "LZW", JPEG: "JPEG", Deflate: "Deflate", PackBits: "PackBits",
	OldDeflate: "Deflate", LZMA: "LZMA", OldZstd: "Zstandard", Zstd: "Zstandard",

	2: "CCITT run lengths", 3: "CCITT T.4 (fax group 3)", 4: "CCITT T.6 (fax group 4)", 6: "JPEG of the old style",
	9: "JBIG (T.85)", 10: "JBIG (T.43)", 22610: "JPEG XR", 32766: "NeXT run lengths", 32767: "Sony ARW",
	32771: "CCITT run lengths by words", 32809: "ThunderScan", 32895: "IT8 CT", 32896: "IT8 LW", 32897: "IT8 MP", 32898: "IT8 BL",
	32908: "Pixar film", 32909: "Pixar log", 32947: "Kodak DCS", 33003: "JPEG 2000 (YCbCr)", 33004: "JPEG 2000 (lossy)", 33005: "JPEG 2000 (RGB)",
	34661: "JBIG", 34676: "SGI log", 34677: "SGI log of 24 bits", 34712: "JPEG 2000", 34713: "Nikon NEF", 34887: "LERC",
	34892: "lossy JPEG of DNG", 34927: "WebP", 34933: "PNG", 34934: "JPEG XR", 50001: "WebP", 50002: "JPEG XL", 50013: "Pixtiff", 52546: "JPEG XL",
}

// CompressionName is what people call a compression.
func CompressionName(compression int) string {
	if name := names[compression]; name != "" {
		return name
	}
	return fmt.Sprintf("compression %d", compression)
}

// photometricYCbCr is the photometric interpretation of luma and chroma.
const photometricYCbCr = 6

// Supported says why tiles of this layout cannot be decoded, although TIFF has
// such tiles. It is nil if they can.
func (l *Layout) Supported() error {
	if ratio(l.Compression) == 0 {
		return fmt.Errorf("compression is %d (%s), which is not supported", l.Compression, names[l.Compression])
	}
	if l.Photometric == photometricYCbCr && l.Compression != JPEG && l.Samples > 1 && l.Planar == 1 {
		return errors.New("photometric is 6 (YCbCr) without JPEG: samples may be shared by pixels, which is not supported")
	}
	return nil
}

// ratio is how many bytes a byte of the compression stands for at most, 0 if it
// is not supported.
func ratio(compression int) int {
	switch compression {
	case None:
		return 1
	case PackBits: // two bytes are a run of 128
		return 64
	case LZW: // twelve bits are a string of 3838
		return 2560
	case Deflate, OldDeflate: // two bits are a match of 258
		return 1032
	case JPEG, LZMA, Zstd, OldZstd: // more than anything real reaches
		return 1 << 15
	}
	return 0
}

// most is how many bytes so many compressed ones can become.
func most(compression, n int) int {
	const slack = 1 << 12 // codes that are not whole bytes
	if compression == None {
		return n
	}
	if r := ratio(compression); n < (math.MaxInt-slack)/r {
		return n*r + slack
	}
	return math.MaxInt
}
