package ngff

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Plate is a plate of wells, each a group below that of the plate.
type Plate struct {
	Name         string
	Rows         []PlateLine // such as "A"
	Columns      []PlateLine // such as "1"
	Wells        []PlateWell
	Acquisitions []Acquisition
	Fields       int // the most fields of a well, 0 if it is not said
	Rest         Members
}

// PlateLine is a row or a column.
type PlateLine struct {
	Name string
	Rest Members
}

// PlateWell is where a well is.
type PlateWell struct {
	Path        string // of the group below that of the plate: row, "/", column
	Row, Column int
	Rest        Members
}

// Acquisition is a run of the microscope.
type Acquisition struct {
	ID     int
	Name   string
	Fields int // the most fields of a well, 0 if it is not said
	Rest   Members
}

// Well is a well with its fields of view, each an image in a group below it.
type Well struct {
	Images []Field
	Rest   Members
}

// Field is a field of view.
type Field struct {
	Path        string // of the image below the group of the well
	Acquisition *int   // the id of one of the plate's, nil if it is not said
	Rest        Members
}

func parsePlate(raw json.RawMessage) (*Plate, error) {
	p := &Plate{}
	version := "" // that of the document counts
	line := func(raw json.RawMessage) (l PlateLine, err error) {
		l.Rest, err = split(raw, map[string]reader{"name": text(&l.Name)})
		return l, err
	}
	var err error
	p.Rest, err = split(raw, map[string]reader{
		"version": text(&version), "name": text(&p.Name), "field_count": integer(&p.Fields, 1),
		"rows": list(&p.Rows, line), "columns": list(&p.Columns, line),
		"wells": list(&p.Wells, parsePlateWell), "acquisitions": list(&p.Acquisitions, parseAcquisition),
	})
	if err == nil {
		err = p.Check()
	}
	return p, err
}

func parsePlateWell(raw json.RawMessage) (w PlateWell, err error) {
	w.Row, w.Column = -1, -1
	w.Rest, err = split(raw, map[string]reader{"path": text(&w.Path), "rowIndex": integer(&w.Row, 0), "columnIndex": integer(&w.Column, 0)})
	return w, err
}

func parseAcquisition(raw json.RawMessage) (a Acquisition, err error) {
	a.ID = -1
	a.Rest, err = split(raw, map[string]reader{"id": integer(&a.ID, 0), "name": text(&a.Name), "maximumfieldcount": integer(&a.Fields, 1)})
	return a, err
}

// Check says what the specification forbids.
func (p *Plate) Check() error {
	if err := checkLines(p.Rows); err != nil {
		return strictjson.At("rows", err)
	}
	if err := checkLines(p.Columns); err != nil {
		return strictjson.At("columns", err)
	}
	if len(p.Wells) == 0 {
		return strictjson.Errorf("wells", "there is none")
	}
	seen := map[string]bool{}
	for i, w := range p.Wells {
		at := fmt.Sprintf("wells[%d]", i)
		switch {
		case w.Row < 0 || w.Row >= len(p.Rows):
			return strictjson.Errorf(at+".rowIndex", "%d is none of %d rows", w.Row, len(p.Rows))
		case w.Column < 0 || w.Column >= len(p.Columns):
			return strictjson.Errorf(at+".columnIndex", "%d is none of %d columns", w.Column, len(p.Columns))
		case w.Path != p.Rows[w.Row].Name+"/"+p.Columns[w.Column].Name:
			return strictjson.Errorf(at+".path", "%s is not %s/%s, its row and its column", strictjson.Quote(w.Path), p.Rows[w.Row].Name, p.Columns[w.Column].Name)
		case seen[w.Path]:
			return strictjson.Errorf(at+".path", "%s is that of another well too", strictjson.Quote(w.Path))
		}
		seen[w.Path] = true
	}
	ids := map[int]bool{}
	for i, a := range p.Acquisitions {
		switch {
		case a.ID < 0:
			return strictjson.Errorf(fmt.Sprintf("acquisitions[%d].id", i), "there must be one of at least 0")
		case ids[a.ID]:
			return strictjson.Errorf(fmt.Sprintf("acquisitions[%d].id", i), "%d is that of another too", a.ID)
		}
		ids[a.ID] = true
	}
	return nil
}

