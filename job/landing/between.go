package landing

import (
	"context"
	"path"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/held"
)

// IsFile reports whether a URL names a place in one file of this machine, such as an
// archive: one process writes it, and what was put into it takes room for good.
func IsFile(url string) bool {
	_, _, folder := locate.Folder(url, std.Registry())
	return !folder && filePath(locate.Identity(url)) != ""
}

// middle is the store of arrays that a copy is made by way of.
type middle struct {
	held   *held.Store
	ground *ground
}

// Between takes arrays by way of which the copy is made; it is nil where the place is one
// file. Their documents are never stored: whoever makes the same copy makes them anew. Their
// chunks lie in a folder of the copy's own, and are removed when the copy has appeared:
// until then all that were put are there.
func (l *Landing) Between() store.Store {
	if l.base != nil && !l.manyWrite() || l.place.Store == nil && IsFile(l.place.URL) {
		return nil
	}
	if l.middle == nil {
		all, _ := documents()
		g := &ground{url: store.JoinURL(l.URL(), zarr.Between), base: l.base, put: l.belated}
		h := held.New(g, isDocument, all)
		g.node = func(folder string) bool {
			return slices.ContainsFunc(all, func(name string) bool { return h.Holds(path.Join(folder, name)) })
		}
		l.middle = &middle{h, g}
		if l.ground.started() {
			g.start(l.base, l.between())
		}
	}
	return l.middle.held
}

// between is the folder of what the copy goes by way of. Each attempt of a team has its
// own: what another has left may be of another copy.
func (l *Landing) between() string {
	run := ""
	if l.team != nil {
		run = l.team.Run
	}
	return path.Join(l.made, zarr.Between, run)
}

// belated removes what was just put between, if the copy is complete: another process of
// the team has done the same before, and finished.
func (l *Landing) belated(ctx context.Context) error {
	if l.team == nil {
		return nil
	}
	if now, err := l.readMark(ctx); err != nil || l.isOf(now) {
		return err
	}
	return l.base.Delete(ctx, l.between()+"/")
}

// Over reports whether another process of the team has finished the copy meanwhile.
func (l *Landing) Over(ctx context.Context) bool {
	if l.team == nil {
		return false
	}
	here, err := l.look(ctx, l.at)
	return err == nil && here.node
}
