package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/picture"
)

func (a *app) demoCommand() *cobra.Command {
	var f serving
	var dir string
	var noServe, noOpen bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Write a sample of every format, and look at it in the browser",
		Long: `Write samples of every format that look like something, serve them on this machine until
interrupted, as omnizarr serve does, and open the page where there is a browser. For each
there is a line of Python, of JavaScript and of Go that reads from it. It needs no network.

With --no-serve a small sample hierarchy is written instead, and its tree and a picture
of one of its arrays are shown here. The picture has colours on terminals that have them
and NO_COLOR does not forbid them.`,
		Example: `  omnizarr demo
  omnizarr demo --dir samples --addr 127.0.0.1:0 --no-open
  omnizarr demo --no-serve --dir sample.zarr`,
		Args: names(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if noServe {
				target, err := demoFolder(dir)
				if err != nil {
					return fmt.Errorf("demo: %w", err)
				}
				return a.demo(cmd.Context(), target)
			}
			if !cmd.Flags().Changed("addr") {
				f.addr = freeAddr(cmd.Context(), defaultAddr)
			}
			return a.exhibition(cmd, f, dir, !noOpen)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "folder to write to (default: a temporary one)")
	cmd.Flags().StringVar(&f.addr, "addr", defaultAddr, "address to listen on; port 0 takes a free one")
	cmd.Flags().BoolVar(&noServe, "no-serve", false, "write a sample hierarchy, show it here and end")
	cmd.Flags().BoolVar(&noOpen, "no-open", false, "print the addresses and open no browser")
	return cmd
}

// demoFolder is where the sample goes: a new folder, an empty one, or one that
// holds a Zarr hierarchy, whose sample arrays are written again.
func demoFolder(dir string) (string, error) {
	if dir == "" {
		temp, err := os.MkdirTemp("", "omnizarr-demo-")
		return filepath.Join(temp, "sample.zarr"), err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(dir, "zarr.json")); err != nil {
			return "", fmt.Errorf("folder %s holds other files: name a new one", dir)
		}
	}
	return dir, nil
}

func (a *app) demo(ctx context.Context, dir string) error {
	root, err := writeSample(ctx, dir, a.options())
	if err != nil {
		return err
	}
	defer root.Close()
	fmt.Fprintf(a.out, "Wrote a sample hierarchy to %s\n\n", dir)
	fmt.Fprintln(a.out, filepath.Base(dir))
	if err := a.drawBelow(ctx, root); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "\n/image, read back and shown here:\n\n")
	if err := a.showImage(ctx, root); err != nil {
		return err
	}
	try := [][]string{
		{"info", filepath.Join(dir, "cells", "volume")},
		{"cat", "--slice", "0:4", "--as", "csv", filepath.Join(dir, "cells", "table")},
		{"copy", "--chunks", "60,80", dir, filepath.Join(filepath.Dir(dir), "copy.zip")},
	}
	for _, k := range kind.All[kind.Sampler](a.kinds) {
		sample, err := k.Sample(ctx, root, dir, a.options())
		if err == nil {
			err = a.showSample(ctx, sample)
		}
		if err != nil {
			return err
		}
		try = append(try, sample.Try...)
	}
	fmt.Fprintf(a.out, "\nTry next:\n\n")
	for _, command := range try {
		fmt.Fprintf(a.out, "  %s", invocation())
		for _, word := range command {
			fmt.Fprintf(a.out, " %s", quoted(word))
		}
		fmt.Fprintln(a.out)
	}
	return nil
}

// showSample shows what a kind has written.
func (a *app) showSample(ctx context.Context, s kind.Sample) error {
	if s.Group == nil {
		return nil
	}
	defer s.Group.Close()
	fmt.Fprintf(a.out, "\n%s:\n\n%s\n", s.Title, s.Name)
	return a.drawBelow(ctx, s.Group)
}

// showImage reads the image and draws it.
func (a *app) showImage(ctx context.Context, root *zarr.Group) error {
	arr, err := root.Array(ctx, "image")
	if err != nil {
		return err
	}
	p, err := picture.Of(ctx, arr, picture.Options{Width: min(columns()-4, 76), Height: 76, Fill: true, Map: "magma"})
	if err != nil {
		return err
	}
	return picture.Blocks(a.out, p.Image, coloursOf(a.stdout), "  ")
}

// invocation is how the program was called, so that what is printed can be
// copied: "go run" leaves no program behind.
func invocation() string {
	if exe, err := os.Executable(); err == nil && strings.Contains(filepath.ToSlash(exe), "/go-build") {
		return "go run ./cmd/omnizarr"
	}
	return "omnizarr"
}

// quoted makes a path one word for a shell.
func quoted(path string) string {
	if strings.ContainsAny(path, " \t'\"$&;|<>()*?[]#~\\") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
