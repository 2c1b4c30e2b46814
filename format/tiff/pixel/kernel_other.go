//go:build !amd64 && !arm64

package pixel

func undeltaFast(_ []byte, _, _ int) int { return 0 }

func deltaFast(_ []byte, _, _ int) int { return 0 }

func splitFast(_ [][]byte, _ []byte, _ int) int { return 0 }

func joinFast(_ []byte, _ [][]byte, _ int) int { return 0 }

func swapFast(_ []byte, _ int) int { return 0 }

func unpackFast(_, _ []byte, _, _ int) int { return 0 }
