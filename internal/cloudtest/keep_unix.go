//go:build unix

package cloudtest

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// keeper is a shell that runs a server until its standard input ends, which happens when
// this process does, killed or not, and then removes what the server stored.
type keeper struct {
	cmd   *exec.Cmd
	input io.Closer
	dir   string
}

const keeping = `
dir=$1
shift
"$@" >"$dir/log" 2>&1 </dev/null &
read -r _
kill -9 $!
wait
rm -rf "$dir"
`

// keep runs a command for as long as this process. Its data are in a folder below dir.
func keep(dir string, command, env []string) (*keeper, error) {
	k := &keeper{cmd: exec.Command("sh", append([]string{"-c", keeping, "sh", dir}, command...)...), dir: dir}
	k.cmd.Env = append(os.Environ(), env...)
	k.cmd.Stderr = os.Stderr                                // which ends when nothing is left
	k.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what interrupts the tests is not for it
	var err error
	if k.input, err = k.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return k, k.cmd.Start()
}

// end stops the server and waits until nothing is left of it.
func (k *keeper) end() {
	k.input.Close()
	_ = k.cmd.Wait()
}

// said is what the server wrote.
func (k *keeper) said() string {
	b, _ := os.ReadFile(filepath.Join(k.dir, "log"))
	return string(b)
}
