package command

import (
	"fmt"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/internal/words"
)

// printJSON writes v as indented JSON.
func (a *app) printJSON(v any) error {
	raw, err := strictjson.Marshal(v, false)
	if err != nil {
		return err
	}
	_, err = a.out.Write(append(strictjson.Indent(nil, raw), '\n'))
	return err
}

// printf prints for people. The form is ours; what is put into it may come from
// files, and is shown so that terminals do not obey it.
func (a *app) printf(form string, args ...any) error {
	for i, v := range args {
		switch v := v.(type) {
		case string:
			args[i] = words.Visible(v)
		case error:
			args[i] = words.Visible(v.Error())
		case fmt.Stringer:
			args[i] = words.Visible(v.String())
		}
	}
	_, err := fmt.Fprintf(a.out, form, args...)
	return err
}

// size writes a number of bytes with its unit.
func size(bytes float64) string { return words.Bytes(bytes) }
