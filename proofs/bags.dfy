// A second judge of k^m-anonymity of bags of numbers, proved: written from docs/definitions.md
// alone. What is to be read with care are the definitions up to Keeps, and Valid.
include "sets.dfy"

module Bags {
  import opened Sets

  datatype Term = Term(low: int, high: int) // what is published: a range; of one number, a value

  datatype Release = Release(
    terms: seq<Term>,
    original: seq<seq<int>>,   // record i: its numbers
    published: seq<seq<int>>)  // record i: its terms, by their places in terms

  datatype Promise = Promise(k: nat, m: nat)

  predicate method Valid(r: Release)
  {
    && |r.original| == |r.published|
    && (forall a, b :: 0 <= a < b < |r.terms| ==> r.terms[a] != r.terms[b])
    && (forall i :: 0 <= i < |r.published| ==>
          forall t :: 0 <= t < |r.published[i]| ==> 0 <= r.published[i][t] < |r.terms|)
  }

  predicate method Contains(t: Term, x: int)
  { t.low <= x <= t.high }

  // How the numbers can be published as the terms: of tells of every number its term, each has one
  // of its own, and no term is left.
  predicate Publishes(r: Release, numbers: seq<int>, terms: seq<int>, of: seq<int>)
  {
    && |numbers| == |terms| == |of|
    && (forall t :: 0 <= t < |of| ==>
          0 <= of[t] < |terms| && 0 <= terms[of[t]] < |r.terms| &&
          Contains(r.terms[terms[of[t]]], numbers[t]))
    && (forall s, t :: 0 <= s < t < |of| ==> of[s] != of[t])
  }

  predicate CanBe(r: Release, numbers: seq<int>, terms: seq<int>)
  { exists of :: Publishes(r, numbers, terms, of) }

  // The records that have the bag c.
  function method Records(r: Release, c: multiset<int>): set<int>
  { set i | 0 <= i < |r.published| && c <= multiset(r.published[i]) }

  // What is promised where the bag c is known.
  predicate method Hidden(r: Release, p: Promise, c: multiset<int>)
  { var n := |Records(r, c)|; n == 0 || n >= p.k }

  // k^m-anonymity of records that are their originals, generalized.
  predicate Keeps(r: Release, p: Promise)
    requires Valid(r)
  {
    && (forall i :: 0 <= i < |r.published| ==> CanBe(r, r.original[i], r.published[i]))
    && forall c: multiset<int> :: Among(c, 0, |r.terms|) && |c| <= p.m ==> Hidden(r, p, c)
  }

  // Judge accepts a release exactly where it is well-formed and keeps the promise.
  method Judge(r: Release, p: Promise) returns (accepts: bool)
    ensures accepts <==> Valid(r) && Keeps(r, p)
  {
    if !Valid(r) { return false; }
    var i := 0;
    while i < |r.published|
      invariant 0 <= i <= |r.published|
      invariant forall t :: 0 <= t < i ==> CanBe(r, r.original[t], r.published[t])
    {
      var can := Fits(r, r.original[i], r.published[i], 0, Places(r.published[i]));
      FitsIsCanBe(r, r.original[i], r.published[i]);
      if !can { return false; }
      i := i + 1;
    }
    var has := (c: multiset<int>) => Hidden(r, p, c);
    accepts := TryBags(has, 0, |r.terms|, multiset{}, p.m);
    if accepts {
      forall c: multiset<int> | Among(c, 0, |r.terms|) && |c| <= p.m ensures Hidden(r, p, c)
      {
        assert multiset{} + c == c;
        assert has(multiset{} + c);
      }
    }
    if Keeps(r, p) {
      forall s: multiset<int> | Among(s, 0, |r.terms|) && |s| <= p.m ensures has(multiset{} + s)
      {
        assert multiset{} + s == s;
      }
    }
  }

  function method Places(terms: seq<int>): set<int>
  { set j | 0 <= j < |terms| }

  predicate method Takes(r: Release, numbers: seq<int>, terms: seq<int>, at: int, j: int)
  {
    0 <= at < |numbers| && 0 <= j < |terms| && 0 <= terms[j] < |r.terms| &&
      Contains(r.terms[terms[j]], numbers[at])
  }

