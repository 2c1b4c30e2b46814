package jobs_test

import (
	"flag"
	"fmt"

	"github.com/omnizarr/zarr/format/hdmf/jobs"
)

func Example() {
	files := &jobs.Kind{}
	flags := flag.NewFlagSet(files.Name(), flag.ContinueOnError)
	files.CopyFlags(flags)
	files.CheckFlags(flags)
	flags.VisitAll(func(f *flag.Flag) { fmt.Printf("%s --%s\n", files.Name(), f.Name) })
	// Output:
	// hdmf --inspect
	// hdmf --no-pickle
	// hdmf --pickle
	// hdmf --schema
	// hdmf --wide-indexes
	// hdmf --with-links
}
