package ngff

import (
	"encoding/json"
	"fmt"
	"image/color"
	"math"
	"strconv"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// OMERO is how an image is shown.
type OMERO struct {
	Channels []Channel
	Rest     Members
}

// Channel is how a channel is called and shown.
type Channel struct {
	Label  string       // may be empty
	Color  *color.NRGBA // nil: not said
	Window *Window      // nil: not said
	Active *bool        // whether it is shown at first; nil: not said
	Rest   Members
}

// Window is which values are shown, from black to the full colour, and between which
// limits that may be changed.
type Window struct {
	Start, End, Min, Max float64
	Rest                 Members
}

func parseOMERO(raw json.RawMessage) (*OMERO, error) {
	o := &OMERO{}
	var err error
	o.Rest, err = split(raw, map[string]reader{"channels": list(&o.Channels, parseChannel)})
	if err == nil {
		err = o.Check()
	}
	return o, err
}

func parseChannel(raw json.RawMessage) (c Channel, err error) {
	c.Rest, err = split(raw, map[string]reader{
		"label": text(&c.Label),
		"color": func(raw json.RawMessage) error {
			s, err := strictjson.String(raw)
			if err != nil {
				return err
			}
			if c.Color = parseColor(s); c.Color == nil {
				return fmt.Errorf("%s is no colour of six hexadecimal digits", strictjson.Quote(s))
			}
			return nil
		},
		"window": func(raw json.RawMessage) (err error) { c.Window, err = parseWindow(raw); return err },
		"active": func(raw json.RawMessage) error {
			on, err := strictjson.Bool(raw)
			c.Active = &on
			return err
		},
	})
	return c, err
}

func parseWindow(raw json.RawMessage) (*Window, error) {
	w := &Window{Start: math.NaN(), End: math.NaN(), Min: math.NaN(), Max: math.NaN()}
	var err error
	w.Rest, err = split(raw, map[string]reader{"start": number(&w.Start), "end": number(&w.End), "min": number(&w.Min), "max": number(&w.Max)})
	return w, err
}

// Check says what the specification forbids.
func (o *OMERO) Check() error {
	for i, c := range o.Channels {
		if c.Window == nil {
			continue
		}
		// Writers leave members out that readers can do without.
		if math.IsInf(c.Window.Start, 0) || math.IsInf(c.Window.End, 0) || math.IsInf(c.Window.Min, 0) || math.IsInf(c.Window.Max, 0) {
			return strictjson.Errorf(fmt.Sprintf("channels[%d].window", i), "its limits are not finite")
		}
	}
	return nil
}

func (o *OMERO) marshal() (json.RawMessage, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	var out object
	if o.Channels != nil {
		list, err := raws(o.Channels, (*Channel).marshal)
		if err != nil {
			return nil, strictjson.At("channels", err)
		}
		out.set("channels", list)
	}
	return out.end(o.Rest)
}

func (c *Channel) marshal() (json.RawMessage, error) {
	var o object
	o.optional("label", c.Label)
	if c.Color != nil {
		o.set("color", formatColor(*c.Color))
	}
	if w := c.Window; w != nil {
		var in object
		for _, m := range []struct {
			name  string
			value float64
		}{{"start", w.Start}, {"end", w.End}, {"min", w.Min}, {"max", w.Max}} {
			if !math.IsNaN(m.value) {
				in.set(m.name, m.value)
			}
		}
		raw, err := in.end(w.Rest)
		if err != nil {
			return nil, strictjson.At("window", err)
		}
		o.set("window", raw)
	}
	if c.Active != nil {
		o.set("active", *c.Active)
	}
	return o.end(c.Rest)
}

// Hints are the channels of a node of either version, for those who only want to show
// it: what makes no sense is passed over, and there may be none.
func Hints(attrs *meta.Attributes) []Channel {
	raw := attrs.Raw(keyOMERO)
	if ome := attrs.Raw(keyOME); ome != nil {
		raw = nil
		split(ome, map[string]reader{keyOMERO: func(inner json.RawMessage) error { raw = inner; return nil }})
	}
	var out []Channel
	hint := func(raw json.RawMessage) (c Channel, err error) {
		members, _ := strictjson.Split(raw)
		for _, m := range members { // none of what is no object
			switch s, err := strictjson.String(m.Raw); {
			case err != nil:
			case m.Name == "label":
				c.Label = s
			case m.Name == "color":
				c.Color = parseColor(s)
			}
		}
		return c, nil
	}
	if raw != nil {
		split(raw, map[string]reader{"channels": list(&out, hint)})
	}
	return out
}

// parseColor reads six hexadecimal digits, or eight with an alpha value.
func parseColor(text string) *color.NRGBA {
	if len(text) == 6 {
		text += "ff"
	}
	n, err := strconv.ParseUint(text, 16, 32)
	if err != nil || len(text) != 8 {
		return nil
	}
	return &color.NRGBA{R: uint8(n >> 24), G: uint8(n >> 16), B: uint8(n >> 8), A: uint8(n)}
}

func formatColor(c color.NRGBA) string {
	if c.A == 255 {
		return fmt.Sprintf("%02X%02X%02X", c.R, c.G, c.B)
	}
	return fmt.Sprintf("%02X%02X%02X%02X", c.R, c.G, c.B, c.A)
}
