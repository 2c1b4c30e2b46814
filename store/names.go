package store

import "context"

type namesKey struct{}

// NamesOnly gives a context in which listings need not tell sizes and tags, nor keep to
// an order: a store that would have to ask for them value by value leaves them out.
func NamesOnly(ctx context.Context) context.Context { return context.WithValue(ctx, namesKey{}, true) }

// IsNamesOnly reports whether ctx is of NamesOnly.
func IsNamesOnly(ctx context.Context) bool { return ctx.Value(namesKey{}) != nil }
