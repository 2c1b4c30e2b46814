package kept_test

import (
	"testing"

	"github.com/omnizarr/zarr/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }
