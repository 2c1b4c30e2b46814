package serve

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// buckets are the bounds of the latency histogram, in seconds.
var buckets = [...]float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}

// metrics count what a server does, and tell it as Prometheus reads it.
type metrics struct {
	inFlight atomic.Int64

	mu     sync.Mutex
	routes map[string]*routeMetrics
}

// routeMetrics are of one kind of address.
type routeMetrics struct {
	status  map[int]int64
	bytes   int64
	count   int64
	seconds float64
	within  [len(buckets)]int64 // not summed up yet
}

// done counts an answer.
func (m *metrics) done(route string, status int, bytes int64, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.routes == nil {
		m.routes = map[string]*routeMetrics{}
	}
	r := m.routes[route]
	if r == nil {
		r = &routeMetrics{status: map[int]int64{}}
		m.routes[route] = r
	}
	seconds := took.Seconds()
	r.status[status]++
	r.bytes += bytes
	r.count++
	r.seconds += seconds
	if at, _ := slices.BinarySearch(buckets[:], seconds); at < len(buckets) {
		r.within[at]++
	}
}

// sample is one line: labels and a value.
type sample struct {
	labels string
	value  any
}

// family is a metric with its help.
type family struct {
	name, kind, help string
	samples          []sample
}

// families are all that is counted of requests.
func (m *metrics) families() []family {
	m.mu.Lock()
	defer m.mu.Unlock()
	requests := family{"omnizarr_http_requests_total", "counter", "Requests by route and status.", nil}
	bytes := family{"omnizarr_http_response_bytes_total", "counter", "Bytes of answers by route.", nil}
	latency := family{"omnizarr_http_request_duration_seconds", "histogram", "How long requests took by route.", nil}
	for _, name := range slices.Sorted(maps.Keys(m.routes)) {
		r := m.routes[name]
		for _, status := range slices.Sorted(maps.Keys(r.status)) {
			requests.samples = append(requests.samples, sample{fmt.Sprintf(`{route=%q,status="%d"}`, name, status), r.status[status]})
		}
		bytes.samples = append(bytes.samples, sample{fmt.Sprintf(`{route=%q}`, name), r.bytes})
		var sum int64
		for i, bound := range buckets {
			sum += r.within[i]
			latency.samples = append(latency.samples, sample{fmt.Sprintf(`_bucket{route=%q,le="%g"}`, name, bound), sum})
		}
		latency.samples = append(latency.samples,
			sample{fmt.Sprintf(`_bucket{route=%q,le="+Inf"}`, name), r.count},
			sample{fmt.Sprintf(`_sum{route=%q}`, name), r.seconds},
			sample{fmt.Sprintf(`_count{route=%q}`, name), r.count})
	}
	return []family{requests, bytes, latency, {"omnizarr_http_requests_in_flight", "gauge", "Requests under way.", []sample{{"", m.inFlight.Load()}}}}
}

// exposition is families in the text form of Prometheus.
func exposition(all []family) string {
	var out strings.Builder
	for _, f := range slices.SortedFunc(slices.Values(all), func(a, b family) int { return cmp.Compare(a.name, b.name) }) {
		fmt.Fprintf(&out, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
		for _, s := range f.samples {
			fmt.Fprintf(&out, "%s%s %v\n", f.name, s.labels, s.value)
		}
	}
	return out.String()
}

// sendMetrics answers /metrics.
func (s *Server) sendMetrics(w http.ResponseWriter, r *http.Request) {
	kept := s.cache.Stats()
	all := append(s.count.families(),
		family{"omnizarr_work_in_flight", "gauge", "Pieces of work under way, such as chunks being made.", []sample{{"", s.work.inside()}}},
		family{"omnizarr_cache_requests_total", "counter", "Made values, such as recoded chunks and tiles, by where they came from.", []sample{
			{`{from="memory"}`, kept.Hits}, {`{from="disk"}`, kept.DiskHits}, {`{from="another request"}`, kept.Shared}, {`{from="made"}`, kept.Made}, {`{from="failed"}`, kept.Failed}}},
		family{"omnizarr_cache_evicted_total", "counter", "Made values that left memory for others.", []sample{{"", kept.Evicted}}},
		family{"omnizarr_cache_bytes", "gauge", "Bytes of made values that are kept.", []sample{{`{in="memory"}`, kept.Bytes}, {`{in="disk"}`, kept.DiskBytes}}},
		family{"omnizarr_cache_entries", "gauge", "Made values that are kept.", []sample{{`{in="memory"}`, kept.Entries}, {`{in="disk"}`, kept.DiskEntries}}})
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	s.sendText(w, r, exposition(all))
}
