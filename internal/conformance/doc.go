// Package conformance holds the tests of the whole engine: arrays against plain
// models, stores of other implementations, broken ones, the page of features, and what
// packages make of zero values.
package conformance
