package jobs

import (
	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/anndata"
)

// Table gives the data frame that a group is.
func (Kind) Table(g *zarr.Group) (convention.Tabular, bool) { return anndata.Of(g) }

// Help says so.
func (Kind) Help(command string) (paragraph, examples string) {
	if command != "cat" {
		return "", ""
	}
	return "A data frame of AnnData (obs, var) is a table: categories are words, missing values null or empty.", ""
}
