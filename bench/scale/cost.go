package main

// conversion is what is converted to what: arrays of chunks to arrays of shards, with the
// levels of a pyramid.
type conversion struct {
	bytes      float64 // of all elements
	ratio      float64 // elements by stored bytes, before and behind
	read       float64 // bytes of elements per request that reads
	shard      float64 // bytes of elements in a shard
	levels     float64 // bytes of the levels above the first, by those of the first
	part       float64 // stored bytes per request of an upload in parts
	coreSecond float64 // bytes of elements that a core converts in a second
}

// need is what a conversion takes.
type need struct {
	gets, puts  float64
	in, out     float64 // bytes
	coreHours   float64
	items       int
	itemSeconds float64
}

func (c conversion) need() need {
	shards := c.bytes / c.shard * (1 + c.levels)
	stored := c.shard / c.ratio
	puts := 1.0
	if stored > c.part {
		puts = stored/c.part + 2 // begin and end
	}
	n := need{
		gets: c.bytes / c.read, puts: shards * puts,
		in: c.bytes / c.ratio, out: c.bytes / c.ratio * (1 + c.levels),
		coreHours: c.bytes / c.coreSecond / 3600,
		items:     int(c.bytes / c.shard), itemSeconds: c.shard / c.coreSecond,
	}
	return n
}

// prices are those of a provider, in dollars.
type prices struct {
	name     string
	get, put float64 // per request
	month    float64 // per byte that is stored for a month
	core     float64 // per core and hour
}

func (p prices) requests(n need) float64 { return n.gets*p.get + n.puts*p.put }
