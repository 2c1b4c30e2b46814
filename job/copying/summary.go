package copying

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/words"
)

// Summary is what a copy did.
type Summary struct {
	Arrays int64 `json:"arrays"`
	// Chunks are those of the copy that were written (shards, where there are any),
	// Passed those among them that are the stored bytes of the source, and Empty those
	// that are not stored because they hold nothing but the fill value.
	Chunks int64 `json:"chunks"`
	Passed int64 `json:"chunks_as_bytes"`
	Empty  int64 `json:"chunks_empty"`
	// Read and Written are the bytes of chunks, as they are stored, and Elements those
	// of the elements that they hold.
	Read     int64   `json:"bytes_in"`
	Written  int64   `json:"bytes_out"`
	Elements int64   `json:"bytes_of_elements"`
	Seconds  float64 `json:"seconds"`
	// Between is the bytes that were written and read again of arrays by way of which
	// others were copied.
	Between int64 `json:"bytes_between,omitempty"`
	// Resumed counts the blocks that an earlier run had done, and Already says that
	// all of the copy was there.
	Resumed int64 `json:"blocks_done_before"`
	Already bool  `json:"already_there"`
	// Anew says that what an earlier run had left was no use, and was removed.
	Anew bool `json:"begun_anew"`
	// Files are those of the source which are no part of a node, and were copied as
	// they are; NotCopied is what the copy does not have, with the reason.
	Files     []string `json:"files"`
	NotCopied []string `json:"not_copied"`
	// Objects are the codecs by which arrays hold values of any kind where the kind of
	// copy has a choice, by their paths; Notes are what whoever asked for the copy should
	// know of it, a line each.
	Objects map[string]string `json:"objects,omitempty"`
	Notes   []string          `json:"notes,omitempty"`
	// Part is which part this was, of a copy that several processes make.
	Part *PartOf `json:"part,omitempty"`
	// Linked are files that the source refers to, and that were copied beside it.
	Linked []Linked `json:"linked,omitempty"`
}

// Linked is a file that is copied because another refers to it, and its copy.
type Linked struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Add counts another copy in. What was copied already, and what is to be said of it, is
// left as it is.
func (s *Summary) Add(other Summary) {
	s.Arrays += other.Arrays
	s.Chunks += other.Chunks
	s.Passed += other.Passed
	s.Empty += other.Empty
	s.Read += other.Read
	s.Written += other.Written
	s.Elements += other.Elements
	s.Between += other.Between
	s.Resumed += other.Resumed
	s.Anew = s.Anew || other.Anew
	s.Files = append(s.Files, other.Files...)
	s.NotCopied = append(s.NotCopied, other.NotCopied...)
}

// Measured calls f and adds what can be counted from outside: seconds, and what the
// engine read and wrote of chunks.
func Measured(ctx context.Context, f func(context.Context) (Summary, error)) (Summary, error) {
	began := time.Now()
	var m zarr.Meter
	sum, err := f(m.Context(ctx))
	sum.Read += m.Read.Load()
	sum.Written += m.Written.Load()
	sum.Chunks += m.Chunks.Load()
	sum.Empty += m.Empty.Load()
	sum.Seconds = time.Since(began).Seconds()
	return sum, err
}

// String tells it in one line.
func (s Summary) String() string {
	if s.Already {
		return "nothing to do: the copy is there already, and source and copy are as they were"
	}
	var parts []string
	if s.Part != nil {
		parts = append(parts, fmt.Sprintf("part %d of %d", s.Part.Part, s.Part.Of))
	}
	parts = append(parts, counted(s.Arrays, "array"))
	chunks := counted(s.Chunks, "chunk")
	if s.Passed > 0 {
		chunks += fmt.Sprintf(" (%s as bytes)", words.Grouped(s.Passed))
	}
	parts = append(parts, chunks)
	if s.Resumed > 0 {
		parts = append(parts, counted(s.Resumed, "block")+" done before")
	}
	if s.Anew {
		parts = append(parts, "begun anew after an interruption")
	}
	if len(s.Files) > 0 {
		parts = append(parts, counted(int64(len(s.Files)), "other file"))
	}
	if len(s.Linked) > 0 {
		parts = append(parts, counted(int64(len(s.Linked)), "linked file"))
	}
	parts = append(parts, words.Bytes(float64(s.Read))+" in", words.Bytes(float64(s.Written))+" out")
	if s.Between > 0 {
		parts = append(parts, words.Bytes(float64(s.Between))+" between")
	}
	if s.Written > 0 && s.Read > 0 {
		parts = append(parts, fmt.Sprintf("ratio %.3g", float64(s.Read)/float64(s.Written)))
	}
	parts = append(parts, fmt.Sprintf("%.1f s", s.Seconds))
	text := strings.Join(parts, ", ")
	if s.Part != nil {
		text += "; " + s.Part.rest()
	}
	if len(s.NotCopied) > 0 {
		text += "; not copied: " + words.Some(s.NotCopied)
	}
	return text
}

func counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return words.Grouped(n) + " " + noun + "s"
}
