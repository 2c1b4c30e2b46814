package command

import (
	"os"
	"testing"

	"github.com/omnizarr/zarr/internal/cloudtest"
	_ "github.com/omnizarr/zarr/store/s3"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestBuckets runs testdata/buckets: what people type who have their arrays in buckets.
// $BUCKET and $OTHER are URLs of two, $QUERY says where the second one is.
func TestBuckets(t *testing.T) {
	first := cloudtest.InMemory(t, &cloudtest.Memory{Page: 5}, nil)
	other := cloudtest.InMemory(t, new(cloudtest.Memory), nil)
	scripts(t, "testdata/buckets", nil, testscript.Params{
		Setup: func(e *testscript.Env) error {
			e.Setenv("COLUMNS", "60")
			for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_EC2_METADATA_DISABLED", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
				e.Setenv(name, os.Getenv(name))
			}
			e.Setenv("AWS_ENDPOINT_URL", first.Endpoint)
			e.Setenv("BUCKET", "s3://"+first.Bucket)
			e.Setenv("OTHER", "s3://"+first.Bucket) // the same name on another server
			e.Setenv("QUERY", "endpoint="+other.Endpoint+"&region=eu-west-3")
			e.Setenv("ENDPOINT", first.Endpoint)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"sample": sample},
	})
}
