package geo

import "strconv"

// KeyID is the number of a GeoKey.
type KeyID uint16

// The keys that this package looks at itself.
const (
	ModelType      KeyID = 1024
	RasterType     KeyID = 1025
	Citation       KeyID = 1026
	GeographicType KeyID = 2048 // GeodeticCRSGeoKey in GeoTIFF 1.1
	GeogCitation   KeyID = 2049
	ProjectedType  KeyID = 3072 // ProjectedCRSGeoKey in GeoTIFF 1.1
	PCSCitation    KeyID = 3073
)

// kind is what the values of a key are.
type kind uint8

const (
	anything kind = iota
	short
	double
	text
)

// keys are the names of GeoTIFF 1.0, which tifffile uses too, and what the
// values are.
var keys = map[KeyID]struct {
	name string
	kind kind
}{
	1024: {"GTModelTypeGeoKey", short}, 1025: {"GTRasterTypeGeoKey", short}, 1026: {"GTCitationGeoKey", text},
	2048: {"GeographicTypeGeoKey", short}, 2049: {"GeogCitationGeoKey", text}, 2050: {"GeogGeodeticDatumGeoKey", short},
	2051: {"GeogPrimeMeridianGeoKey", short}, 2052: {"GeogLinearUnitsGeoKey", short}, 2053: {"GeogLinearUnitSizeGeoKey", double},
	2054: {"GeogAngularUnitsGeoKey", short}, 2055: {"GeogAngularUnitsSizeGeoKey", double}, 2056: {"GeogEllipsoidGeoKey", short},
	2057: {"GeogSemiMajorAxisGeoKey", double}, 2058: {"GeogSemiMinorAxisGeoKey", double}, 2059: {"GeogInvFlatteningGeoKey", double},
	2060: {"GeogAzimuthUnitsGeoKey", short}, 2061: {"GeogPrimeMeridianLongGeoKey", double}, 2062: {"GeogTOWGS84GeoKey", double},
	3059: {"ProjLinearUnitsInterpCorrectGeoKey", short}, 3072: {"ProjectedCSTypeGeoKey", short}, 3073: {"PCSCitationGeoKey", text},
	3074: {"ProjectionGeoKey", short}, 3075: {"ProjCoordTransGeoKey", short}, 3076: {"ProjLinearUnitsGeoKey", short},
	3077: {"ProjLinearUnitSizeGeoKey", double}, 3078: {"ProjStdParallel1GeoKey", double}, 3079: {"ProjStdParallel2GeoKey", double},
	3080: {"ProjNatOriginLongGeoKey", double}, 3081: {"ProjNatOriginLatGeoKey", double}, 3082: {"ProjFalseEastingGeoKey", double},
	3083: {"ProjFalseNorthingGeoKey", double}, 3084: {"ProjFalseOriginLongGeoKey", double}, 3085: {"ProjFalseOriginLatGeoKey", double},
	3086: {"ProjFalseOriginEastingGeoKey", double}, 3087: {"ProjFalseOriginNorthingGeoKey", double}, 3088: {"ProjCenterLongGeoKey", double},
	3089: {"ProjCenterLatGeoKey", double}, 3090: {"ProjCenterEastingGeoKey", double}, 3091: {"ProjCenterNorthingGeoKey", double},
	3092: {"ProjScaleAtNatOriginGeoKey", double}, 3093: {"ProjScaleAtCenterGeoKey", double}, 3094: {"ProjAzimuthAngleGeoKey", double},
	3095: {"ProjStraightVertPoleLongGeoKey", double}, 3096: {"ProjRectifiedGridAngleGeoKey", double}, 4096: {"VerticalCSTypeGeoKey", short},
	4097: {"VerticalCitationGeoKey", text}, 4098: {"VerticalDatumGeoKey", short}, 4099: {"VerticalUnitsGeoKey", short},
	5120: {"CoordinateEpochGeoKey", double},
}

// newNames are those that GeoTIFF 1.1 changed.
var newNames = map[string]KeyID{
	"GeodeticCRSGeoKey": 2048, "GeodeticCitationGeoKey": 2049, "GeodeticDatumGeoKey": 2050, "PrimeMeridianGeoKey": 2051,
	"EllipsoidGeoKey": 2056, "EllipsoidSemiMajorAxisGeoKey": 2057, "EllipsoidSemiMinorAxisGeoKey": 2058, "EllipsoidInvFlatteningGeoKey": 2059,
	"PrimeMeridianLongitudeGeoKey": 2061, "ProjectedCRSGeoKey": 3072, "ProjectedCitationGeoKey": 3073, "ProjMethodGeoKey": 3075,
	"VerticalGeoKey": 4096,
}

var byName = func() map[string]KeyID {
	m := make(map[string]KeyID, len(keys)+len(newNames))
	for id, k := range keys {
		m[k.name] = id
	}
	for name, id := range newNames {
		m[name] = id
	}
	return m
}()

// String is the name of the key, such as "GTModelTypeGeoKey", or its number if
// it has none.
func (id KeyID) String() string {
	if k, ok := keys[id]; ok {
		return k.name
	}
	return strconv.Itoa(int(id))
}

// KeyNamed finds a key by a name of GeoTIFF 1.0 or 1.1, or by its number.
func KeyNamed(name string) (KeyID, bool) {
	if id, ok := byName[name]; ok {
		return id, true
	}
	n, err := strconv.ParseUint(name, 10, 16)
	return KeyID(n), err == nil
}
