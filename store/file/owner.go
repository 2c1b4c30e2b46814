package file

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"

	"github.com/omnizarr/zarr/store"
)

// The digits in the name of a temporary file say who writes it: five of the machine, six of
// the process, and five that tell the files of a process apart.
const (
	machineDigits = 5
	processDigits = 6
)

// self are the digits of this process, "" where nobody could tell whether it lives.
var self = sync.OnceValue(func() string {
	machine, pid := machineName(), os.Getpid()
	if machine == "" || pid >= 1<<(4*processDigits) {
		return ""
	}
	h := fnv.New64a()
	h.Write([]byte(machine))
	return fmt.Sprintf("%05x%06x", h.Sum64()>>(64-4*machineDigits), pid)
})

// tempName is a name for a temporary file of this process, most likely a new one.
func tempName() string {
	digits := fmt.Sprintf("%016x", rand.Uint64())
	return tempPrefix + self() + digits[len(self()):] + tempSuffix
}

// ownerOf says whether who made the temporary file of a name is still there. Of other
// machines, and of names that only look so, nothing is known.
func ownerOf(name string) store.Owner {
	me := self()
	digits := name[len(tempPrefix):]
	if me == "" || digits[:machineDigits] != me[:machineDigits] {
		return store.OwnerUnknown
	}
	pid, err := strconv.ParseUint(digits[machineDigits:machineDigits+processDigits], 16, 32)
	if err != nil || pid == 0 {
		return store.OwnerUnknown
	}
	alive := isAlive(int(pid))
	if int(pid) == os.Getpid() { // where a write may have ended and left the file all the same
		alive = isWriting(name)
	}
	if alive {
		return store.OwnerAlive
	}
	return store.OwnerGone
}

// writing counts the temporary files that this process is writing, by name.
var writing = struct {
	sync.Mutex
	files map[string]int
}{files: map[string]int{}}

// begin notes that a temporary file is being written, until end is called.
func begin(name string) {
	writing.Lock()
	defer writing.Unlock()
	writing.files[name]++
}

func end(name string) {
	writing.Lock()
	defer writing.Unlock()
	if writing.files[name]--; writing.files[name] <= 0 {
		delete(writing.files, name)
	}
}

func isWriting(name string) bool {
	writing.Lock()
	defer writing.Unlock()
	return writing.files[name] > 0
}
