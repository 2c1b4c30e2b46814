// Package conformance holds the tests of the whole engine: arrays against plain
// models, stores of other implementations, broken ones, and the page of features.
package conformance
