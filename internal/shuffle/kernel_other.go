//go:build !amd64 && !arm64

package shuffle

func splitFast(_, _ []byte, _, _, _ int) int { return 0 }

func joinSteps(_, _ int) int { return 0 }

func joinStep(_ int) int { return 0 }

func joinFast(_ []byte, _ *[16]*byte, _, _ int) {}

func toRowsFast(_, _ []byte, _ int) int { return 0 }

func fromRowsFast(_, _ []byte, _ int) int { return 0 }
