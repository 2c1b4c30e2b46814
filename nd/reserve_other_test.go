//go:build !unix

package nd_test

import "testing"

func reserve(_ *testing.T, n int) []byte { return make([]byte, n) }
