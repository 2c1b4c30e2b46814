package main

import (
	"os"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/kind/std"
)

// Bytes never go to a terminal: /dev/tty is not there in tests, and /dev/null is a
// character device as well.
func TestNoBytesToATerminal(t *testing.T) {
	device, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	t.Setenv("TERM", "xterm")
	if !isTerminal(device) {
		t.Skip("no character device")
	}
	codecs := []string{"--codecs", `[{"name": "bytes"}]`, "--data-type", "uint8", "--shape", "[1]"}
	for _, args := range [][]string{{"cat", "--as", "raw", "x"}, {"cat", "--as", "npy", "x"},
		append([]string{"codec", "encode"}, codecs...), append([]string{"codec", "decode"}, codecs...)} {
		var words strings.Builder
		code := run(std.Kinds(), args, strings.NewReader("x"), device, &words)
		if code == exitOK || !strings.Contains(words.String(), "bytes are not for a terminal") {
			t.Errorf("%v: %d, %s", args, code, words.String())
		}
	}
}
