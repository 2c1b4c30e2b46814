package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// The page shows what the program prints.
func TestPage(t *testing.T) {
	var b bytes.Buffer
	if err := report(&b, machines, petabyte, 1); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	for table := range strings.SplitSeq(strings.TrimSpace(b.String()), "\n\n") {
		if !strings.Contains(string(page), table) {
			t.Errorf("docs/scale.md lacks this table, which 'go run ./scale' in bench/ prints:\n%s", table)
		}
	}
}

// Where all machines are good and immortal and all items alike, the time is known.
func TestIdeal(t *testing.T) {
	f := fleet{workers: 10, lifetime: 1e30}
	for _, how := range []way{{share: 1}, {share: 10}, {share: 1, twice: true}} {
		o := simulate(f, work{items: 100, mean: 2}, how, 1)
		if o.wall != 20 || o.paid != 200 || o.redone != 0 || o.deaths != 0 {
			t.Errorf("%+v: got %+v, want 20 s and 200 s paid", how, o)
		}
	}
}

// One worker that hangs holds up its share, and nobody else's.
func TestHangingWorkers(t *testing.T) {
	f := fleet{workers: 1000, hanging: 0.01, hangingSpeed: 1.0 / 20, lifetime: 1e30}
	w := work{items: 100_000, mean: 1}
	share := simulate(f, w, way{share: 100}, 1)
	if share.wall != 2000 {
		t.Errorf("shares take %v s, want 20 times the ideal of 100 s", share.wall)
	}
	single := simulate(f, w, way{share: 1}, 1)
	if single.wall < 100 || single.wall > 125 {
		t.Errorf("single items take %v s, want the ideal of 100 s and one item that hangs", single.wall)
	}
	if again := simulate(f, w, way{share: 1, twice: true}, 1); again.wall >= single.wall || again.redone == 0 {
		t.Errorf("with the last items done twice it takes %v s and %d items are done again, without %v s", again.wall, again.redone, single.wall)
	}
}

// Workers die, and all items are done nevertheless, some of them again.
func TestDeaths(t *testing.T) {
	f := fleet{workers: 100, lifetime: 50, replaced: 5}
	o := simulate(f, work{items: 10_000, mean: 1}, way{share: 100}, 1)
	if o.deaths < 100 || o.redone != o.deaths || o.wall < 110 {
		t.Errorf("got %+v", o)
	}
	if simulate(f, work{items: 10_000, mean: 1}, way{share: 100}, 1) != o {
		t.Error("the same seed gives another result")
	}
}

func TestNeed(t *testing.T) {
	n := conversion{bytes: 1 << 30, ratio: 2, read: 1 << 20, shard: 64 << 20, levels: 0.25, part: 16 << 20, coreSecond: 1 << 20}.need()
	// 16 shards and 4 of the levels, each 32 MiB stored: two parts, and the begin and end of an upload.
	if n.gets != 1024 || n.puts != 80 || n.items != 16 || n.itemSeconds != 64 || n.in != 1<<29 || n.out != 1.25*(1<<29) {
		t.Errorf("got %+v", n)
	}
}
