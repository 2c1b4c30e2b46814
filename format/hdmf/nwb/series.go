package nwb

import (
	"maps"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
)

// Series is what series of samples share.
type Series struct {
	// Data are the samples, the first axis being time; or Growing.
	Data any
	// Rate is how many samples there are in a second, from Start on; or Timestamps
	// tell of each when it was, in seconds: []float64, Growing[float64](), or a
	// reference to those of another series, which share them.
	Rate, Start float64
	Timestamps  any
	// Unit is what data are in after they were multiplied by Conversion, which is 1
	// if it is 0. Where the schema fixes it, none is given.
	Unit       string
	Conversion float64
	// Fields are all else that the schema has for such a series.
	Fields Fields
}

// TimeSeries makes a series of any samples.
func (f *File) TimeSeries(at string, s Series) hdmf.Reference { return f.Series(at, "TimeSeries", s) }

// ElectricalSeries makes a series of the voltages of electrodes: those in some rows
// of the table of electrodes, which has been made, or without rows all of them.
func (f *File) ElectricalSeries(at string, s Series, rows ...int) hdmf.Reference {
	if rows == nil {
		rows = make([]int, f.rows[electrodesAt])
		for i := range rows {
			rows[i] = i
		}
	}
	s.Fields = maps.Clone(s.Fields)
	if s.Fields == nil {
		s.Fields = Fields{}
	}
	s.Fields["electrodes"] = Rows(hdmf.Reference{Path: electrodesAt}, rows)
	return f.Series(at, "ElectricalSeries", s)
}

// Series makes a series of a type that inherits from TimeSeries.
func (f *File) Series(at, typ string, s Series) hdmf.Reference {
	fields := Fields{"data": s.Data}
	if s.Timestamps != nil {
		fields["timestamps"] = s.Timestamps
	} else {
		fields["starting_time"], fields["starting_time.rate"] = write.Scalar(s.Start), s.Rate
	}
	if s.Unit != "" {
		fields["data.unit"] = s.Unit
	}
	if s.Conversion != 0 {
		fields["data.conversion"] = s.Conversion
	}
	maps.Copy(fields, s.Fields)
	return f.Add(at, typ, fields)
}
