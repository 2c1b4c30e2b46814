// Package conformance holds the tests of the whole engine: arrays against plain
// models, stores of other implementations, broken ones, and the page of features.
// Files named clouds_*_test.go test object stores as a whole: every format from every one
// of them, and all that can go wrong between them and the engine. What needs their servers
// is skipped where there are none (package cloudtest); what can be tested with a small S3
// in memory is tested everywhere.
package conformance
