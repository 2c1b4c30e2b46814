// Package nwb makes NWB files of Go values. The schemas say how: they come out of
// any NWB file, or out of a folder, and are cached in the new file. A type of them,
// be it NWB's own or an extension's, and fields by name become the groups, datasets,
// attributes and links of an object; what the schemas fix, or have a default for, or
// can be told from the rest, such as the ids of rows and the indexes of ragged
// columns, is filled in.
//
//	f := nwb.New(schemas, nwb.Session{Identifier: "m17", Description: "a walk", Start: time.Now()})
//	f.Add("/acquisition/temperature", "TimeSeries", nwb.Fields{"data": celsius, "unit": "degrees", "timestamps": times})
//	err := f.Create(ctx, "m17.nwb.zarr", write.Options{})
//
// What goes wrong is told by Create, so that nothing has to be checked in between.
// The file is checked against its schemas before anything is stored.
package nwb
