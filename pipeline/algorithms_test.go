package pipeline

import (
	"testing"

	"mingle/anonymize/auto"
	"mingle/anonymize/global"
	"mingle/anonymize/partition"
)

// auto tries lra and vpa with the settings that they would have alone.
func TestSettingsReachAuto(t *testing.T) {
	entry, err := FindAlgorithm("km", "auto")
	if err != nil {
		t.Fatal(err)
	}
	a := entry.Make(Settings{Parts: 5, Flexibility: 7, PartitionLevel: 1}).(auto.Algorithm)
	if *a.LRA != (partition.LRA{Parts: 5, Flexibility: 7}) || *a.VPA != (global.VPA{
		Parts: 5, PartitionLevel: 1,
	}) {
		t.Errorf("%+v, %+v", a.LRA, a.VPA)
	}
}
