// Package tag names the tags of TIFF files and reads and makes their values.
package tag

import "strconv"

// ID is the number of a tag.
type ID uint16

// The tags that mean something to this module. Others keep their numbers.
const (
	NewSubfileType      ID = 254
	SubfileType         ID = 255
	ImageWidth          ID = 256
	ImageLength         ID = 257
	BitsPerSample       ID = 258
	Compression         ID = 259
	Photometric         ID = 262
	FillOrder           ID = 266
	ImageDescription    ID = 270
	StripOffsets        ID = 273
	Orientation         ID = 274
	SamplesPerPixel     ID = 277
	RowsPerStrip        ID = 278
	StripByteCounts     ID = 279
	XResolution         ID = 282
	YResolution         ID = 283
	PlanarConfiguration ID = 284
	ResolutionUnit      ID = 296
	Software            ID = 305
	DateTime            ID = 306
	Predictor           ID = 317
	ColorMap            ID = 320
	TileWidth           ID = 322
	TileLength          ID = 323
	TileOffsets         ID = 324
	TileByteCounts      ID = 325
	SubIFDs             ID = 330
	ExtraSamples        ID = 338
	SampleFormat        ID = 339
	JPEGTables          ID = 347
	YCbCrSubSampling    ID = 530
	YCbCrPositioning    ID = 531
	ReferenceBlackWhite ID = 532
	ImageDepth          ID = 32997
	TileDepth           ID = 32998
	ModelPixelScale     ID = 33550
	ModelTiepoint       ID = 33922
	ModelTransformation ID = 34264
	GeoKeyDirectory     ID = 34735
	GeoDoubleParams     ID = 34736
	GeoASCIIParams      ID = 34737
	GDALMetadata        ID = 42112
	GDALNoData          ID = 42113
	IJMetadataCounts    ID = 50838
	IJMetadata          ID = 50839
)

// names are those of the TIFF specification and its registered additions.
var names = map[ID]string{
	NewSubfileType: "NewSubfileType", SubfileType: "SubfileType", ImageWidth: "ImageWidth", ImageLength: "ImageLength",
	BitsPerSample: "BitsPerSample", Compression: "Compression", Photometric: "PhotometricInterpretation",
	263: "Threshholding", 264: "CellWidth", 265: "CellLength", FillOrder: "FillOrder", 269: "DocumentName",
	ImageDescription: "ImageDescription", 271: "Make", 272: "Model", StripOffsets: "StripOffsets", Orientation: "Orientation",
	SamplesPerPixel: "SamplesPerPixel", RowsPerStrip: "RowsPerStrip", StripByteCounts: "StripByteCounts",
	280: "MinSampleValue", 281: "MaxSampleValue", XResolution: "XResolution", YResolution: "YResolution",
	PlanarConfiguration: "PlanarConfiguration", 285: "PageName", 286: "XPosition", 287: "YPosition", 288: "FreeOffsets",
	289: "FreeByteCounts", 290: "GrayResponseUnit", 291: "GrayResponseCurve", 292: "T4Options", 293: "T6Options",
	ResolutionUnit: "ResolutionUnit", 297: "PageNumber", 301: "TransferFunction", Software: "Software", DateTime: "DateTime",
	315: "Artist", 316: "HostComputer", Predictor: "Predictor", 318: "WhitePoint", 319: "PrimaryChromaticities",
	ColorMap: "ColorMap", 321: "HalftoneHints", TileWidth: "TileWidth", TileLength: "TileLength", TileOffsets: "TileOffsets",
	TileByteCounts: "TileByteCounts", SubIFDs: "SubIFDs", 332: "InkSet", 333: "InkNames", 334: "NumberOfInks",
	336: "DotRange", 337: "TargetPrinter", ExtraSamples: "ExtraSamples", SampleFormat: "SampleFormat",
	340: "SMinSampleValue", 341: "SMaxSampleValue", 342: "TransferRange", JPEGTables: "JPEGTables",
	512: "JPEGProc", 513: "JPEGInterchangeFormat", 514: "JPEGInterchangeFormatLength", 519: "JPEGQTables",
	520: "JPEGDCTables", 521: "JPEGACTables", 529: "YCbCrCoefficients", YCbCrSubSampling: "YCbCrSubSampling",
	YCbCrPositioning: "YCbCrPositioning", ReferenceBlackWhite: "ReferenceBlackWhite", 700: "XMP",
	ImageDepth: "ImageDepth", TileDepth: "TileDepth", 33432: "Copyright", ModelPixelScale: "ModelPixelScale",
	33723: "IPTC", ModelTiepoint: "ModelTiepoint", ModelTransformation: "ModelTransformation", 34377: "ImageResources",
	34665: "ExifIFD", 34675: "ICCProfile", GeoKeyDirectory: "GeoKeyDirectory", GeoDoubleParams: "GeoDoubleParams",
	GeoASCIIParams: "GeoAsciiParams", 34853: "GPSIFD", 37724: "ImageSourceData", GDALMetadata: "GDAL_METADATA",
	GDALNoData: "GDAL_NODATA", IJMetadataCounts: "IJMetadataByteCounts", IJMetadata: "IJMetadata", 50674: "LercParameters",
	50844: "RPCCoefficient", 51123: "MicroManagerMetadata", 65420: "NDPI_FORMAT",
}

// String is the name of the tag, or its number if it has none here.
func (id ID) String() string {
	if name, ok := names[id]; ok {
		return name
	}
	return strconv.Itoa(int(id))
}

// Type is how the values of a field are stored.
type Type uint16

// The types of TIFF, and of BigTIFF from Long8 on.
const (
	Byte      Type = 1
	ASCII     Type = 2
	Short     Type = 3
	Long      Type = 4
	Rational  Type = 5
	SByte     Type = 6
	Undefined Type = 7
	SShort    Type = 8
	SLong     Type = 9
	SRational Type = 10
	Float     Type = 11
	Double    Type = 12
	IFD       Type = 13
	Long8     Type = 16
	SLong8    Type = 17
	IFD8      Type = 18
)

var sizes = [...]uint8{Byte: 1, ASCII: 1, Short: 2, Long: 4, Rational: 8, SByte: 1, Undefined: 1, SShort: 2, SLong: 4,
	SRational: 8, Float: 4, Double: 8, IFD: 4, Long8: 8, SLong8: 8, IFD8: 8}

// Size is how many bytes a value takes, 0 for a type that does not exist.
func (t Type) Size() int {
	if int(t) < len(sizes) {
		return int(sizes[t])
	}
	return 0
}
