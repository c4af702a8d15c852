package global_test

import (
	"fmt"
	"math"
	"testing"

	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/anonymize/partition"
	"mingle/internal/soak"
	"mingle/privacy"
)

// real lists the public data sets, with the NCP of aa for k=5 as another program found it; 0: not
// known.
var real = []struct {
	name string
	m    int
	aa   float64
	slow bool
}{
	{"bms-webview-1", 2, 0.026395, false},
	{"bms-webview-1", 3, 0.108120, false},
	{"bms-webview-2", 2, 0.020013, false},
	{"bms-webview-2", 3, 0.037252, true},
	{"groceries", 2, 0.076014, false},
	{"groceries", 3, 0.137354, false},
	{"mushroom", 2, 0.018637, false},
	{"mushroom", 3, 0.036161, false},
	{"chess", 2, 0.037588, false},
	{"chess", 3, 0.061276, false},
	{"t10i4d100k", 2, 0.006179, true},
	{"t10i4d100k", 3, 0.027740, true},
	{"bms-webview-1", 1, 0, false},
	{"bms-webview-2", 1, 0, false},
	{"groceries", 1, 0, false},
	{"retail", 1, 0, true},
	{"mimic3-demo/mimic3-demo-admissions", 1, 0, false},
	{"mimic3-demo/mimic3-demo-admissions", 2, 0, false},
	{"mimic3-demo/mimic3-demo-admissions", 3, 0, false},
	{"online-retail-ii/online-retail-ii-invoices", 1, 0, true},
	{"online-retail-ii/online-retail-ii-invoices", 2, 0, true},
	{"retail", 2, 0.003536, true},
	{"retail", 3, 0.012245, true},
}

func TestRealTableSoak(t *testing.T) {
	for _, row := range real {
		t.Run(fmt.Sprintf("%s m=%d", row.name, row.m), func(t *testing.T) {
			if row.slow && !soak.All() || testing.Short() && row.name != "bms-webview-1" {
				t.Skip("takes seconds")
			}
			in := conformance.Real(t, row.name, privacy.KM{K: 5, M: row.m})
			aa := conformance.Loss(t, in, global.AA{})
			if row.aa > 0 && math.Abs(aa-row.aa) > 2e-6 {
				t.Errorf("aa loses %.6f, published is %.6f", aa, row.aa)
			}
			if vpa := conformance.Loss(t, in, global.VPA{}); vpa > 1.1*aa {
				t.Errorf("vpa loses %.6f, more than 1.1 times aa's %.6f", vpa, aa)
			}
			conformance.Loss(t, in, partition.LRA{Flexibility: 10})
		})
	}
}
