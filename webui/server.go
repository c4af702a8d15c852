package webui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mingle/dataset/rows"
	"mingle/internal/disk"
	"mingle/internal/memory"
	"mingle/pipeline"
	"mingle/report"
)

// Options say what the page needs of the program that it is a part of.
type Options struct {
	// Plan makes a job of the arguments of a command, such as anonymize km FILE -k 5, as the
	// program itself reads them; nothing is run. Required.
	Plan func(ctx context.Context, args []string) (pipeline.Job, error)
	// ReleaseFile is the file that makes the same release as the arguments of a command. It has
	// what a human says, and no seed. nil: not offered.
	ReleaseFile func(ctx context.Context, args []string, said report.Statements) ([]byte, error)
	// PDF prints a report; nil: nothing here can.
	PDF func(ctx context.Context, o *report.Outcome, w io.Writer) error
	// Statements writes the statements of a report as a file; nil: not offered.
	Statements func(o *report.Outcome, w io.Writer) error

	// Databases opens databases; nil: there are none.
	Databases rows.Opener

	// a file, or a database, of which Table or Query says what is read, opened at once; "": none
	File      string
	Table     string
	Query     string
	Port      int   // 0: the system chooses
	MaxUpload int64 // bytes of one file; 0: DefaultUpload
	// Memory bounds what a run holds, and beside it what is open, in bytes; 0: memory.Default
	Memory int64
	// Overrun ends the program when more than twice that is held, and what was refused goes on.
	// empty removes what is in the private directory. nil: the program goes on.
	Overrun func(why *memory.Exceeded, empty func() error)
}

// DefaultUpload is the largest file that is taken, in bytes, unless more is allowed.
const DefaultUpload = 2 << 30

// Server is the page.
type Server struct {
	Options
	guard    *guard
	listener net.Listener
	files    *room
	pages    *pages
	queue    *queue
	memory   *memory.Shared

	mu       sync.Mutex
	projects []*project // in the order in which they were opened
	ctx      context.Context
	stop     context.CancelFunc
	work     sync.WaitGroup // what runs in the background
}

// New begins to listen, on this machine alone, and makes the private directory.
func New(o Options) (*Server, error) {
	if o.MaxUpload == 0 {
		o.MaxUpload = DefaultUpload
	}
	if o.Memory == 0 {
		o.Memory = memory.Default
	}
	listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", o.Port))
	if err != nil {
		return nil, fmt.Errorf("the page needs a port of this machine: %w", err)
	}
	files, err := newRoom(os.TempDir())
	if err != nil {
		return nil, errors.Join(disk.NoTemporary(err), listener.Close())
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	s := &Server{
		Options: o, guard: newGuard(port), listener: listener, files: files,
		pages: newPages(files.dir),
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.queue, s.memory = newQueue(s), memory.NewShared(s.Memory, s.overrun)
	if err == nil && o.File != "" {
		_, err = s.openPath(o)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Address is where the page is, with the token that opens it once.
func (s *Server) Address() string {
	return "http://" + s.guard.hosts[0] + "/#" + s.guard.token
}

// Serve serves until ctx ends, and takes everything away that it made.
func (s *Server) Serve(ctx context.Context) error {
	server := &http.Server{
		Handler:     s.guard.around(s.routes()),
		ReadTimeout: s.guard.patience, WriteTimeout: s.guard.patience,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return s.ctx },
	}
	defer context.AfterFunc(ctx, func() {
		s.stop()
		server.Close()
	})()
	err := server.Serve(s.listener)
	if ctx.Err() != nil || errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, s.Close())
}

// Close ends all work and removes the private directory.
func (s *Server) Close() error {
	s.stop()
	s.listener.Close()  // it may be closed
	vacate(s.files.dir) // also where something does not end in time
	s.work.Wait()
	return s.files.remove()
}

// background runs f until it ends; the server waits for it at its end. ended is told what f ended
// with: a fault of the program is an error, too, and the server goes on.
func (s *Server) background(f func(ctx context.Context) error, ended func(error)) {
	s.work.Go(func() { ended(guarded(func() error { return f(s.ctx) })) })
}

// project finds an open data set; nil: there is none.
func (s *Server) project(id string) *project {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.projects {
		if p.id == id {
			return p
		}
	}
	return nil
}

func (s *Server) all() []*project {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*project(nil), s.projects...)
}

func (s *Server) add(p *project) {
	s.list(p)
	p.read()
}

func (s *Server) list(p *project) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.projects = append(s.projects, p)
}

func (s *Server) unlist(p *project) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.projects = slices.DeleteFunc(s.projects, func(q *project) bool { return p == q })
}

func (s *Server) forget(p *project) error {
	s.unlist(p)
	p.close()
	vacate(p.dir) // what a run that is ending still writes goes with the room
	return nil
}

// openPath opens a file of this computer where it lies, or a database.
func (s *Server) openPath(o Options) (*project, error) {
	path := o.File
	if rows.Is(path) {
		return s.openRows(path, o.Table, o.Query)
	}
	if o.Table+o.Query != "" {
		return nil, fmt.Errorf("%s is no database: leave --table and --query out", path)
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: there is no such file", path)
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	dir, err := s.files.directory()
	if err != nil {
		return nil, err
	}
	p := newProject(s, dir, path, guess(path))
	s.add(p)
	return p, nil
}

// safeName is the name of an uploaded file as it is kept: its last part alone, nothing that a file
// system could take for anything else.
func safeName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || strings.ContainsRune(`:*?"|`, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	for len(name) > 120 {
		runes := []rune(name)
		name = string(runes[1:]) // the extension stays
	}
	if strings.Trim(name, ". ") == "" {
		return "file"
	}
	if strings.HasPrefix(name, "-") || strings.HasPrefix(name, ".") {
		name = "file" + strings.TrimLeft(name, "-")
	}
	return name
}