// checkLines checks the names of rows or columns.
func checkLines(lines []PlateLine) error {
	if len(lines) == 0 {
		return errors.New("there is none")
	}
	seen := map[string]bool{}
	for i, l := range lines {
		err := checkName(l.Name)
		if err == nil && seen[l.Name] {
			err = fmt.Errorf("%s is that of another too", strictjson.Quote(l.Name))
		}
		if err != nil {
			return strictjson.AtIndex(i, strictjson.At("name", err))
		}
		seen[l.Name] = true
	}
	return nil
}

func (p *Plate) marshal(version string) (json.RawMessage, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	line := func(l *PlateLine) (json.RawMessage, error) {
		var o object
		o.set("name", l.Name)
		return o.end(l.Rest)
	}
	var o object
	o.optional("version", version)
	o.optional("name", p.Name)
	rows, errRows := raws(p.Rows, line)
	o.set("rows", rows)
	columns, errColumns := raws(p.Columns, line)
	o.set("columns", columns)
	wells, errWells := raws(p.Wells, func(w *PlateWell) (json.RawMessage, error) {
		var o object
		o.set("path", w.Path)
		o.set("rowIndex", w.Row)
		o.set("columnIndex", w.Column)
		return o.end(w.Rest)
	})
	o.set("wells", wells)
	var errRuns error
	if p.Acquisitions != nil {
		var runs []json.RawMessage
		runs, errRuns = raws(p.Acquisitions, func(a *Acquisition) (json.RawMessage, error) {
			var o object
			o.set("id", a.ID)
			o.optional("name", a.Name)
			if a.Fields > 0 {
				o.set("maximumfieldcount", a.Fields)
			}
			return o.end(a.Rest)
		})
		o.set("acquisitions", runs)
	}
	if p.Fields > 0 {
		o.set("field_count", p.Fields)
	}
	if err := errors.Join(errRows, errColumns, errWells, errRuns); err != nil {
		return nil, err
	}
	return o.end(p.Rest)
}

func parseWell(raw json.RawMessage) (*Well, error) {
	w := &Well{}
	version := ""
	var err error
	w.Rest, err = split(raw, map[string]reader{"version": text(&version), "images": list(&w.Images, parseField)})
	if err == nil {
		err = w.Check()
	}
	return w, err
}

func parseField(raw json.RawMessage) (f Field, err error) {
	id := -1
	f.Rest, err = split(raw, map[string]reader{"path": text(&f.Path), "acquisition": integer(&id, 0)})
	if id >= 0 {
		f.Acquisition = &id
	}
	return f, err
}

// Check says what the specification forbids.
func (w *Well) Check() error {
	if len(w.Images) == 0 {
		return strictjson.Errorf("images", "there is none")
	}
	seen := map[string]bool{}
	for i, f := range w.Images {
		err := checkName(f.Path)
		if err == nil && seen[f.Path] {
			err = fmt.Errorf("%s is that of another image too", strictjson.Quote(f.Path))
		}
		if err != nil {
			return strictjson.At("images", strictjson.AtIndex(i, strictjson.At("path", err)))
		}
		seen[f.Path] = true
	}
	return nil
}

func (w *Well) marshal(version string) (json.RawMessage, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	var o object
	o.optional("version", version)
	images, err := raws(w.Images, func(f *Field) (json.RawMessage, error) {
		var o object
		o.set("path", f.Path)
		if f.Acquisition != nil {
			o.set("acquisition", *f.Acquisition)
		}
		return o.end(f.Rest)
	})
	if err != nil {
		return nil, err
	}
	o.set("images", images)
	return o.end(w.Rest)
}
