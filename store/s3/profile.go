package s3

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// files are the profiles of ~/.aws/config and ~/.aws/credentials.
type files struct {
	sections    map[string]map[string]string
	config, key string // their paths
}

// readFiles reads both; either may be missing.
func readFiles() (files, error) {
	home, _ := os.UserHomeDir()
	f := files{
		sections: make(map[string]map[string]string),
		config:   cmp.Or(os.Getenv("AWS_CONFIG_FILE"), filepath.Join(home, ".aws", "config")),
		key:      cmp.Or(os.Getenv("AWS_SHARED_CREDENTIALS_FILE"), filepath.Join(home, ".aws", "credentials")),
	}
	if err := f.read(f.config, true); err != nil {
		return files{}, err
	}
	return f, f.read(f.key, false)
}

// read adds what a file says. In a config file all sections but that of the profile
// "default" are called "profile NAME".
func (f *files) read(path string, config bool) error {
	file, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	defer file.Close()
	var in map[string]string
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if name, ok := strings.CutPrefix(line, "["); ok {
			name, _, ok = strings.Cut(name, "]")
			if !ok {
				return fmt.Errorf("%s: line %d: a section without its end", path, n)
			}
			name = strings.Join(strings.Fields(name), " ")
			in = nil
			if of, ok := strings.CutPrefix(name, "profile "); ok && config {
				name = strings.Trim(of, `"`)
			} else if config && name != "default" {
				continue // of services, or of sign-ons
			}
			if in = f.sections[name]; in == nil {
				in = make(map[string]string)
				f.sections[name] = in
			}
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok || in == nil || lines.Text()[0] == ' ' || lines.Text()[0] == '\t' { // a part of something nested
			continue
		}
		value = strings.TrimSpace(value)
		if at := strings.Index(value, " #"); at >= 0 {
			value = strings.TrimSpace(value[:at])
		}
		in[strings.ToLower(strings.TrimSpace(name))] = value
	}
	return lines.Err()
}

// section is what a profile says, nil if there is none.
func (f *files) section(name string) map[string]string { return f.sections[name] }

func (f *files) missing(profile string) error {
	return fmt.Errorf("no profile %q in %s nor in %s", profile, f.config, f.key)
}
