package jobs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/check"
	"github.com/omnizarr/zarr/format/hdmf/describe"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/kind"
)

// Kind is what programs can do with HDMF and NWB files, and what their flags said.
type Kind struct {
	describe.Convention
	copy   write.Options
	check  check.Options
	schema string
}

// CheckFlags adds --schema and --inspect.
func (k *Kind) CheckFlags(flags *flag.FlagSet) {
	flags.StringVar(&k.schema, "schema", "", "schemas for an HDMF file: a file that caches them, or a folder or file of YAML or JSON")
	flags.BoolVar(&k.check.Inspect, "inspect", false, "add the critical checks of nwbinspector")
}

// Further checks an object by the schemas of its file, or those that were given.
func (k *Kind) Further(ctx context.Context, url string, object convention.Object, open []zarr.Option) (kind.Further, error) {
	opts := k.check
	if k.schema != "" {
		texts, err := hdmf.SchemasOf(ctx, k.schema, hdmf.Zarr(open...))
		if err != nil {
			return nil, err
		}
		opts.Schema = hdmf.Catalog(texts, func(_ hdmf.SchemaText, problem error) { err = errors.Join(err, problem) })
		if err != nil {
			return nil, fmt.Errorf("schemas of %s: %w", k.schema, err)
		}
	}
	if o, ok := object.(*describe.Object); ok && o.IsOwn() {
		return Further(o.HDMF().File(), o.HDMF().Path(), opts), nil
	}
	if k.schema != "" || opts.Inspect {
		return nil, fmt.Errorf("validate %s: is no HDMF file, which --schema and --inspect are for", url)
	}
	return nil, nil
}

// Bound tells that either version of Zarr has a layout of its own for HDMF files.
func (*Kind) Bound(ctx context.Context, n zarr.Node) (string, error) {
	g, _ := n.(*zarr.Group)
	if is, err := hdmf.Is(ctx, g); err != nil || !is {
		return "", err
	}
	return "is an HDMF file, or part of one, whose links, references and objects are laid out otherwise there", nil
}

// CopyFlags adds --pickle, --no-pickle, --with-links and --wide-indexes.
func (k *Kind) CopyFlags(flags *flag.FlagSet) {
	flags.BoolVar(&k.copy.Pickle, "pickle", false, "write all objects of an HDMF file with --to zarr2 as pickles, and not only the compounds that hdmf-zarr reads in no other form")
	flags.BoolVar(&k.copy.NoPickle, "no-pickle", false, "write no pickles: compounds with text or references of an HDMF file with --to zarr2 are JSON, which no hdmf-zarr reads")
	flags.BoolVar(&k.copy.WithLinks, "with-links", false, "copy the files that an HDMF file refers to as well, beside the copy, and let it refer to those")
	flags.BoolVar(&k.copy.WideIndexes, "wide-indexes", false, "write the indexes of ragged columns of an HDMF file in 64 bits, so that rows can be appended without end")
}

// layouts are those that go with formats.
var layouts = map[string]hdmf.Layout{"zarr3": hdmf.V3, "zarr2": hdmf.V2}

// Copy copies a file with all that it means, into the layout that goes with the
// format. Parts of a file that mean something only in it are refused.
func (k *Kind) Copy(ctx context.Context, r kind.CopyRequest) (sum copying.Summary, done bool, err error) {
	o, ok := source(r)
	switch {
	case ok && o.IsFile():
		sum, err := k.copyFile(ctx, o.HDMF().File(), r)
		return sum, true, err
	case ok && o.Bound() != "":
		return sum, true, kind.Usagef("%s is part of an HDMF file: %s; copy the file, or with --plain the nodes as they are", r.From, o.Bound())
	case k.copy.Pickle || k.copy.NoPickle || k.copy.WithLinks || k.copy.WideIndexes:
		return sum, true, kind.Usagef("--pickle, --no-pickle, --with-links and --wide-indexes are for HDMF and NWB files")
	}
	return sum, false, nil
}

// source is the object that is to be copied, if it is one of HDMF. Of a plain file of HDF5 the
// nodes are all that there is.
func source(r kind.CopyRequest) (*describe.Object, bool) {
	if r.Source == nil {
		return nil, false
	}
	o, ok := r.Source.Object.(*describe.Object)
	return o, ok && !o.HDMF().File().Plain()
}

// laid are the flags by which the arrays of a file are laid out anew.
var laid = []string{"chunks", "shards", "codecs", "data-type"}

func (k *Kind) copyFile(ctx context.Context, file *hdmf.File, r kind.CopyRequest) (sum copying.Summary, err error) {
	opts, err := k.options(r)
	if err != nil {
		return sum, err
	}
	return write.Copy(ctx, r.URL, file, opts)
}

// PlanFurther tells which files are copied along, and what else the copy will say.
func (k *Kind) PlanFurther(ctx context.Context, r kind.CopyRequest, plan *copying.Plan) error {
	o, ok := source(r)
	if !ok || !o.IsFile() {
		return nil
	}
	opts, err := k.options(r)
	if err != nil {
		return err
	}
	return write.Plan(ctx, r.URL, o.HDMF().File(), opts, plan)
}

