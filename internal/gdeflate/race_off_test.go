//go:build !race

package gdeflate_test

const race = false
