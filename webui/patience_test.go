package webui

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// sends writes the pieces of a request to a server, with a pause between them, and reads the answer
// up to its end, or up to a text.
func sends(t *testing.T, to string, pause time.Duration, until string, pieces ...string) string {
	t.Helper()
	c, err := net.Dial("tcp", to)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i, piece := range pieces {
		if i > 0 {
			time.Sleep(pause)
		}
		io.WriteString(c, piece) // the answer tells whether it was heard
	}
	c.SetReadDeadline(time.Now().Add(time.Minute))
	var text strings.Builder
	for in := bufio.NewReader(c); until == "" || !strings.Contains(text.String(), until); {
		line, err := in.ReadString('\n')
		text.WriteString(line)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("after %q: %v", text.String(), err)
		}
	}
	return text.String()
}

// Who has no key does not hold a connection by a request that never ends, wherever it leads. Who
// has it may take any time: to send a file, and to hear what changes.
func TestPatience(t *testing.T) {
	s := newServing(t, Options{}).enter()
	s.guard.patience = 300 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	host := s.guard.hosts[0]
	for _, path := range []string{"/enter", "/", "/nosuch", s.guard.base + "open"} {
		sends(t, host, 0, "", "POST "+path+" HTTP/1.1\r\nHost: "+host+"\r\n"+
			"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nt")
	}
	key := fmt.Sprintf("Host: %s\r\nCookie: %s=%s\r\n", host, s.cookie.Name, s.cookie.Value)
	body := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.dat\"\r\n\r\n" +
		"1 2\n1 2\n\r\n--b--\r\n"
	answer := sends(t, host, 3*s.guard.patience, "\r\n",
		fmt.Sprintf("POST %sopen HTTP/1.1\r\n%sContent-Type: multipart/form-data; boundary=b\r\n"+
			"Content-Length: %d\r\n\r\n", s.guard.base, key, len(body)), body[:60], body[60:])
	if all := s.all(); !strings.Contains(answer, fmt.Sprint(http.StatusSeeOther)) || len(all) != 1 {
		t.Fatalf("a slow upload: %s", answer)
	}
	p := s.all()[0]
	s.work.Wait()
	changed := make(chan struct{})
	go func() {
		defer close(changed)
		time.Sleep(3 * s.guard.patience)
		p.change(func() { p.name = "b.dat" })
	}()
	version, _ := p.news.state()
	last := fmt.Sprintf("id: %d\n", version+1)
	heard := sends(t, host, 0, last,
		"GET "+s.guard.base+"p/"+p.id+"/events HTTP/1.1\r\n"+key+"\r\n")
	if !strings.Contains(heard, last) {
		t.Errorf("events end: %s", heard)
	}
	<-changed
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
