// Package write makes HDMF files, such as those of NWB, in either layout, copies
// them from one layout to the other, and changes them in place.
//
// Create writes a tree of values, Copy another file, and Edit adds to one that is
// there: rows of tables, samples of series, objects, attributes, links. All three
// keep back the documents that make new data count until the data is there: what
// an interruption leaves is no file, or the old one; opening it gives
// zarr.ErrUnfinished. A commit that was decided is completed by whoever edits the
// file next.
package write

import (
	"encoding/json"
	"errors"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/locate"
)

// The attributes that the layouts reserve.
const (
	linksV2         = "zarr_link"
	dtypeV2         = "zarr_dtype"
	linksV3         = "_LINKS"
	dtypeV3         = "_DTYPE"
	referenceV3     = "_REFERENCE"
	referenceFields = "_REFERENCE_FIELDS"
	schemaLocation  = ".specloc"
	dimensions      = "_ARRAY_DIMENSIONS"
)

// Options say how a file is written; the zero value is fine.
type Options struct {
	// Layout is that of the new file. The default is V3 for Create, and for Copy
	// that of the source. Edit keeps what is there.
	Layout hdmf.Layout
	// Pickle writes all objects in the layout V2 as pickles, NoPickle none. By default
	// they are what hdmf-zarr 0.13, to whom that layout belongs, can read: compounds
	// with text or references are pickles of plain values, lists of references and all
	// else JSON. Nobody but Omnizarr reads such compounds as JSON, and readers that
	// refuse pickles cannot read them at all. Files of V3 have neither.
	Pickle, NoPickle bool
	// WithLinks makes Copy take along the files that the source refers to, and those that
	// they refer to, as far as they may be opened: each is copied once, in the same
	// layout, to the folder of the new file, where it lies as it does beside the source,
	// and links and references lead to the copies. What lies elsewhere comes into that
	// folder too, and a copy that would lie in or around a file of the source, or another
	// copy, gets another name. The copy of the source appears last. Overwrite replaces
	// of the others nothing but earlier copies of the same files.
	WithLinks bool
	// Schemas are cached in the new file, and Create checks what it is to hold
	// against them. Copy takes those of its source.
	Schemas []hdmf.SchemaText
	// Unchecked lets Create, AddGroup and AddDataset write what schemas do not allow.
	Unchecked bool
	// DataType names types in the attribute data_type, as plain HDMF files do,
	// and not in NWB's neurodata_type.
	DataType bool
	// WideIndexes makes Copy write the indexes of ragged columns in 64 bits. Most
	// files have them as narrow as they can be, and in the layout V2 rows can be
	// appended only as long as their numbers fit.
	WideIndexes bool
	// Overwrite replaces what is there. Copy reads all of the source but the chunks
	// of numbers and text before, and refuses a place that the source refers to.
	Overwrite bool
	// Laid says how Copy lays arrays of numbers out: Chunks and Shards those with as
	// many axes, Codecs all of them, DataType those that are called data, since row
	// numbers, ids and times are not to be rounded. Everything else keeps what it has.
	// Workers, Memory and Progress are as for other copies.
	Laid copying.Options
	// Lagging is for who commits many times a second: a Commit through which datasets
	// grow or attributes change leaves the documents of these nodes to Settle or Close.
	// Readers of consolidated metadata, which most are, and of package hdmf see each
	// commit at once all the same; those who open a node by itself may see the file as it
	// was before. If the process ends meanwhile, nothing is lost, as ever.
	Lagging bool
	// Plain leaves out consolidated metadata. Edit keeps what there is up to date, and
	// adds none.
	Plain bool
	// Sync makes Commit return only when its changes would survive a loss of power, and
	// Create when the file would.
	Sync bool
	// Locate says how the URL becomes a store.
	Locate locate.Options
	// Zarr are options for the engine.
	Zarr []zarr.Option
}

// ErrExist says that there is something where a file should be made.
var ErrExist = errors.New("there is something already")

// defaultLayout is that of hdmf-zarr's newest version.
const defaultLayout = hdmf.V3

// The codecs behind the serializer by which hdmf-zarr compresses in each layout.
// Blosc's elements are as wide as those of the array.
const (
	compressorV2 = `{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":%d,"blocksize":0}}`
	compressorV3 = `{"name":"zstd","configuration":{"level":0,"checksum":false}}`
)

// defaultLocation is where schemas are cached.
const defaultLocation = "specifications"

func quoted(s string) json.RawMessage { return appendText(nil, s) }
