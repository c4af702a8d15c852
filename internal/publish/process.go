package publish

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Process is what a process has of sets.
type Process struct {
	mu      sync.Mutex    // held while one of them is put in place
	live    map[*Set]bool // those that have temporary files, or whose Last has begun
	outcome Outcome
}

// Outcome is what became of the sets of a process.
type Outcome int

const (
	// Nothing is in place.
	Nothing Outcome = iota
	// InPlace says that a set is in place for good.
	InPlace
	// Unknown says that the files of a set are in place, and that nobody knows whether its Last was
	// done.
	Unknown
)

// NewProcess is a process without sets.
func NewProcess() *Process { return &Process{live: map[*Set]bool{}} }

var this = NewProcess()

func (s *Set) process() *Process {
	if s.Process != nil {
		return s.Process
	}
	return this
}

// last does what comes last, without the lock: it may wait for others, such as readers of a table.
// From its beginning on AbortAll does not take the set back by itself.
func (s *Set) last() error {
	p := s.process()
	p.mu.Lock()
	s.ended = make(chan error, 1)
	p.live[s] = true // a set without files, too
	p.mu.Unlock()
	err := s.Last()
	s.ended <- err
	return err
}

// conclude ends a set whose files are in place, after the error of its streams or of Last.
func (s *Set) conclude(err error) error {
	switch {
	case err == nil:
		err = s.end()
	case errors.Is(err, s.Unsure): // they belong to what may be in place
		s.process().outcome = Unknown
	default:
		err = errors.Join(err, s.takeBack())
	}
	return errors.Join(err, s.remove())
}

// AbortAll takes all files back that are not in place for good, and removes the temporary files of
// all sets. It is for a process that ends at once because its work does not answer; the sets must
// not be used afterwards. A Last that has begun may take as long as patience says: then its files
// stay, for they belong to what may be in place, and the outcome is Unknown. The error is of what
// could not be taken back, and of Last.
func AbortAll(patience time.Duration) (Outcome, error) { return this.abortAll(patience) }

func (p *Process) abortAll(patience time.Duration) (Outcome, error) {
	late, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	p.mu.Lock() // and keep it: nothing is put in place from now on
	var faults []error
	for s := range p.live {
		if s.ended == nil {
			faults = append(faults, s.takeBack(), s.remove())
		}
	}
	for s := range p.live {
		faults = append(faults, s.concludeBefore(late))
	}
	return p.outcome, errors.Join(faults...)
}

// concludeBefore concludes a set whose Last has begun, in place of its Commit, which waits for the
// lock.
func (s *Set) concludeBefore(late context.Context) error {
	select {
	case err := <-s.ended:
		return s.conclude(err)
	case <-late.Done():
		s.process().outcome = Unknown
		return s.remove()
	}
}
