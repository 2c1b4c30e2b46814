//go:build unix

package cloudtest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestKilled kills a process that has started a server.
func TestKilled(t *testing.T) {
	const role = "CLOUDTEST_KILLED"
	if os.Getenv(role) != "" {
		c := S3(t)
		fmt.Println("runs", c.Server(), s3.dir)
		select {} // until it is killed
	}
	if os.Getenv(Variable) == "" {
		t.Skipf("object stores: %s is not set (interop/install clouds)", Variable)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), role+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var url, dir string
	for lines := bufio.NewScanner(out); url == "" && lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "runs "); ok {
			url, dir, _ = strings.Cut(rest, " ")
		}
	}
	if err := answers(url + "/health"); err != nil { // which asks again: on a busy machine the server was seen to drop a connection
		t.Error(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, said) // until the keeper has ended too
	_ = cmd.Wait()
	if resp, err := client.Get(url + "/health"); err == nil {
		resp.Body.Close()
		t.Error("the server still answers")
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", dir, err)
	}
}
