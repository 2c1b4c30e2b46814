// Package writer makes TIFF, BigTIFF and cloud optimised GeoTIFF (COG) files of
// tiles that are encoded already. It knows where directories and tiles go, not
// what is in them.
//
// Tiles are written as they come, from any number of goroutines; what stays in
// memory is 13 bytes for each of them. The file appears at its place by Close,
// whole, or not at all. One that was interrupted can be taken up again.
package writer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"slices"
	"sync"

	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/internal/partial"
)

// Image is a directory of the file with its tiles.
type Image struct {
	// Fields are the tags in any order, without those that say where things lie
	// in the file: the writer adds them, and NewSubfileType to levels.
	Fields []tag.Field
	// Tiles is the number of tiles or strips. It must be what the fields make
	// of it, and is asked for because it is where callers go wrong.
	Tiles int
	// Strips says that the image is in strips.
	Strips bool
	// Levels are reduced versions of the image, from large to small: SubIFDs of
	// its directory, or the directories after it in a COG. They have no levels
	// of their own.
	Levels []*Image
}

// Mode says when a file is a BigTIFF.
type Mode int

// The modes of Options.BigTIFF.
const (
	Auto  Mode = iota // when it has to be: offsets beyond 4 GiB, or 64-bit fields
	Never             // what does not fit in a classic TIFF is an error
	Always
)

// Options say what kind of file is made.
type Options struct {
	BigTIFF Mode
	// COG puts directories before the data, and tiles in the order that GDAL's
	// driver of that name gives them. The file has then a single image, with
	// tiles, and takes twice its size on disk while it is made, because tiles
	// come in any order.
	COG bool
	// Sync makes Close return only when the file would survive a loss of power.
	Sync bool
	// Order is how tiles are to lie in a file that is no COG, all of them: where they
	// come in another order the file is assembled in the end, as a COG is. Without it
	// they lie as they come.
	Order iter.Seq2[*Image, int]
	// Resume names what is made. A file that is not completed is left then, with what
	// it has, and the next one of the same name goes on with it: Done tells which tiles
	// it has. Without it what was begun leaves nothing.
	Resume string
	// Compare makes no file: what is written must be what the file at the path has,
	// or the error is ErrDiffers.
	Compare bool

	limit  uint64                     // of a classic file, if it is not 4 GiB
	opened func(f file) (file, error) // for tests
}

// maxClassic is the largest size of a classic file, whose offsets have 32 bits.
const maxClassic = math.MaxUint32

// dataStart leaves room for the header of either kind of file, so that what is
// written need not be known before the end.
const dataStart = 16

// Writer writes one file. Its methods may be called by several goroutines.
type Writer struct {
	path   string
	opt    Options
	images map[*Image]*directory
	order  []*directory // as they lie in the file

	// open is held for reading by those who write tiles.
	open sync.RWMutex
	temp file // what tiles are written to; nil after Close and Abort
	out  file // what the file is assembled in, nil if that is where tiles are

	beside  *partial.File // what temp is, nil if the file is compared
	log     *tileLog      // nil if nothing is left for the next one
	resumed int           // tiles that were there
	anew    bool          // what was there was of no use

	mu  sync.Mutex // of end, err, the log and the tables of the directories
	end uint64     // of what is written, or about to be
	err error      // the first one of WriteTile
}

// ErrClosed is what a writer answers after Close or Abort.
var ErrClosed = errors.New("the TIFF file is closed")

// Create starts a file, which replaces the one at path on Close. The images and
// their fields must not change until then.
func Create(path string, images []*Image, opt Options) (*Writer, error) {
	if opt.limit == 0 {
		opt.limit = maxClassic
	}
	w := &Writer{path: path, opt: opt, images: map[*Image]*directory{}, end: dataStart}
	if err := w.prepare(images); err != nil {
		return nil, w.wrap(err)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, w.wrap(errors.New("a folder is in its place"))
	} else if err == nil && !info.Mode().IsRegular() {
		return nil, w.wrap(errors.New("a device, or what else is no file, is in its place"))
	}
	if err := w.begin(); err != nil {
		return nil, w.wrap(err)
	}
	return w, nil
}

