//go:build amd64 || arm64

package zstddec

import "unsafe"

// four decodes most of the literals of a block, all four streams at a time.
func (l *lanes) four(q *quad) {
	if !hasKernels {
		return
	}
	l.put(q, 0)
	l.step = q.step
	for {
		if l.rounds = q.rounds(); l.rounds < 1 {
			return
		}
		l.out = unsafe.Pointer(&q.dst[q.done])
		fourStreams(l)
		q.done += roundLen * l.rounds
		l.get(q, 0)
	}
}

// both decodes the literals of two blocks as long as both last, all eight streams at
// a time.
func (l *lanes) both(a, b *quad) {
	if !hasKernels {
		return
	}
	l.put(a, 0)
	l.put(b, 4)
	for {
		if l.rounds = min(a.rounds(), b.rounds()); l.rounds < 1 {
			break
		}
		l.out = unsafe.Pointer(&l.stage[a.done])
		eightStreams(l)
		a.done += roundLen * l.rounds
		b.done = a.done
		l.get(a, 0)
		l.get(b, 4)
	}
	for i := range 4 {
		copy(a.dst[i*a.step:][:a.done], l.stage[i*stage:])
		copy(b.dst[i*b.step:][:b.done], l.stage[(4+i)*stage:])
	}
}

// put makes the streams of q four lanes.
func (l *lanes) put(q *quad, at int) {
	l.tables[at/4] = q.table
	for i, b := range q.streams {
		l.base[at+i] = unsafe.Pointer(unsafe.SliceData(b))
		l.left[at+i] = q.left[i]
	}
}

// get takes what is left of the streams.
func (l *lanes) get(q *quad, at int) { q.left = [4]int(l.left[at : at+4]) }

// fourStreams decodes rounds of five literals of the first four lanes.
//
//go:noescape
func fourStreams(l *lanes)

// eightStreams decodes rounds of five literals of all lanes, which are stage bytes
// apart.
//
//go:noescape
func eightStreams(l *lanes)
