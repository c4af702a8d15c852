package continuous_test

import (
	"math/rand/v2"
	"testing"

	"mingle/anonymize/continuous"
	"mingle/generate"
	"mingle/measure"
	"mingle/privacy"
)

// With however little room, local keeps the promise and loses no more than acd: what does not fit
// is left as it is. With next to none it is acd, and more room is of use.
func TestLittleRoom(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for range 300 {
		in := randomInput(rng)
		acd, err := anonymize(t, continuous.ACD, in)
		if err != nil {
			continue
		}
		in.Room = 1 << rng.IntN(12)
		r, err := anonymize(t, continuous.Local, in)
		if err != nil {
			t.Fatal(err)
		}
		check(t, continuous.Local, in, r)
		if loss, most := measure.Bags(r).NCP, measure.Bags(acd).NCP; loss > most+1e-12 {
			t.Fatalf("%d bytes: local loses %g, acd %g", in.Room, loss, most)
		}
	}
	in := continuous.Input{
		Data:    generate.Income{Records: 3000, Seed: 7}.Bags(),
		Promise: privacy.Continuous{K: 5, M: 2}, Threshold: 0.001,
	}
	loss := func(algorithm string, room int64) float64 {
		in.Room = room
		r, err := anonymize(t, algorithm, in)
		if err != nil {
			t.Fatal(err)
		}
		if short := room > 0; short != (len(r.Warnings) > 0) {
			t.Errorf("%s in %d bytes warns of %q", algorithm, room, r.Warnings)
		}
		return measure.Bags(r).NCP
	}
	none, some, enough := loss(continuous.Local, 1), loss(continuous.Local, 24*1000),
		loss(continuous.Local, 0)
	if acd := loss(continuous.ACD, 0); none != acd || none <= some || some <= enough {
		t.Errorf("loss of acd %g; of local with no room %g, some %g, enough %g",
			acd, none, some, enough)
	}
}