// begin makes the files. Who has the one for the path is alone.
func (w *Writer) begin() (err error) {
	if w.opt.Compare {
		if w.temp, err = w.opened(newCompared(w.path)); err != nil || !w.opt.COG && w.opt.Order == nil {
			return err
		}
		w.out = w.temp
		if w.temp, err = w.opened(newScratch(w.path)); err != nil {
			return errors.Join(err, w.out.Remove())
		}
		return nil
	}
	begun := partial.Exists(w.path)
	if w.beside, err = partial.Open(w.path); err != nil {
		return err
	}
	if w.opt.Resume != "" {
		err = w.resume(w.beside)
	} else {
		w.anew = begun
		err = partial.Cause(w.beside.Truncate(0))
	}
	if err == nil {
		w.temp, err = w.opened(w.beside, nil)
		return err
	}
	w.temp = w.beside
	return errors.Join(err, w.remove())
}

func (w *Writer) opened(f file, err error) (file, error) {
	if err != nil || w.opt.opened == nil {
		return f, err
	}
	return w.opt.opened(f)
}

// remove gives up the files that there are.
func (w *Writer) remove() (err error) {
	if w.out != nil {
		err = w.out.Remove()
	}
	if w.log != nil {
		err = errors.Join(err, w.log.file.Remove())
	}
	err = errors.Join(err, w.temp.Remove())
	w.temp, w.out, w.log = nil, nil, nil
	return err
}

// leave closes the files and keeps the tiles for the next one, if it is to have them.
func (w *Writer) leave() error {
	if w.log == nil {
		return w.remove()
	}
	err := errors.Join(w.log.file.Leave(), w.temp.Leave())
	if w.out != nil {
		err = errors.Join(w.out.Remove(), err)
	}
	w.temp, w.out, w.log = nil, nil, nil
	return err
}

// Done reports whether a tile is in the file, or need not be: one that was there when
// the file was taken up, or that has been written since.
func (w *Writer) Done(image *Image, index int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.images[image]
	return d != nil && index >= 0 && index < len(d.done) && d.done[index]
}

// Resumed is how many tiles were there when the file was taken up.
func (w *Writer) Resumed() int { return w.resumed }

// Anew reports whether there was a file that could not be taken up.
func (w *Writer) Anew() bool { return w.anew }

// Tile appends a tile that is in the file to dst.
func (w *Writer) Tile(image *Image, index int, dst []byte) ([]byte, error) {
	w.open.RLock()
	defer w.open.RUnlock()
	if w.temp == nil {
		return dst, w.wrap(ErrClosed)
	}
	if !w.Done(image, index) {
		return dst, w.wrap(errors.New("a tile that is not there"))
	}
	d := w.images[image]
	w.mu.Lock()
	at, n := d.offsets[index], int(d.counts[index])
	w.mu.Unlock()
	have := len(dst)
	dst = slices.Grow(dst, n)[:have+n]
	_, err := w.temp.ReadAt(dst[have:], int64(at))
	return dst, w.wrap(err)
}

func (w *Writer) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("TIFF file %s: %w", w.path, err)
}

// WriteTile writes a tile or strip, which is not kept. A tile that has no bytes,
// or that is never written, is sparse: its offset and size are 0. After an error
// the file can not be completed any more, and Close gives that error.
func (w *Writer) WriteTile(image *Image, index int, data []byte) error {
	w.open.RLock()
	defer w.open.RUnlock()
	if w.temp == nil {
		return w.wrap(ErrClosed)
	}
	at, err := w.reserve(image, index, len(data))
	switch {
	case err != nil || len(data) == 0:
	case w.opt.COG:
		err = writeBlock(w.temp, data, at)
	default:
		_, err = w.temp.WriteAt(data, int64(at))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		d := w.images[image]
		d.done[index] = true
		if w.log != nil {
			err = w.log.add(d.ordinal, index, at, data)
		}
	}
	if err != nil && w.err == nil {
		w.err = err
	}
	return w.wrap(err)
}

// reserve enters a tile in the table of its image and says where it goes.
func (w *Writer) reserve(image *Image, index, size int) (uint64, error) {
	d := w.images[image]
	if d == nil {
		return 0, errors.New("a tile of an image that is not of this file")
	}
	if index < 0 || index >= len(d.counts) {
		return 0, fmt.Errorf("%v has %d tiles, there is no tile %d", d, len(d.counts), index)
	}
	if uint64(size) > math.MaxUint32 {
		return 0, fmt.Errorf("%v: tile %d has %d bytes, at most %d are possible", d, index, size, uint32(math.MaxUint32))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return 0, w.err
	}
	if size == 0 {
		return 0, nil
	}
	if d.counts[index] != 0 || d.done[index] {
		return 0, fmt.Errorf("%v: tile %d is written a second time", d, index)
	}
	room := w.leader() + uint64(size) + w.trailer()
	if w.opt.BigTIFF == Never && w.end+room > w.opt.limit {
		return 0, w.tooLarge(w.end + room)
	}
	at := w.end + w.leader()
	w.end += room
	d.offsets[index], d.counts[index] = at, uint32(size)
	return at, nil
}

