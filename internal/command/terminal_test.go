package command

import (
	"os"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/kind/std"
)

// Bytes never go to a terminal: /dev/tty is not there in tests, so one is made.
func TestNoBytesToATerminal(t *testing.T) {
	device, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminals here")
	}
	defer device.Close()
	t.Setenv("TERM", "xterm")
	codecs := []string{"--codecs", `[{"name": "bytes"}]`, "--data-type", "uint8", "--shape", "[1]"}
	for _, args := range [][]string{{"cat", "--as", "raw", "x"}, {"cat", "--as", "npy", "x"},
		append([]string{"codec", "encode"}, codecs...), append([]string{"codec", "decode"}, codecs...)} {
		var words strings.Builder
		code := Run(std.Kinds(), args, strings.NewReader("x"), device, &words)
		if code == exitOK || !strings.Contains(words.String(), "bytes are not for a terminal") {
			t.Errorf("%v: %d, %s", args, code, words.String())
		}
	}
}

// People time reading by writing to the device that takes everything: it is no
// terminal, though it is a character device as well.
func TestBytesToNowhere(t *testing.T) {
	device, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	t.Setenv("TERM", "xterm")
	var words strings.Builder
	args := []string{"codec", "encode", "--codecs", `[{"name": "bytes"}]`, "--data-type", "uint8", "--shape", "[1]"}
	if code := Run(std.Kinds(), args, strings.NewReader("x"), device, &words); code != exitOK {
		t.Errorf("%d, %s", code, words.String())
	}
}
