package describe_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/hdmf/describe"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/store"
)

// TestWhatDoesNotAnswerIsNoAnswer asks for a table in a file whose root a server does not
// give. Where it says that there is none, the table stands alone. Where it could not say,
// nobody may take the table for one without a file: a copy of it would lose its links.
func TestWhatDoesNotAnswerIsNoAnswer(t *testing.T) {
	dir := t.TempDir()
	if err := nwbtest.UnpackTo(dir, "session_v3.nwb.zarr"); err != nil {
		t.Fatal(err)
	}
	files := http.FileServer(http.Dir(dir))
	var answer atomic.Int32 // requests that were given up come late
	answer.Store(http.StatusOK)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status := int(answer.Load()); status != http.StatusOK && strings.HasSuffix(r.URL.Path, "session_v3.nwb.zarr/zarr.json") {
			w.WriteHeader(status)
			return
		}
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	for _, at := range []string{"intervals/trials", "intervals/trials/correct", "processing/ecephys/LFP/LFPSeries/timestamps"} {
		for _, status := range []int{http.StatusOK, http.StatusNotFound, http.StatusForbidden, http.StatusServiceUnavailable} {
			answer.Store(int32(status))
			s, err := convention.Find(t.Context(), server.URL+"/session_v3.nwb.zarr/"+at, []convention.Convention{&describe.Convention{}},
				zarr.Remote(store.Remote{Retries: -1}))
			switch link := strings.HasSuffix(at, "timestamps"); {
			case status == http.StatusServiceUnavailable && !errors.Is(err, store.ErrUnavailable),
				status == http.StatusOK && (err != nil || s.Object == nil),
				status == http.StatusNotFound && err != nil && !link, // which leads nowhere without the file
				status == http.StatusForbidden && err != nil && !link:
				t.Errorf("%s, %d: %+v, %v", at, status, s, err)
			}
			if s != nil {
				s.Close()
			}
		}
	}
}
