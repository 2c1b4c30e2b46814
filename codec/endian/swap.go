package endian

import (
	"encoding/binary"
	"math/bits"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// swap reverses the bytes of every scalar of v in place.
func swap(v nd.View, units []dtype.Unit) {
	if len(units) == 1 && units[0].Width*units[0].Count == v.Size {
		if mem, ok := v.Contiguous(); ok {
			swapRun(mem, units[0].Width)
			return
		}
		last := len(v.Shape) - 1
		if last >= 0 && v.Strides[last] == v.Size && v.Shape[last] > 1 {
			// Row by row: a row is one element of a view without the last axis.
			row := v.Shape[last] * v.Size
			rows := nd.View{Data: v.Data, Offset: v.Offset, Size: row, Shape: v.Shape[:last], Strides: v.Strides[:last]}
			rows.Each(func(mem []byte) { swapRun(mem, units[0].Width) })
			return
		}
	}
	v.Each(func(elem []byte) {
		for _, u := range units {
			swapRun(elem[u.Offset:u.Offset+u.Width*u.Count], u.Width)
		}
	})
}

func swapRun(mem []byte, width int) {
	switch width {
	case 1:
	case 2:
		for len(mem) >= 8 {
			x := binary.LittleEndian.Uint64(mem)
			binary.LittleEndian.PutUint64(mem, x>>8&0x00ff00ff00ff00ff|x<<8&0xff00ff00ff00ff00)
			mem = mem[8:]
		}
		for ; len(mem) >= 2; mem = mem[2:] {
			mem[0], mem[1] = mem[1], mem[0]
		}
	case 4:
		for ; len(mem) >= 4; mem = mem[4:] {
			binary.LittleEndian.PutUint32(mem, bits.ReverseBytes32(binary.LittleEndian.Uint32(mem)))
		}
	case 8:
		for ; len(mem) >= 8; mem = mem[8:] {
			binary.LittleEndian.PutUint64(mem, bits.ReverseBytes64(binary.LittleEndian.Uint64(mem)))
		}
	default:
		for ; len(mem) >= width; mem = mem[width:] {
			for i, k := 0, width-1; i < k; i, k = i+1, k-1 {
				mem[i], mem[k] = mem[k], mem[i]
			}
		}
	}
}
