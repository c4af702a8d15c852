package privacy

// What is said of sensitive items, in every text of a promise on l^m-diversity.

// only is a clause that restricts items to quasi-identifiers, those that are not sensitive, where
// there are sensitive ones that are not taken as known; "" elsewhere.
func (p KM) only(clause string) string {
	if !p.Diverse() {
		return ""
	}
	return clause
}

// KnownSensitive is what a release does not do for somebody of whom a sensitive item is known.
const KnownSensitive = "A sensitive item that is known may leave one candidate: sensitive items " +
	"are published as they are, and knowing one is not covered."

// notCoveredOfSensitive is what l^m-diversity leaves open.
func notCoveredOfSensitive(KM) []string {
	return []string{KnownSensitive, "Inference is bounded for the sensitive items only."}
}
