package webui

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// news tells open pages that something changed: they then fetch what is shown again.
type news struct {
	mu      sync.Mutex
	version int
	changed chan struct{} // closed at the next change
	last    time.Time
}

func newNews() *news { return &news{changed: make(chan struct{})} }

// tell says that something changed.
func (n *news) tell() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.version++
	close(n.changed)
	n.changed, n.last = make(chan struct{}), time.Now()
}

// often is tell for what changes all the time: some times a second.
func (n *news) often() {
	if !n.toldSince(300 * time.Millisecond) {
		n.tell()
	}
}

func (n *news) toldSince(d time.Duration) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return time.Since(n.last) < d
}

func (n *news) state() (int, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.version, n.changed
}

// ServeHTTP is the stream of events: one at once, and one at each change.
func (n *news) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	alive := time.NewTicker(15 * time.Second)
	defer alive.Stop()
	for seen := -1; ; {
		version, changed := n.state()
		if version != seen {
			seen = version
			if _, err := fmt.Fprintf(w, "id: %d\nevent: changed\ndata: %d\n\n", version,
				version); err != nil || out.Flush() != nil {
				return
			}
		}
		select {
		case <-changed:
		case <-alive.C:
			if _, err := fmt.Fprint(w, ": alive\n\n"); err != nil || out.Flush() != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}
