package conformance_test

import (
	"os"
	"testing"

	"github.com/omnizarr/zarr/internal/leaktest"
)

func TestMain(m *testing.M) {
	if env := os.Getenv(writerEnv); env != "" {
		os.Exit(writer(env))
	}
	if env := os.Getenv(killedEnv); env != "" {
		os.Exit(victim(env))
	}
	leaktest.Main(m)
}
