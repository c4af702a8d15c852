package cover

// Known is a set of clauses, each an ascending list of distinct variables, that answers which
// clauses are in it and which follow from it.
type Known struct {
	// state<<32|variable -> the state after the variable; state 0 has none
	trie     map[uint64]int32
	isClause []bool // by state
	begins   []bool // by variable: some clause begins with it
}

// NewKnown is an empty set over so many variables.
func NewKnown(vars int) *Known {
	return &Known{trie: map[uint64]int32{}, isClause: []bool{false}, begins: make([]bool, vars)}
}

// Add adds a clause; it tells whether it is new. An empty clause is never new.
func (k *Known) Add(clause []int32) bool {
	state := int32(0)
	for _, v := range clause {
		key := uint64(state)<<32 | uint64(v)
		next, ok := k.trie[key]
		if !ok {
			next = int32(len(k.isClause))
			k.trie[key] = next
			k.isClause = append(k.isClause, false)
		}
		state = next
	}
	if state == 0 || k.isClause[state] {
		return false
	}
	k.isClause[state] = true
	k.begins[clause[0]] = true
	return true
}

// Implies tells whether the clause of these ascending variables follows from one that is known: one
// that has only variables of these.
func (k *Known) Implies(vars []int32) bool { return k.hasSubset(0, vars) }

// hasSubset looks for a clause of the trie, from a state on.
func (k *Known) hasSubset(state int32, vars []int32) bool {
	for i, v := range vars {
		if state == 0 && !k.begins[v] {
			continue
		}
		next, ok := k.trie[uint64(state)<<32|uint64(v)]
		if ok && (k.isClause[next] || k.hasSubset(next, vars[i+1:])) {
			return true
		}
	}
	return false
}
