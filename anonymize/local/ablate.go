package local

import "strings"

// off are the mechanisms that are switched off, for the table of what each is worth.
var off = map[string]bool{}

func offList(s string) {
	clear(off)
	for _, x := range strings.Split(s, ",") {
		if x != "" {
			off[x] = true
		}
	}
}

// keptKinds leaves out orders of kinds and policies that are off.
func keptOrders(list []*order) []*order {
	names := map[kind]string{each: "each", joint: "joint", both: "both", falling: "falling", rising: "rising"}
	var out []*order
	for _, o := range list {
		if off["first-only"] && len(out) == 1 {
			break
		}
		if off["k:"+names[o.kind]] {
			continue
		}
		o = o.with(aPolicy(o.policy))
		out = append(out, o)
	}
	return out
}

func aPolicy(p policy) policy {
	pols := map[policy]string{fewNewSets: "few", leastPenalty: "least", manyNewSets: "many"}
	if off["p:"+pols[p]] {
		for q := range policies {
			if !off["p:"+pols[q]] {
				return q
			}
		}
	}
	return p
}

func (s *search) portfolio() []*order {
	for _, p := range []string{"P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8", "P9", "Q1", "Q2", "Q3", "Q4"} {
		if !off[p] {
			continue
		}
		switch p {
		case "P1":
			return []*order{s.byGain(both, 2), s.byGain(each, 2)}
		case "P2":
			return []*order{s.byGain(both, 2), s.byGain(rising, 2), s.byGain(each, 2).with(manyNewSets)}
		case "P3":
			return []*order{s.byGain(both, 2), s.byGain(rising, 2), s.byGain(each, 2), s.byGain(both, 0.5)}
		case "P4":
			return []*order{s.byGain(rising, 2), s.byGain(falling, 2)}
		case "P5":
			return []*order{s.byGain(each, 2), s.byGain(rising, 2)}
		case "Q1":
			return []*order{s.byGain(both, 2), s.byGain(rising, 2), s.byGain(each, 2), s.byGain(each, 4)}
		case "Q2":
			return []*order{s.byGain(both, 2), s.byGain(rising, 2), s.byGain(each, 2).with(manyNewSets), s.byGain(each, 2)}
		case "Q3":
			return []*order{s.byGain(both, 2), s.byGain(each, 2), s.byGain(rising, 2), s.byGain(falling, 2)}
		case "Q4":
			return []*order{s.byGain(both, 2), s.byGain(each, 2), s.byGain(rising, 2), s.byGain(each, 2).with(manyNewSets), s.byGain(both, 0.5), s.byGain(falling, 4), s.byGain(both, 8), s.byGain(each, 4)}
		case "P7":
			return []*order{s.byGain(each, 2), s.byGain(rising, 2), s.byGain(each, 2).with(manyNewSets), s.byGain(both, 0.5)}
		case "P8":
			return []*order{s.byGain(each, 2), s.byGain(both, 2)}
		case "P9":
			return []*order{s.byGain(each, 2), s.byGain(each, 1)}
		case "P6":
			return []*order{s.byGain(both, 2), s.byGain(rising, 2), s.byGain(each, 2).with(manyNewSets), s.byGain(both, 0.5),
				s.byGain(falling, 4), s.byGain(joint, 4), s.byGain(each, 4), s.byGain(both, 8)}
		}
	}
	return nil
}
