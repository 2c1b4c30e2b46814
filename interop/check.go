package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// expectation says what a reader cannot read, and why.
type expectation struct {
	Cases  []string `json:"cases"`  // names, * stands for anything
	Error  string   `json:"error"`  // what its message contains
	Reason string   `json:"reason"` // in our words

	pattern *regexp.Regexp
	seen    int
}

func (x *expectation) compile() error {
	var alternatives []string
	for _, c := range x.Cases {
		alternatives = append(alternatives, strings.ReplaceAll(regexp.QuoteMeta(c), `\*`, ".*"))
	}
	if len(alternatives) == 0 || x.Error == "" || x.Reason == "" {
		return errors.New("an expectation needs cases, error and reason")
	}
	var err error
	x.pattern, err = regexp.Compile("^(" + strings.Join(alternatives, "|") + ")$")
	return err
}

// check compares results files with the expectations and prints what every
// reader read. A results file READER.WHAT.jsonl has the expectations
// [READER][WHAT].
func check(expected string, files []string) error {
	text, err := os.ReadFile(expected)
	if err != nil {
		return err
	}
	var all map[string]map[string][]*expectation
	if err := json.Unmarshal(text, &all); err != nil {
		return fmt.Errorf("%s: %w", expected, err)
	}
	for _, tests := range all {
		for _, list := range tests {
			for _, x := range list {
				if err := x.compile(); err != nil {
					return fmt.Errorf("%s: %w", expected, err)
				}
			}
		}
	}
	var problems []string
	totals := map[string]int{} // by what is read: all readers have the same cases
	fmt.Printf("%-14s %-30s %7s %7s %7s %11s\n", "reader", "of", "arrays", "equal", "cannot", "unexpected")
	for _, path := range files {
		reader, what, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".jsonl"), ".")
		total, found, err := checkFile(path, reader, what, all[reader][what])
		if err != nil {
			return err
		}
		problems = append(problems, found...)
		if n, ok := totals[what]; total == 0 || ok && n != total {
			problems = append(problems, fmt.Sprintf("%s of %s: %d results, where there are %d cases", reader, what, total, n))
		}
		totals[what] = total
		delete(all[reader], what)
	}
	for reader, tests := range all {
		for what := range tests {
			problems = append(problems, fmt.Sprintf("%s of %s: expected, but there are no results", reader, what))
		}
	}
	if len(problems) > 0 {
		fmt.Println("\nunexpected:")
		for _, p := range problems {
			fmt.Println("  " + p)
		}
		return fmt.Errorf("%d results are not as expected", len(problems))
	}
	return nil
}

// checkFile prints the line of one results file, and below it what the reader
// cannot read and why.
func checkFile(path, reader, what string, expected []*expectation) (total int, problems []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, nil, err
	}
	defer f.Close()
	equal, cannot := 0, 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var r result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return 0, nil, fmt.Errorf("%s: %w", path, err)
		}
		total++
		problem := judge(r, expected)
		switch {
		case problem != "":
			problems = append(problems, fmt.Sprintf("%s of %s: %s: %s", reader, what, r.Case, problem))
		case r.Error == "":
			equal++
		default:
			cannot++
		}
	}
	fmt.Printf("%-14s %-30s %7d %7d %7d %11d\n", reader, what, total, equal, cannot, len(problems))
	for _, x := range expected {
		fmt.Printf("    cannot read %d: %s\n", x.seen, x.Reason)
		if x.seen == 0 {
			problems = append(problems, fmt.Sprintf("%s of %s: no case for the expectation %q", reader, what, x.Cases))
		}
	}
	return total, problems, lines.Err()
}

// judge says what is unexpected about a result. The first expectation whose
// pattern fits counts.
func judge(r result, expected []*expectation) string {
	for _, x := range expected {
		if !x.pattern.MatchString(r.Case) {
			continue
		}
		switch {
		case r.Error == "":
			return "reads, although it is listed as: " + x.Reason
		case !strings.Contains(r.Error, x.Error):
			return fmt.Sprintf("fails in another way than %q: %s", x.Error, oneLine(r.Error))
		}
		x.seen++
		return ""
	}
	if r.Error != "" {
		return oneLine(r.Error)
	}
	return ""
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 300 {
		s = s[:300] + "…"
	}
	return s
}
