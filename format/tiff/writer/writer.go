// Package writer makes TIFF, BigTIFF and cloud optimised GeoTIFF (COG) files of
// tiles that are encoded already. It knows where directories and tiles go, not
// what is in them.
//
// Tiles are written as they come, from any number of goroutines; what stays in
// memory is 12 bytes for each of them. The file appears at its place by Close,
// whole, or not at all.
package writer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"

	"github.com/omnizarr/zarr/format/tiff/tag"
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
	out  file // what a COG is assembled in, nil for others

	mu  sync.Mutex // of end, err and the tables of the directories
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

// begin makes the files. That for the path comes first: who has it is alone.
func (w *Writer) begin() error {
	place := newFile
	if w.opt.Compare {
		place = newCompared
	}
	var err error
	if w.temp, err = w.opened(place(w.path)); err != nil || !w.opt.COG {
		return err
	}
	w.out = w.temp
	if w.temp, err = w.opened(newScratch(w.path)); err != nil {
		return errors.Join(err, w.out.Remove())
	}
	return nil
}

func (w *Writer) opened(f file, err error) (file, error) {
	if err != nil || w.opt.opened == nil {
		return f, err
	}
	return w.opt.opened(f)
}

// remove gives up the files that there are.
func (w *Writer) remove() error {
	err := w.temp.Remove()
	if w.out != nil {
		err = errors.Join(err, w.out.Remove())
	}
	w.temp, w.out = nil, nil
	return err
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
	if err == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
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
	if d.counts[index] != 0 {
		return 0, fmt.Errorf("%v: tile %d is written a second time", d, index)
	}
	room := uint64(size)
	if w.opt.COG {
		room += blockExtra
	}
	if w.opt.BigTIFF == Never && w.end+room > w.opt.limit {
		return 0, w.tooLarge(w.end + room)
	}
	at := w.end
	w.end += room
	if w.opt.COG {
		at += leaderSize
	}
	d.offsets[index], d.counts[index] = at, uint32(size)
	return at, nil
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

// Close writes the directories and puts the file in its place. If anything went
// wrong, now or before, there is no file, and the one that was there still is.
// Assembling a COG copies all of it; the end of ctx stops that.
func (w *Writer) Close(ctx context.Context) error {
	w.open.Lock()
	defer w.open.Unlock()
	if w.temp == nil {
		return w.wrap(ErrClosed)
	}
	err := w.err
	switch {
	case err != nil:
	case w.opt.COG:
		err = w.writeCOG(ctx, w.out, w.temp)
	default:
		err = w.finish(w.temp)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return w.wrap(errors.Join(err, w.remove()))
	}
	file := w.temp
	if w.out != nil {
		file, err = w.out, w.temp.Remove()
	}
	w.temp, w.out = nil, nil
	if failed := file.Commit(w.opt.Sync); failed != nil {
		err = errors.Join(failed, err, file.Remove())
	}
	return w.wrap(err)
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
