// Package attack measures what an adversary gains from a release: it attacks the original and the
// release alike and says how often that succeeds, beside a baseline that knows nothing of
// either.
//
// The adversary knows i items of a person: a transaction drawn at random among those with at least
// i items, and i of its items drawn at random. Singling out: the records that match what is known
// are the candidates, and one of them is picked at random; the baseline picks any record. Linking:
// of two lists of items the one is found that is of the same person as a third; the baseline
// guesses. Inference: the adversary says with what probability the person has one more item, or a
// sensitive one, that the person in fact has; the baseline says the share of all transactions that
// have it.
//
// Main attack against baseline, before and after, is the design of Anonymeter (Giomi et al., PoPETs
// 2023), whose risk is (success - baseline)/(1 - baseline); what is attacked here are sets instead
// of rows of a table. Every combination is looked at where there are few, else they are
// sampled, and the interval in which the figure lies with 95 % confidence is told.
//
// The package leans on nothing that makes or judges releases.
package attack
