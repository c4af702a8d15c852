package anonymize_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/privacy"
	"mingle/release"
)

// endless works until its context ends.
type endless struct{}

func (endless) Name() string { return "endless" }

func (endless) Anonymize(ctx context.Context, _ anonymize.Input) (*release.Generalized, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// What has no release in time ends with an error that says so; an interrupt stays one; what is in
// time is published.
func TestInTime(t *testing.T) {
	in := conformance.Medium(3)
	late := anonymize.InTime{Algorithm: endless{}, TimeLimit: time.Millisecond}
	if _, err := late.Anonymize(t.Context(), in); !errors.Is(err, anonymize.ErrTooLate) {
		t.Error(err)
	}
	why := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	interrupted := anonymize.InTime{Algorithm: endless{}, TimeLimit: time.Hour}
	if _, err := interrupted.Anonymize(ctx, in); !errors.Is(err, why) {
		t.Error(err)
	}
	soon := anonymize.InTime{Algorithm: global.AA{}, TimeLimit: time.Hour}
	if g, err := soon.Anonymize(t.Context(), in); err != nil || g == nil {
		t.Error(err)
	}
}

// It works on packed data, and needs, what the algorithm is and needs.
func TestInTimeIsLikeTheAlgorithm(t *testing.T) {
	in := conformance.Medium(3)
	for _, a := range []anonymize.Algorithm{global.AA{}, global.VPA{}, endless{}} {
		limited := anonymize.InTime{Algorithm: a, TimeLimit: time.Hour}
		f, capable := a.(anonymize.PackedCapable)
		if limited.WorksOnPacked() != (capable && f.WorksOnPacked()) {
			t.Errorf("%s: packed %v", a.Name(), limited.WorksOnPacked())
		}
		_, least := in.Within(a, 1)
		if _, got := in.Within(limited, 1); got != least {
			t.Errorf("%s: it needs %d bytes, in time %d", a.Name(), least, got)
		}
	}
}

// Without an algorithm there is nothing to end.
func TestInTimeOfNothing(t *testing.T) {
	late := anonymize.InTime{TimeLimit: time.Minute}
	if _, err := late.Anonymize(t.Context(), conformance.Medium(3)); err == nil {
		t.Error("there is a release")
	}
}

// What an algorithm does not keep is said with its name.
func TestWhatIsNotKeptNamesTheAlgorithm(t *testing.T) {
	inMind, ofPersons := conformance.Medium(3), conformance.Medium(3)
	inMind.Promise.Knows = privacy.OfAlgorithm
	ofPersons.Promise.Persons = true
	for _, in := range []anonymize.Input{inMind, ofPersons} {
		err := in.CheckFor(endless{})
		if err == nil || !strings.HasPrefix(err.Error(), "endless ") {
			t.Error(err)
		}
	}
}
