// Serve is a web service of its own that also serves arrays:
//
//	serve ADDR URL
//
// URL may be of any format. Clients of Zarr find it below http://ADDR/data/zarr/NAME, where
// NAME is the last element of URL; all other addresses are the service's own.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/serve"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 2 {
		return errors.New("usage: serve ADDR URL")
	}
	node, err := zarr.Open(ctx, args[1], zarr.ReadOnly())
	if err != nil {
		return err
	}
	defer node.Close()

	mux := http.NewServeMux()
	mux.HandleFunc("/hello", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "hello") })
	mux.Handle("/data/", http.StripPrefix("/data", serve.Handler(node)))

	l, err := net.Listen("tcp", args[0])
	if err != nil {
		return err
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { server.Close() })
	fmt.Fprintf(out, "http://%s/data/zarr/\n", l.Addr())
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
