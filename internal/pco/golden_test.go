package pco

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"github.com/omnizarr/zarr/internal/thorough"
	"os"
	"strings"
	"testing"
)

// vector is a file that the reference implementation made.
type vector struct {
	version, what string
	t             Type
	n             int
	sum           string // SHA-256 of the numbers
	file          []byte
}

func (v vector) String() string { return fmt.Sprintf("%s %v %s %d", v.version, v.t, v.what, v.n) }

func golden(t testing.TB) []vector {
	t.Helper()
	f, err := os.Open("testdata/golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []vector
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var v vector
		var name, data string
		if _, err := fmt.Sscanf(lines.Text(), "%s %s %q %d %s %s", &v.version, &name, &v.what, &v.n, &v.sum, &data); err != nil {
			t.Fatal(err)
		}
		if v.file, err = base64.StdEncoding.DecodeString(data); err != nil {
			t.Fatal(err)
		}
		v.t = typeOf(t, name)
		out = append(out, v)
	}
	if lines.Err() != nil || len(out) == 0 {
		t.Fatal("no vectors", lines.Err())
	}
	return out
}

func typeOf(t testing.TB, name string) Type {
	for i := range types {
		if types[i].name == name {
			return Type(i)
		}
	}
	t.Fatalf("no type %q", name)
	return 0
}

func (v vector) decode() ([]byte, int, error) {
	dst := make([]byte, v.n*v.t.Size())
	n, err := Decode(dst, v.file, v.t)
	return dst, n, err
}

func TestFilesOfTheReferenceImplementation(t *testing.T) {
	for _, v := range golden(t) {
		got, n, err := v.decode()
		sum := sha256.Sum256(got)
		if err != nil || n != len(v.file) || hex.EncodeToString(sum[:]) != v.sum {
			t.Errorf("%v: %d of %d bytes, %v", v, n, len(v.file), err)
		}
	}
}

// The first two versions had no number of the standalone form, nor a number of
// numbers: the version of the format followed the magic word.
func TestOldHeaders(t *testing.T) {
	for _, v := range golden(t) {
		if v.version != "0.1.1" || v.what == "int mult" {
			continue
		}
		want, _, err := v.decode()
		if err != nil {
			t.Fatal(err)
		}
		// Behind magic word, version and number of numbers comes a 1.
		hint := 1 + (6+int(v.file[5]&63)+1+7)/8
		chunks := v.file[5+hint:]
		for _, version := range []byte{0, 1} {
			v.file = append(append([]byte(magic), version), chunks...)
			if got, _, err := v.decode(); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v as version %d: %v", v, version, err)
			}
		}
	}
}

func TestEveryPrefixIsAnError(t *testing.T) {
	for _, v := range golden(t) {
		step := thorough.Step(12) * max(1, len(v.file)/200)
		whole := v.file
		for n := 0; n < len(whole); n += step {
			v.file = whole[:n:n]
			if _, _, err := v.decode(); err == nil {
				t.Errorf("%v: %d of %d bytes were taken for the whole", v, n, len(whole))
				break
			}
		}
	}
}

func TestOtherNumbersThanWanted(t *testing.T) {
	v := golden(t)[0]
	for _, c := range []struct {
		n    int
		t    Type
		want string
	}{
		{v.n + 1, v.t, fmt.Sprintf("holds %d numbers, want %d", v.n, v.n+1)},
		{v.n - 1, v.t, fmt.Sprintf("holds at least %d numbers, want %d", v.n, v.n-1)},
		{0, v.t, fmt.Sprintf("holds at least %d numbers, want 0", v.n)},
		{v.n, F32, "holds numbers of u32, want f32"},
	} {
		_, err := Decode(make([]byte, c.n*c.t.Size()), v.file, c.t)
		if err == nil || err.Error() != c.want {
			t.Errorf("%d of %v: %v, want %s", c.n, c.t, err, c.want)
		}
	}
	if _, err := Decode(make([]byte, 5), v.file, v.t); err == nil {
		t.Error("five bytes were filled with numbers of four")
	}
}