  // The numbers from at on can have a term each of those at the open places.
  predicate method Fits(r: Release, numbers: seq<int>, terms: seq<int>, at: nat, open: set<int>)
    decreases |numbers| - at
  {
    if at >= |numbers| then |numbers| == |terms|
    else exists j :: j in open && Takes(r, numbers, terms, at, j) &&
      Fits(r, numbers, terms, at + 1, open - {j})
  }

  // of tells the places of the numbers from at on.
  predicate Part(
    r: Release, numbers: seq<int>, terms: seq<int>, at: nat, open: set<int>, of: seq<int>)
  {
    && at + |of| == |numbers| == |terms|
    && (forall t :: 0 <= t < |of| ==> of[t] in open && Takes(r, numbers, terms, at + t, of[t]))
    && (forall s, t :: 0 <= s < t < |of| ==> of[s] != of[t])
  }

  lemma PartFits(
    r: Release, numbers: seq<int>, terms: seq<int>, at: nat, open: set<int>, of: seq<int>)
    requires Part(r, numbers, terms, at, open, of)
    ensures Fits(r, numbers, terms, at, open)
    decreases |of|
  {
    if |of| > 0 {
      var rest := of[1..];
      forall t | 0 <= t < |rest|
        ensures rest[t] in open - {of[0]} && Takes(r, numbers, terms, at + 1 + t, rest[t])
      {
        assert rest[t] == of[t + 1];
        assert Takes(r, numbers, terms, at + (t + 1), of[t + 1]);
      }
      PartFits(r, numbers, terms, at + 1, open - {of[0]}, rest);
      assert Takes(r, numbers, terms, at + 0, of[0]);
    }
  }

  lemma FitsHasPart(r: Release, numbers: seq<int>, terms: seq<int>, at: nat, open: set<int>)
    returns (of: seq<int>)
    requires at <= |numbers| && Fits(r, numbers, terms, at, open)
    ensures Part(r, numbers, terms, at, open, of)
    decreases |numbers| - at
  {
    if at == |numbers| {
      of := [];
    } else {
      var j :| j in open && Takes(r, numbers, terms, at, j) &&
        Fits(r, numbers, terms, at + 1, open - {j});
      var rest := FitsHasPart(r, numbers, terms, at + 1, open - {j});
      of := [j] + rest;
      forall t | 0 <= t < |of|
        ensures of[t] in open && Takes(r, numbers, terms, at + t, of[t])
      {
        if t > 0 {
          assert of[t] == rest[t - 1];
          assert Takes(r, numbers, terms, at + 1 + (t - 1), rest[t - 1]);
        }
      }
    }
  }

  lemma FitsIsCanBe(r: Release, numbers: seq<int>, terms: seq<int>)
    ensures Fits(r, numbers, terms, 0, Places(terms)) <==> CanBe(r, numbers, terms)
  {
    if Fits(r, numbers, terms, 0, Places(terms)) {
      var of := FitsHasPart(r, numbers, terms, 0, Places(terms));
      forall t | 0 <= t < |of|
        ensures 0 <= of[t] < |terms| && 0 <= terms[of[t]] < |r.terms| &&
          Contains(r.terms[terms[of[t]]], numbers[t])
      {
        assert Takes(r, numbers, terms, 0 + t, of[t]);
      }
      assert Publishes(r, numbers, terms, of);
    }
    if CanBe(r, numbers, terms) {
      var of :| Publishes(r, numbers, terms, of);
      assert Part(r, numbers, terms, 0, Places(terms), of);
      PartFits(r, numbers, terms, 0, Places(terms), of);
    }
  }

  // Who knows of at most m numbers of a person as what they are published is left with at least k
  // records.
  lemma NobodyIsSingledOut(r: Release, p: Promise, i: int, c: multiset<int>)
    requires Valid(r) && Keeps(r, p) && 0 <= i < |r.published|
    requires c <= multiset(r.published[i]) && |c| <= p.m
    ensures |Records(r, c)| >= p.k
  {
    forall x | x in c ensures 0 <= x < |r.terms|
    {
      assert x in multiset(r.published[i]);
      assert x in r.published[i];
    }
    assert Among(c, 0, |r.terms|);
    assert Hidden(r, p, c);
    assert i in Records(r, c);
  }
}
