package pipeline

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/anonymize/local"
	"mingle/release"
)

// endless works until its context ends.
type endless struct{}

func (endless) Name() string { return "endless" }

func (endless) Traits() anonymize.Traits { return anonymize.Traits{} }

func (endless) Anonymize(ctx context.Context, _ anonymize.Input) (*release.Generalized, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// What has no release in time ends with an error that says so, and which have one; an interrupt
// stays one; what is in time is published.
func TestInTime(t *testing.T) {
	in := conformance.Medium(3)
	_, err := inTime{endless{}, time.Millisecond}.Anonymize(t.Context(), in)
	if !errors.Is(err, anonymize.ErrTooLate) ||
		!strings.Contains(err.Error(), "choose auto, exact or local, which publish the best") {
		t.Error(err)
	}
	why := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := (inTime{endless{}, time.Hour}).Anonymize(ctx, in); !errors.Is(err, why) {
		t.Error(err)
	}
	soon := inTime{global.AA{}, time.Hour}
	if g, err := soon.Anonymize(t.Context(), in); err != nil || g == nil {
		t.Error(err)
	}
}

// It can do, and needs, what the algorithm can and needs; a form of it ends in time, too.
func TestInTimeIsLikeTheAlgorithm(t *testing.T) {
	in := conformance.Medium(3)
	for _, a := range []anonymize.Algorithm{
		global.AA{}, global.VPA{}, local.Algorithm{}, endless{},
	} {
		limited := inTime{a, time.Hour}
		can, is := limited.Traits(), a.Traits()
		if can.Packed != is.Packed || can.Persons != is.Persons {
			t.Errorf("%s: %+v", a.Name(), can)
		}
		_, least := in.Within(a, 1)
		if _, got := in.Within(limited, 1); got != least {
			t.Errorf("%s: it needs %d bytes, in time %d", a.Name(), least, got)
		}
		forms := []anonymize.Algorithm{in.Lean(limited, 1<<30), in.Divide(limited, 1<<30)}
		for n, form := range []anonymize.Algorithm{in.Lean(a, 1<<30), in.Divide(a, 1<<30)} {
			if form == nil && forms[n] == nil {
				continue
			}
			if late, is := forms[n].(inTime); !is || late.limit != time.Hour {
				t.Errorf("%s: form %d is %T in time", a.Name(), n, forms[n])
			}
		}
	}
}
