package landing

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store"
)

// ErrAlone says that a place takes the values of one process only.
var ErrAlone = errors.New("one process writes it")

var errAlone = fmt.Errorf("%w: a copy by several processes goes to a folder, or to a bucket", ErrAlone)

// team is what a mark says of a copy that several processes make together. None of them
// writes what another does: the mark is put once, by the first of them, where nothing
// is; each says by a value of its own that its part is done.
type team struct {
	Run string `json:"run"`          // which tells this attempt from others
	Of  int    `json:"of,omitempty"` // parts; 0 if somebody else knows what is done
	Cut string `json:"cut"`          // how the work is cut
}

// differs says in which way a copy is made by others than these, "" if it is not.
func (t *team) differs(other *team) string {
	switch {
	case t == nil && other == nil:
		return ""
	case t == nil && other.Of == 0:
		return "several processes are making it together; the same job again goes on"
	case t == nil:
		return fmt.Sprintf("it is being made in %d parts, see --part", other.Of)
	case other == nil:
		return "it was begun by one process, without --part"
	case t.Of != other.Of && other.Of == 0:
		return "it is being made by a job of many processes, not in parts"
	case t.Of != other.Of:
		return fmt.Sprintf("it is being made in %d parts, not in %d", other.Of, t.Of)
	case t.Cut != other.Cut:
		return "its parts are cut otherwise, by another --max-memory"
	}
	return ""
}

// Share says that other processes make the same copy at the same time: in so many parts,
// or by a job that knows itself what is done, if of is 0. Cut tells how the work is cut
// into items, on which all must agree. It is called before Start; the copy replaces
// nothing then.
func (l *Landing) Share(of int, cut string) {
	l.team = &team{Run: rand.Text()[:12], Of: of, Cut: digest(cut)}
}

// join is start for one process of several. Nobody waits for another.
func (l *Landing) join(ctx context.Context) error {
	if l.copy.Overwrite {
		return errors.New("a copy that several processes make replaces nothing: none can know whether it is the first; remove what is there before")
	}
	made, old := l.besides()
	if err := l.lock(l.at); err != nil {
		return err
	}
	for _, at := range []string{made, old} {
		if at == "" {
			continue
		}
		if f, err := l.look(ctx, at); err != nil {
			return err
		} else if f.some || f.mark != nil {
			return fmt.Errorf("%w: %s lies beside it, of a copy that was to replace something; run that again, or remove it", store.ErrUnfinished, path.Base(at))
		}
	}
	here, err := l.look(ctx, l.at)
	if err == nil && here.some && !here.node && here.mark == nil {
		// The first one may have begun, or the last one ended, between two of the looks.
		here, err = l.look(ctx, l.at)
	}
	if err != nil {
		return err
	}
	switch {
	case here.node && here.mark != nil && l.mark.differs(here.mark) == "":
		l.already = true
		l.made = l.at
		return l.tidy(ctx, "", "")
	case here.node:
		return l.over(ctx, here.record)
	case here.mark != nil:
		return l.joined(here.mark)
	case here.some:
		return fmt.Errorf("%w, which is no node and may be left of one", ErrNotEmpty)
	}
	return l.found(ctx)
}

// over is finished for one process of several: another may have ended between the
// removal of the mark and that of what the parts said.
func (l *Landing) over(ctx context.Context, r *record) error {
	if err := l.finished(ctx, r); err != nil {
		return err
	}
	return l.dropFolder(ctx, zarr.Parts)
}