// leader and trailer are the bytes before and behind every tile.
func (w *Writer) leader() uint64 {
	if w.opt.COG {
		return leaderSize
	}
	return 0
}

func (w *Writer) trailer() uint64 {
	if w.opt.COG {
		return trailerSize
	}
	return 0
}

func (w *Writer) tooLarge(size uint64) error {
	return fmt.Errorf("at least %d bytes are more than the %d of a classic TIFF, and it may not be a BigTIFF", size, w.opt.limit)
}

// Abort gives the file up and leaves nothing behind. After Close it does
// nothing, so that it may be deferred.
func (w *Writer) Abort() error {
	w.open.Lock()
	defer w.open.Unlock()
	if w.temp == nil {
		return nil
	}
	return w.wrap(w.remove())
}

// Leave closes the file and lets lie what it has for the next one, if Options.Resume
// says so; else it is Abort.
func (w *Writer) Leave() error {
	w.open.Lock()
	defer w.open.Unlock()
	if w.temp == nil {
		return nil
	}
	return w.wrap(w.leave())
}

// Close writes the directories and puts the file in its place. If anything went
// wrong, now or before, there is no file, and the one that was there still is.
// Assembling a COG, and a file whose tiles did not come in order, copies all of it;
// the end of ctx stops that.
func (w *Writer) Close(ctx context.Context) error {
	w.open.Lock()
	defer w.open.Unlock()
	if w.temp == nil {
		return w.wrap(ErrClosed)
	}
	err := w.err
	if err == nil {
		err = w.complete(ctx)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return w.wrap(errors.Join(err, w.leave()))
	}
	whole := w.temp
	if w.out != nil {
		whole = w.out
	}
	if err := whole.Commit(w.opt.Sync); err != nil {
		return w.wrap(errors.Join(err, w.leave()))
	}
	// The file is there. What it was made of is not needed any more.
	if w.out != nil {
		err = w.temp.Remove()
	}
	if w.log != nil {
		err = errors.Join(err, w.log.file.Remove())
	}
	w.temp, w.out, w.log = nil, nil, nil
	return w.wrap(err)
}

// complete makes a file of the tiles: where they are, if they lie in order.
func (w *Writer) complete(ctx context.Context) error {
	if !w.opt.COG {
		inPlace, err := w.ordered()
		if err != nil {
			return err
		}
		if inPlace && w.out == nil {
			return w.finish(w.temp)
		}
	}
	if w.out == nil {
		side, err := w.beside.Side(partial.Whole)
		if err == nil {
			err = side.Truncate(0)
		}
		if err != nil {
			return partial.Cause(err)
		}
		if w.out, err = w.opened(side, nil); err != nil {
			return err
		}
	}
	if w.opt.COG {
		return w.writeCOG(ctx, w.out, w.temp)
	}
	if err := w.arrange(ctx, w.out, w.temp); err != nil {
		return err
	}
	return w.finish(w.out)
}

// finish writes the directories behind the tiles, then the header.
func (w *Writer) finish(temp file) error {
	place := func(big bool) layout { return w.place(big, w.end) }
	l, err := w.choose(place, 0)
	if err != nil {
		return err
	}
	if _, err := temp.WriteAt(w.directories(l), int64(l.start)); err != nil {
		return err
	}
	_, err = temp.WriteAt(appendHeader(nil, l), 0)
	return err
}

// choose finds out whether the file is a BigTIFF, given that data bytes follow
// the directories.
func (w *Writer) choose(place func(big bool) layout, data uint64) (layout, error) {
	if w.opt.BigTIFF != Always && !w.needsBig() {
		l := place(false)
		if l.end+data <= w.opt.limit {
			return l, nil
		}
		if w.opt.BigTIFF == Never {
			return l, w.tooLarge(l.end + data)
		}
	}
	return place(true), nil
}
