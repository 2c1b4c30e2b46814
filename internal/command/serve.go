package command

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/serve"
	"github.com/omnizarr/zarr/serve/source"
)

// defaultAddr is where servers listen unless they are told otherwise: where only programs
// on this machine reach them.
const defaultAddr = "127.0.0.1:8080"

// grace is how long those who are being answered when the server is stopped may take.
const grace = 10 * time.Second

// tokenVariable is where the token may come from, so that no list of processes shows it.
const tokenVariable = "OMNIZARR_TOKEN"

// serving is what the flags of serve and view say.
type serving struct {
	addr, cache, cacheDir, token, tokenFile, auth, cert, key string
	origins, hosts                                           []string
	write, accessLog                                         bool
	maxAge                                                   time.Duration
}

func (a *app) serveCommand() *cobra.Command {
	var f serving
	cmd := &cobra.Command{
		Use:   "serve URL...",
		Short: "Serve arrays of any format to every Zarr client, and to the browser",
		Long: `Serve hierarchies over HTTP, until interrupted. Each URL, of whatever format, is plain
Zarr v3 below /zarr/NAME and Zarr v2 below ` + serve.Path2 + `/NAME; /files/NAME has its files as
they are, and / a page to look at it all. NAME is the last element of the URL, with -2
and so on when it is taken. A folder of many stores is served as one.

Where clients cannot be expected to know a codec, chunks are recoded as they are asked
for, to zstd or as ?codecs= says, and kept in memory (--cache) and in a folder
(--cache-dir). ?pyramid gives images smaller levels. For clients that drop queries, both
can be said in the path: /zarr/@pyramid,codecs=gzip/NAME.

Only programs on this machine reach it unless --addr says otherwise. --token makes
clients show a token: as Authorization: Bearer, as a password, or in the address of the
page that is printed. --token auto makes one up; it may also come from a file or from
the environment, as ` + tokenVariable + `.`,
		Example: `  omnizarr serve em.zarr cells.zarr
  omnizarr serve --addr 127.0.0.1:0 https://example.org/em.zarr
  omnizarr serve --addr 0.0.0.0:8443 --token auto --cache 2GB em.zarr`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return badUsage(cmd, "%s takes one URL or more, got 0 arguments", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.serve(cmd, f, args, func(ctx context.Context, at *url.URL, sources []*source.Source) {})
		},
	}
	f.flags(cmd.Flags())
	flags := cmd.Flags()
	flags.BoolVar(&f.write, "write", false, "let clients that show the token put and delete keys of Zarr sources")
	flags.StringArrayVar(&f.origins, "cors", nil, "an origin whose pages may read what is served (default: all; none: no others)")
	flags.DurationVar(&f.maxAge, "max-age", 0, "how long clients may keep answers without asking whether they are still so: 1h")
	return cmd
}

func (a *app) viewCommand() *cobra.Command {
	var f serving
	var noOpen bool
	cmd := &cobra.Command{
		Use:   "view URL...",
		Short: "Look at arrays in the browser",
		Long: `Look at hierarchies of any format in the browser: images, series, tables, and what is
said about them. It serves them on this machine, as omnizarr serve does, until
interrupted, and opens the page of the first one where there is a browser.`,
		Example: `  omnizarr view em.zarr
  omnizarr view --no-open --addr 127.0.0.1:0 cells.zarr`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return badUsage(cmd, "%s takes one URL or more, got 0 arguments", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("addr") {
				f.addr = "127.0.0.1:0"
			}
			return a.serve(cmd, f, args, func(ctx context.Context, at *url.URL, sources []*source.Source) {
				page := *at
				page.Path = "/view/" + sources[0].Name()
				a.printf("\nOpen %s\n", page.String())
				if !noOpen {
					openBrowser(page.String())
				}
			})
		},
	}
	f.flags(cmd.Flags())
	cmd.Flags().BoolVar(&noOpen, "no-open", false, "print the address and open no browser")
	return cmd
}

func (f *serving) flags(flags *pflag.FlagSet) {
	flags.StringVar(&f.addr, "addr", defaultAddr, "address to listen on; port 0 takes a free one")
	flags.StringVar(&f.cache, "cache", "", "most memory for what was made for clients: 512MiB, 2GB (default: 256 MiB)")
	flags.StringVar(&f.cacheDir, "cache-dir", "", "a folder to keep more of it in")
	flags.StringVar(&f.token, "token", "", "token that clients must show; auto makes one")
	flags.StringVar(&f.tokenFile, "token-file", "", "file that holds the token")
	flags.StringVar(&f.auth, "auth", "", "user:password that clients must show")
	flags.StringVar(&f.cert, "tls-cert", "", "file with a certificate, for HTTPS and HTTP/2")
	flags.StringVar(&f.key, "tls-key", "", "file with the key of the certificate")
	flags.StringArrayVar(&f.hosts, "host", nil, "a name that requests may be made to, besides localhost and its like")
	flags.BoolVar(&f.accessLog, "access-log", false, "tell of every request on standard error")
}