// dropFolder removes a folder of the copy's own: what the parts said goes behind the mark,
// so that whoever says something once more notices that it was too late. Folders that
// others write at the same time may not be empty at once.
func (l *Landing) dropFolder(ctx context.Context, name string) (err error) {
	const tries = 10
	for range tries {
		if err = l.base.Delete(ctx, path.Join(l.at, name)+"/"); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// found begins a copy, unless somebody else does at the same time.
func (l *Landing) found(ctx context.Context) error {
	if l.base == nil {
		if err := l.open(ctx); err != nil {
			return err
		}
	}
	if !l.manyWrite() {
		return errAlone
	}
	if err := l.makeFolder(l.at); err != nil {
		return err
	}
	text, err := json.Marshal(&l.mark)
	if err != nil {
		return err
	}
	l.made = l.at
	key := path.Join(l.at, zarr.Unfinished)
	_, err = l.base.Put(ctx, key, append(text, '\n'), store.PutOptions{IfAbsent: true})
	if err != nil && !errors.Is(err, store.ErrPrecondition) {
		return err
	}
	// Others may have begun and ended since the first look: then there is a node.
	here, also := l.look(ctx, l.at)
	switch {
	case also != nil:
		return also
	case here.node && err == nil:
		if err := l.base.Delete(ctx, key); err != nil {
			return err
		}
		return l.over(ctx, here.record)
	case here.node && here.mark == nil:
		return l.over(ctx, here.record)
	case here.node:
		l.already = true
		return l.tidy(ctx, "", "")
	case err == nil:
		return nil
	case here.mark == nil:
		return errBusy // it came and went
	}
	return l.joined(here.mark)
}

// manyWrite reports whether a value that is put where none is stays, whoever else puts
// one: in folders, and in stores that keep conditions.
func (l *Landing) manyWrite() bool {
	if c, ok := store.As[store.Conditional](l.base); ok && c.Conditional() {
		return true
	}
	_, folder := store.As[store.Mover](l.base)
	return folder
}

// joined goes on with a copy that others make too.
func (l *Landing) joined(was *mark) error {
	if reason := l.mark.differs(was); reason != "" {
		return fmt.Errorf("%w: %w: %s", ErrNotEmpty, store.ErrUnfinished, reason)
	}
	if !l.manyWrite() {
		return errAlone
	}
	l.team.Run = was.Team.Run
	l.made, l.resumed = l.at, true
	return nil
}

// readMark is the mark of the place, nil if there is none.
func (l *Landing) readMark(ctx context.Context) (*mark, error) {
	text, _, err := l.base.Get(ctx, path.Join(l.at, zarr.Unfinished), store.UpTo(maxMark), nil)
	if errors.Is(err, store.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m := &mark{}
	if json.Unmarshal(text, m) != nil {
		return &mark{}, nil
	}
	return m, nil
}

// Complete says that all of a part, from 1 on, is stored, and tells which are left. The
// copy is to be finished if none is, by whoever finds that; if several do, it is the same
// as if one did. One that was finished meanwhile is Already.
func (l *Landing) Complete(ctx context.Context, part int) (left []int, err error) {
	left, err = l.complete(ctx, part)
	return left, l.fail(err)
}

func (l *Landing) complete(ctx context.Context, part int) (left []int, err error) {
	folder := path.Join(l.at, zarr.Parts, l.team.Run) + "/"
	name := folder + strconv.Itoa(part)
	text := fmt.Sprintf("{\"omnizarr\":%d,\"part\":%d,\"of\":%d}\n", version, part, l.team.Of)
	_, err = l.base.Put(ctx, name, []byte(text), store.PutOptions{IfAbsent: true})
	if err != nil && !errors.Is(err, store.ErrPrecondition) {
		// A folder may be removed in the moment that something is put into it.
		if now, also := l.readMark(ctx); also != nil || l.isOf(now) {
			return nil, err
		}
	}
	done := map[int]bool{}
	for e, err := range l.base.List(store.NamesOnly(ctx), folder, "") {
		if err != nil {
			return nil, err
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(e.Key, folder)); err == nil {
			done[n] = true
		}
	}
	// Behind the listing: it is removed before what the parts said.
	now, err := l.readMark(ctx)
	if err != nil {
		return nil, err
	}
	if !l.isOf(now) {
		return nil, l.overtaken(ctx, now == nil, name)
	}
	for n := 1; n <= l.team.Of; n++ {
		if !done[n] {
			left = append(left, n)
		}
	}
	return left, nil
}

// isOf reports whether a mark is that of this attempt.
func (l *Landing) isOf(m *mark) bool { return m != nil && m.Team != nil && m.Team.Run == l.team.Run }

// overtaken ends a part whose copy is another one by now, or complete.
func (l *Landing) overtaken(ctx context.Context, gone bool, name string) error {
	remove := func(ctx context.Context) error { return l.dropFolder(ctx, zarr.Parts) }
	if !gone {
		remove = func(ctx context.Context) error { return l.base.Delete(ctx, name) }
	}
	if err := remove(ctx); err != nil {
		return err
	}
	if here, err := l.look(ctx, l.at); err != nil {
		return err
	} else if here.node {
		l.already = true
		return nil
	}
	return errors.New("somebody else began anew in its place, or removed it, while this part was made")
}
