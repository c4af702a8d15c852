package main

import (
	"strconv"
	"strings"
)

// sharesFlag is the value of a flag that takes shares, such as 0.01,2%: the first that are given
// take the place of the default.
type sharesFlag struct {
	to    *[]float64
	given bool
}

func newShares(to *[]float64, usual ...float64) *sharesFlag {
	*to = usual
	return &sharesFlag{to: to}
}

func (*sharesFlag) Type() string { return "shares" }

func (s *sharesFlag) String() string {
	if s.to == nil {
		return ""
	}
	var out []string
	for _, share := range *s.to {
		out = append(out, strconv.FormatFloat(share, 'g', -1, 64))
	}
	return strings.Join(out, ",")
}

func (s *sharesFlag) Set(text string) error {
	var shares []float64
	for one := range strings.SplitSeq(text, ",") {
		share, err := parseShare(one)
		if err != nil {
			return err
		}
		shares = append(shares, share)
	}
	if !s.given {
		*s.to = nil
	}
	*s.to, s.given = append(*s.to, shares...), true
	return nil
}