// options are those of the server.
func (a *app) serveOptions(cmd *cobra.Command, f serving) (serve.Options, error) {
	o := serve.Options{
		Open: a.options(), Kinds: a.kinds, CacheDir: f.cacheDir, Origins: f.origins, Write: f.write, MaxAge: f.maxAge,
		Log: a.serverLog(), AccessLog: f.accessLog, Token: f.token,
	}
	if f.cache == "0" {
		o.Cache = -1
	} else if n, err := bytesFlag(cmd, "cache", f.cache); err != nil {
		return o, err
	} else {
		o.Cache = n
	}
	if f.token != "" && f.tokenFile != "" {
		return o, badUsage(cmd, "--token and --token-file: one of them")
	}
	switch {
	case f.tokenFile != "":
		text, err := os.ReadFile(f.tokenFile)
		if err != nil {
			return o, err
		}
		if o.Token = strings.TrimSpace(string(text)); o.Token == "" {
			return o, fmt.Errorf("token file %s is empty", f.tokenFile)
		}
	case f.token == "auto":
		o.Token = rand.Text()
	case f.token == "":
		o.Token = os.Getenv(tokenVariable)
	}
	if f.auth != "" {
		var ok bool
		if o.User, o.Password, ok = strings.Cut(f.auth, ":"); !ok || o.User == "" || o.Password == "" {
			return o, badUsage(cmd, "--auth: must be of the form user:password")
		}
	}
	if f.write && o.Token == "" && o.User == "" {
		return o, badUsage(cmd, "--write needs --token, --token-file or --auth: only who shows it may change something")
	}
	if (f.cert == "") != (f.key == "") {
		return o, badUsage(cmd, "--tls-cert and --tls-key: both or none")
	}
	return o, nil
}

// serve listens, tells where, and answers until the context ends.
func (a *app) serve(cmd *cobra.Command, f serving, urls []string, ready func(ctx context.Context, at *url.URL, sources []*source.Source)) error {
	ctx := cmd.Context()
	o, err := a.serveOptions(cmd, f)
	if err != nil {
		return err
	}
	scheme, certificates := "http", []tls.Certificate(nil)
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return fmt.Errorf("certificate %s with key %s: %w", f.cert, f.key, err)
		}
		scheme, certificates = "https", []tls.Certificate{pair}
	}
	if _, _, err := net.SplitHostPort(f.addr); err != nil {
		return badUsage(cmd, "--addr %s: must be HOST:PORT, such as %s", f.addr, defaultAddr)
	}
	l, err := listen(ctx, f.addr)
	if err != nil {
		return err
	}
	defer l.Close()
	local := serve.IsLoopback(l.Addr())
	if local {
		o.Hosts = append([]string{serve.Loopback}, f.hosts...)
	} else {
		o.Hosts = f.hosts
	}
	s, err := serve.New(o)
	if err != nil {
		return err
	}
	defer s.Close()
	sources, err := a.addSources(ctx, s, urls)
	if err != nil {
		return err
	}
	if !local && o.Token == "" && o.User == "" {
		a.note(fmt.Sprintf("everybody who reaches %s can read what is served: --token auto makes them show a token", l.Addr()))
	}
	at := &url.URL{Scheme: scheme, Host: reachable(l.Addr())}
	if o.Token != "" {
		at.Path, at.RawQuery = "/", url.Values{"token": {o.Token}}.Encode()
	}
	a.printf("Serving at %s\n", at)
	for _, src := range sources {
		a.printf("  %s  %s\n", (&url.URL{Scheme: scheme, Host: at.Host, Path: "/zarr/" + src.Name()}).String(), src.URL())
	}
	ready(ctx, at, sources)
	if err := a.out.Flush(); err != nil {
		return err
	}
	return s.Run(ctx, l, certificates, grace)
}

// addSources adds what URLs name, and looks whether it is there, since who has mistyped
// one wants to know at once. What cannot be opened keeps nobody from the others: it is
// told, and tried again when somebody asks for it. Where nothing can, that is an error.
func (a *app) addSources(ctx context.Context, s *serve.Server, urls []string) ([]*source.Source, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var out []*source.Source
	var failed []error
	for _, u := range urls {
		src, err := s.Add("", u)
		if err != nil {
			return nil, err
		}
		out = append(out, src)
		if _, err := src.Node(ctx, "/"); err != nil {
			failed = append(failed, err)
		}
	}
	if len(failed) == len(urls) {
		return nil, failed[0]
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, err := range failed {
		a.note(words.OneLine(err.Error()))
	}
	return out, nil
}

// listen takes the address, or says what to do when it is taken.
func listen(ctx context.Context, addr string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		host, _, _ := net.SplitHostPort(addr)
		return nil, fmt.Errorf("listen on %s: another program does already; --addr %s takes a free port", addr, net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return l, nil
}

// reachable is an address that a browser on this machine can open.
func reachable(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return addr.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		if host = "localhost"; ip.To4() != nil {
			host = "127.0.0.1"
		}
	}
	return net.JoinHostPort(host, port)
}
