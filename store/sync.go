package store

import "context"

// Syncer is a store whose values survive a loss of power only once they are flushed;
// use Sync.
type Syncer interface {
	// Sync returns when what was put at keys, or that it was deleted, would survive.
	Sync(ctx context.Context, keys []string) error
}

// Sync makes values that were put, or that were deleted, survive a loss of power.
// Stores that are no Syncer take a value only when it is safe, or have no way to
// make it so.
func Sync(ctx context.Context, s Writer, keys []string) error {
	if y, ok := As[Syncer](s); ok && len(keys) > 0 {
		return y.Sync(ctx, keys)
	}
	return nil
}

// Sync forwards.
func (b *sub) Sync(ctx context.Context, keys []string) error {
	inner := make([]string, len(keys))
	for i, key := range keys {
		var err error
		if inner[i], err = b.inner("sync", key); err != nil {
			return err
		}
	}
	return Sync(ctx, b.s, inner)
}
