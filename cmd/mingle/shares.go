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

func (s *sharesFlag) Set(text string) error { return s.take(!s.given, strings.Split(text, ",")) }

// take adds shares to those that are there, or takes their place.
func (s *sharesFlag) take(anew bool, texts []string) error {
	var shares []float64
	for _, text := range texts {
		share, err := parseShare(text)
		if err != nil {
			return err
		}
		shares = append(shares, share)
	}
	if anew {
		*s.to = nil
	}
	*s.to, s.given = append(*s.to, shares...), true
	return nil
}

// Append, Replace and GetSlice make it a list, a pflag.SliceValue, which may be given again.

func (s *sharesFlag) Append(text string) error { return s.take(false, []string{text}) }

func (s *sharesFlag) Replace(texts []string) error { return s.take(true, texts) }

func (s *sharesFlag) GetSlice() []string { return strings.Split(s.String(), ",") }
