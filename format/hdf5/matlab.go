package hdf5

import (
	"encoding/binary"
	"encoding/json"
	"path"
	"strings"
	"unicode/utf16"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/meta"
)

// matlab are files of MATLAB 7.3. Arrays lie in them with the first axis innermost,
// and are shown with the shape that MATLAB has: chunks stay as they are, and a codec
// turns their axes round. Text is stored as letters, truth values as bytes.
type matlab struct {
	plain
	s *Store
}

// The attributes that tell what MATLAB means by a dataset.
const (
	matlabClass = "MATLAB_class"
	matlabEmpty = "MATLAB_empty" // the elements are the shape of an array without any
)

// isMATLAB reports whether a file is one of MATLAB, which the text in front of it says.
func (s *Store) isMATLAB() bool {
	const text = "MATLAB 7.3 MAT-file"
	if !strings.EqualFold(path.Ext(s.key), ".mat") {
		return false
	}
	head := make([]byte, len(text))
	_, err := s.head.ReadAt(head, 0)
	return err == nil && string(head) == text
}

// maxLetters is how many letters a text may have that is shown as one.
const maxLetters = 1 << 24

func (c *matlab) show(n *node) {
	list := of(n.o)
	if n.d.Space.Kind != hdf5.Simple || said(list, matlabEmpty) != nil {
		return
	}
	class := c.s.text(list, matlabClass)
	count, ok := n.d.Space.Len()
	switch {
	case class == "char" && len(n.extent) == 2 && n.d.Type.Class == hdf5.Integer && ok && max(count, n.extent[1]) <= maxLetters:
		// Rows are texts; most often there is one.
		n.letters, n.plain = true, false
		n.element = element{data: dtype.MustParse("string"), codec: meta.Extension{Name: "vlen-utf8"}, kind: asText}
		n.extent = n.extent[1:]
		if n.extent[0] == 1 {
			n.extent = nil
		}
		n.chunk = nil
		for _, k := range n.extent {
			n.chunk = append(n.chunk, max(k, 1))
		}
		n.cut()
		return
	case class == "logical" && n.element.kind == asStored && n.element.data.Name() == "uint8":
		n.element.data = dtype.MustParse("bool")
	}
	n.turned = len(n.extent) > 1
}

// array says of no reference that it is one of HDMF: cells have paths for elements.
func (c *matlab) array(_ *node, m *meta.Array) error {
	m.Attributes.Delete("_DTYPE")
	return nil
}

// turn is the codec that turns axes round.
func turn(rank int) meta.Extension {
	order := make([]int, rank)
	for i := range order {
		order[i] = rank - 1 - i
	}
	list, _ := json.Marshal(order) // of numbers
	return meta.Extension{Name: "transpose", Configuration: []byte(`{"order":` + string(list) + `}`)}
}

// lettersOf makes the texts of which a dataset holds the letters: one position of all
// texts behind the other.
func (s *Store) lettersOf(n *node) (placed, error) {
	shape, size := n.d.Space.Shape, uint64(n.d.Type.Size)
	raw := make([]byte, elements(shape)*size)
	if err := n.d.Read(raw, []uint64{0, 0}, shape); err != nil {
		return placed{}, present(err)
	}
	out := binary.LittleEndian.AppendUint32(nil, uint32(shape[1]))
	for row := range shape[1] {
		var text []uint16
		for i := range shape[0] {
			v, err := s.f.Decode(n.d.Type, raw[(i*shape[1]+row)*size:])
			if err != nil {
				return placed{}, err
			}
			switch v := v.(type) {
			case uint64:
				text = append(text, uint16(v))
			case int64:
				text = append(text, uint16(v))
			}
		}
		letters := string(utf16.Decode(text))
		out = binary.LittleEndian.AppendUint32(out, uint32(len(letters)))
		out = append(out, letters...)
	}
	return placed{head: out}, nil
}
