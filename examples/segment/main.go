// Command segment finds the objects of an image: elements above a threshold that touch
// each other. It shows a job of one's own that any executor of package job/spread runs,
// on one machine or on many, from the same functions.
//
//	segment -threshold 100 image.zarr objects.zarr
//
// makes a group with the array "labels", in which every object has a number. With -part
// the work is done by processes that know nothing of each other:
//
//	segment -prepare image.zarr objects.zarr
//	segment -threshold 100 -part 1/3 -at run image.zarr objects.zarr
//	segment -threshold 100 -part 2/3 -at run image.zarr objects.zarr
//	segment -threshold 100 -part 3/3 -at run image.zarr objects.zarr
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/omnizarr/zarr/examples/segment/objects"
	"github.com/omnizarr/zarr/job/spread"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "segment:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("segment", flag.ContinueOnError)
	threshold := flags.Float64("threshold", 0, "elements above it are of objects")
	part := flags.String("part", "", "do one share: 1/3")
	at := flags.String("at", "", "a folder that all parts see, for what they found")
	prepare := flags.Bool("prepare", false, "only make the arrays of the result")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 2 {
		return errors.New("takes an image and a place for the result")
	}
	r := objects.Request{From: flags.Arg(0), To: flags.Arg(1), Threshold: *threshold}
	if *part == "" || *prepare {
		if err := objects.Prepare(ctx, r, nil); err != nil || *prepare {
			return err
		}
	}
	spec, err := spread.NewSpec("segment", r)
	if err != nil {
		return err
	}
	var on spread.Executor = spread.Pool{}
	if *part != "" {
		p := spread.Part{At: *at}
		if n, err := fmt.Sscanf(*part, "%d/%d", &p.Index, &p.Of); n != 2 || err != nil {
			return fmt.Errorf("-part %s: must be such as 1/3", *part)
		}
		on = p
	}
	result, err := on.Run(ctx, spec)
	if errors.Is(err, spread.ErrPending) {
		fmt.Println(err)
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Printf("%s\n", result)
	return nil
}
