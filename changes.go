package zarr

import (
	"strings"
	"sync"
)

// changes are the nodes whose documents were written or removed by those who were
// opened together: consolidated metadata, which was read before, does not know of
// them.
type changes struct {
	mu    sync.Mutex
	paths map[string]bool // true: with all that lies below
}

func (c *changes) wrote(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paths == nil {
		c.paths = map[string]bool{}
	}
	if _, known := c.paths[path]; !known { // removed before, it stays that
		c.paths[path] = false
	}
}

func (c *changes) removed(path string) {
	c.wrote(path)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paths[path] = true
}

// at reports whether the document of a node was changed.
func (c *changes) at(path string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, is := c.paths[path]
	return is || c.above(path)
}

// above reports whether the node or one above it was removed.
func (c *changes) above(path string) bool {
	for end := len(path); end >= 0 && len(c.paths) > 0; end = strings.LastIndexByte(path[:end], '/') {
		if c.paths[path[:end]] {
			return true
		}
	}
	return c.paths[""]
}

// below reports whether a node in a group was changed.
func (c *changes) below(prefix string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for path := range c.paths {
		if path != "" && strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return c.above(strings.TrimSuffix(prefix, "/"))
}

// known forgets the changes in a group, whose consolidated metadata has them now.
func (c *changes) known(prefix string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for path := range c.paths {
		if strings.HasPrefix(path+"/", prefix) {
			delete(c.paths, path)
		}
	}
}
