package jpeg

// Planes is where samples go to or come from: one plane per component.
type Planes struct {
	Data          [][]byte // the sample of component c at (x, y) is Data[c][y*Stride+x]
	Stride        int      // from one row to the next
	Width, Height int      // of the room; of an image that is smaller only its part is written
}
