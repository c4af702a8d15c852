package pipeline

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"mingle/privacy"
)

// Support is a number of transactions, or a share of them.
type Support struct {
	Count int
	Share float64 // in percent; used where Count is 0
}

// ParseSupport reads "100" or "0.5%".
func ParseSupport(text string) (Support, error) {
	var s Support
	var err error
	if share, percent := strings.CutSuffix(text, "%"); percent {
		s.Share, err = strconv.ParseFloat(share, 64)
		if err == nil && !(s.Share > 0 && s.Share <= 100) {
			err = errors.New("out of range")
		}
	} else if s.Count, err = strconv.Atoi(text); err == nil && s.Count < 1 {
		err = errors.New("out of range")
	}
	if err != nil {
		return s, fmt.Errorf("%q is no support: give a number of transactions of at least 1, or a share such as 0.5%%", text)
	}
	return s, nil
}

// Of is the least number of n transactions that is not below the support, and at least 1.
func (s Support) Of(n int) int {
	if s.Count > 0 {
		return s.Count
	}
	return max(1, privacy.LeastOf(privacy.Hundredth(s.Share), n))
}
