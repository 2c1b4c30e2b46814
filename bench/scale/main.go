// Command scale says what it takes to convert a petabyte, and how long ten thousand workers
// are busy with it when some are slow, some hang and all die now and then. It prints the
// tables of docs/scale.md; the same seed gives the same tables on every machine.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

const mib = 1 << 20

// petabyte is the conversion that the page tells of. The rate is that of one core of the
// machine on which it was measured, see the page.
var petabyte = conversion{
	bytes: 1e15, ratio: 2.1, read: 0.5 * mib, shard: 256 * mib, levels: 1.0 / 7, part: 16 * mib, coreSecond: 60e6,
}

// Machines as one gets them from where they are cheap and may be taken away.
var machines = fleet{
	workers: 10_000, slow: 0.02, slowSpeed: 1.0 / 3, hanging: 0.001, hangingSpeed: 1.0 / 20,
	lifetime: 20 * 3600, replaced: 120,
}

var ways = []way{
	{name: "a share for each worker: `--part i/10000`", share: 0},
	{name: "ten shares for each: `--part i/100000`", share: -10},
	{name: "a hundred shares for each: `--part i/1000000`", share: -100},
	{name: "bundles of one item", share: 1},
	{name: "bundles of one item, the last done twice", share: 1, twice: true},
}

// lists are prices as the providers had them.
var lists = []prices{
	{name: "AWS, us-east-1", get: 0.0004 / 1000, put: 0.005 / 1000, month: 0.021 / 1e9, core: 0.0816 / 2},
	{name: "Google Cloud, us-central1", get: 0.0004 / 1000, put: 0.005 / 1000, month: 0.000027397 * 730 / (1 << 30)},
}

func main() {
	seed := flag.Uint64("seed", 1, "of what is left to chance")
	workers := flag.Int("workers", machines.workers, "how many work at once")
	rate := flag.Float64("rate", petabyte.coreSecond/1e6, "MB of elements that a core converts in a second")
	flag.Parse()
	f, c := machines, petabyte
	f.workers, c.coreSecond = *workers, *rate*1e6
	if err := report(os.Stdout, f, c, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

// report writes the tables.
func report(out io.Writer, f fleet, c conversion, seed uint64) error {
	n := c.need()
	var b strings.Builder
	fmt.Fprintf(&b, "| of 1 PB | |\n|---|--:|\n")
	row := func(what, form string, args ...any) {
		fmt.Fprintf(&b, "| %s | %s |\n", what, fmt.Sprintf(form, args...))
	}
	row("requests that read", "%s", millions(n.gets))
	row("requests that write", "%s", millions(n.puts))
	row("bytes read", "%.0f TB", n.in/1e12)
	row("bytes written", "%.0f TB", n.out/1e12)
	row("core-hours", "%s", thousands(n.coreHours))
	row("items, a shard of the first level each", "%s", thousands(float64(n.items)))
	row("time of an item on one core", "%.1f s", n.itemSeconds)
	for _, p := range lists {
		row("requests, "+p.name, "$ %s", thousands(p.requests(n)))
		if p.core > 0 {
			row("cores, "+p.name, "$ %s", thousands(n.coreHours*p.core))
		}
		row("a month of the result, "+p.name, "$ %s", thousands(n.out*p.month))
	}

	w := work{items: n.items, mean: n.itemSeconds, spread: 0.25, fails: 0.001, skip: 0.01}
	ideal := float64(w.items) * w.mean / float64(f.workers)
	fmt.Fprintf(&b, "\n| %s workers, ideal %.1f min | takes | times the ideal | core-hours | items begun again | workers that died |\n|---|--:|--:|--:|--:|--:|\n",
		thousands(float64(f.workers)), ideal/60)
	for _, how := range ways {
		if how.share <= 0 {
			how.share = (w.items + f.workers*max(-how.share, 1) - 1) / (f.workers * max(-how.share, 1))
		}
		o := simulate(f, w, how, seed)
		fmt.Fprintf(&b, "| %s | %.1f min | %.2f | %s | %s | %s |\n", how.name, o.wall/60, o.wall/ideal, thousands(o.paid/3600), thousands(float64(o.redone)), thousands(float64(o.deaths)))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func millions(v float64) string { return thousands(v/1e6) + " million" }

// thousands is a number with its digits in groups.
func thousands(v float64) string {
	text := strconv.FormatFloat(v, 'f', 0, 64)
	if v < 10 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
