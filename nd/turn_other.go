//go:build !amd64 && !arm64

package nd

func kernelRows(_ int) int { return 1 }

func kernelCols(_ int) int { return 1 }

func hasTurn(_, _, _ int) bool { return false }

func turnFast(_ *turned, _ []byte, _, _, _, _, _ int) bool { return false }

func lineAhead(_ []byte, _ int) int { return line }