// options are those of the copy of a file.
func (k *Kind) options(r kind.CopyRequest) (opts write.Options, err error) {
	opts, to := k.copy, r.Options.To.Name()
	opts.Overwrite, opts.Zarr, opts.Laid = r.Options.Overwrite, r.Options.Open, r.Options
	var ok bool
	if opts.Layout, ok = layouts[to]; !ok {
		return opts, kind.Usagef("--to %s: links and references of an HDMF file would be lost; --plain copies the arrays alone", to)
	}
	switch {
	case opts.Pickle && opts.NoPickle:
		return opts, kind.Usagef("--pickle and --no-pickle are two ways to write the same")
	case (opts.Pickle || opts.NoPickle) && opts.Layout != hdmf.V2:
		return opts, kind.Usagef("--pickle and --no-pickle are for --to zarr2")
	}
	for _, name := range r.Laid {
		if !slices.Contains(laid, name) {
			return opts, kind.Usagef("--%s is not for HDMF files; --plain copies the nodes alone", name)
		}
	}
	return opts, nil
}

// Help tells what is special about HDMF and NWB files.
func (*Kind) Help(command string) (paragraph, examples string) {
	h := help[command]
	return h.paragraph, h.examples
}

var help = map[string]struct{ paragraph, examples string }{
	"": {`Files of HDMF, such as those of NWB, are found out by looking too: their types, links,
references, tables and time series are known then, and a URL may lead through links.`, "  omnizarr info session.nwb.zarr"},
	"info": {`Of an HDMF or NWB file this is the session: who and what was
recorded, when, with which devices; the time series with their rates and how long
they are; the tables. Of an object in it, also its type and what it refers to.`, `  omnizarr info session.nwb.zarr
  omnizarr info session.nwb.zarr/acquisition/ElectricalSeries`},
	"tree": {`Of HDMF and NWB files types are told too, and links with what they lead to; --plain
shows the nodes that the file is made of.`, "  omnizarr tree session.nwb.zarr/acquisition"},
	"cat": {`A table of an HDMF or NWB file is printed row by row: as text, csv, or a json list of
objects. Columns with an index are lists, references are paths. The slice selects
rows. A time series is a table of times and samples in the unit that it gives, or
with --plot a picture; its slice selects samples and channels. Bytes that are text, as
the times of older files, are printed as text; with --plain as they are stored.`, `  omnizarr cat --as csv session.nwb.zarr/intervals/trials
  omnizarr cat --plot --slice '0:30000, 0:4' session.nwb.zarr/acquisition/ElectricalSeries`},
	"dump": {`Of HDMF and NWB files the document has links with their targets, references as
{"$ref": {"file", "path"}}, where file is relative to the dumped one and "." is the
same, and the SHA-256 of every cached schema. What leads nowhere, or where it may not
without --allow, is {"$dangling": why}.`, "  omnizarr dump --json --allow /data/raw session.nwb.zarr"},
	"refs": {`HDMF and NWB files have links, object references and region references: those of
attributes, of datasets and of the fields of compounds. Paths are those in the file.`, `  omnizarr refs session.nwb.zarr
  omnizarr refs --allow /data/raw session.nwb.zarr
  omnizarr refs --json session.nwb.zarr | jq '.[] | select(.resolved | not)'`},
	"validate": {`An HDMF or NWB file is also checked against the schemas that it caches: types, fields,
data types, shapes, quantities, fixed values, the targets of all links and references.
So is what no schema can say: columns, ids, times and indexes that fit each other.
--schema gives schemas to use instead, for a file that has none: another file that
caches them, or namespace documents in YAML or JSON with their sources beside them. --inspect
adds the checks that nwbinspector calls critical. Other files are looked into only in
the folder around this one and where --allow says; links that lead elsewhere are
warnings, which name what to allow.`, `  omnizarr validate --inspect session.nwb.zarr
  omnizarr validate --schema good.nwb.zarr session.nwb.zarr`},
	"copy": {`An HDMF or NWB file keeps all that it means, also from Zarr v2 to v3 and back: links,
references, schemas and ids, in the layout that goes with the format. --plain copies
its nodes as they are instead; so are parts of a file copied, whose references would
lead nowhere. --chunks and --shards are for its arrays of numbers with as many axes,
--codecs for all of those, --data-type for what is called data, so that row numbers, ids
and times stay. A file that the source refers to is not overwritten. With --to zarr2,
compounds with text or references, such as the timeseries of trials, are pickles of plain
values, as hdmf-zarr 0.13 reads them in no other form, and lists of references are JSON.
--no-pickle makes all of them JSON, which Omnizarr reads, and --pickle all of them pickles.
Readers that refuse pickles, such as hdmf-zarr 0.14, want --to zarr3.
Links and references into other files lead to those as before, which hdmf-zarr follows
only if they have the same layout. --with-links copies them too, and what they refer to,
as far as --allow lets it: each beside the copy as it lies beside the source, under
another name where a source or another copy lies, nothing outside of the folder of the
copy. The file itself is complete last; the same copy again goes on. --overwrite replaces
of linked files nothing but earlier copies.`, `  omnizarr copy --to zarr3 session.nwb.zarr session-v3.nwb.zarr
  omnizarr copy --to zarr2 --no-pickle session.nwb.zarr session-json.nwb.zarr
  omnizarr copy --to zarr3 --with-links --allow raw session.nwb.zarr new/session.nwb.zarr`},
}
