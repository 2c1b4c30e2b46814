package source_test

import (
	"testing"

	"github.com/omnizarr/zarr"
)

// resize makes an array longer.
func resize(t testing.TB, url string) {
	t.Helper()
	a, err := zarr.OpenArray(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Resize(t.Context(), 9, 5); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}
