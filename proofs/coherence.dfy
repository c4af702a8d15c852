// A second judge of (h,k,p)-coherence by suppression, proved: written from docs/definitions.md
// alone. What is to be read with care are the definitions up to Keeps, and Valid.
include "sets.dfy"

module Coherence {
  import opened Sets

  datatype Release = Release(
    publics: nat,              // public items are numbered from 0
    privates: nat,             // private ones after them
    original: seq<set<int>>,   // line i: its items
    published: seq<set<int>>)

  datatype Promise = Promise(k: nat, p: nat, part: nat, whole: nat) // h is part/whole

  predicate method Valid(r: Release)
  {
    && |r.original| == |r.published|
    && (forall i :: 0 <= i < |r.original| ==> Within(r.original[i], 0, r.publics + r.privates))
    && (forall i :: 0 <= i < |r.published| ==> Within(r.published[i], 0, r.publics + r.privates))
  }

  // No line has the item x.
  predicate method Gone(r: Release, x: int)
  { forall j :: 0 <= j < |r.published| ==> x !in r.published[j] }

  // Every line is that of the original without public items that no line has any more.
  predicate method Suppressed(r: Release)
    requires Valid(r)
  {
    && (forall i :: 0 <= i < |r.published| ==> r.published[i] <= r.original[i])
    && (forall i, x :: 0 <= i < |r.published| && x in r.original[i] && x !in r.published[i] ==>
          x < r.publics && Gone(r, x))
  }

  // The lines that have all of c.
  function method Lines(r: Release, c: set<int>): set<int>
  { set i | 0 <= i < |r.published| && c <= r.published[i] }

  // What is promised where the public items c are known.
  predicate method Hidden(r: Release, p: Promise, c: set<int>)
  {
    var n := |Lines(r, c)|;
    && (n == 0 || n >= p.k)
    && forall e :: r.publics <= e < r.publics + r.privates ==>
        |Lines(r, c + {e})| * p.whole <= n * p.part
  }

  // (h,k,p)-coherence of a release that is its original with items suppressed.
  predicate Keeps(r: Release, p: Promise)
    requires Valid(r)
  {
    && Suppressed(r)
    && forall c: set<int> :: Within(c, 0, r.publics) && |c| <= p.p ==> Hidden(r, p, c)
  }

  // Judge accepts a release exactly where it is well-formed and keeps the promise.
  method Judge(r: Release, p: Promise) returns (accepts: bool)
    ensures accepts <==> Valid(r) && Keeps(r, p)
  {
    if !Valid(r) || !Suppressed(r) { return false; }
    var has := (c: set<int>) => Hidden(r, p, c);
    accepts := TrySets(has, 0, r.publics, {}, p.p);
    forall c: set<int> | Within(c, 0, r.publics) && |c| <= p.p
      ensures EverySet(has, 0, r.publics, {}, p.p) ==> Hidden(r, p, c)
    {
      assert {} + c == c;
      if EverySet(has, 0, r.publics, {}, p.p) { assert has({} + c); }
    }
    if Keeps(r, p) {
      forall s: set<int> | Within(s, 0, r.publics) && |s| <= p.p ensures has({} + s)
      {
        assert {} + s == s;
      }
    }
  }

  // Who knows at most p public items of a person is left with at least k lines that have all of
  // these that are published at all, and no private item is in more than a share h of them.
  lemma NobodyIsSingledOut(r: Release, p: Promise, i: int, c: set<int>, e: int)
    requires Valid(r) && Keeps(r, p) && 0 <= i < |r.published|
    requires Within(c, 0, r.publics) && c <= r.original[i] && |c| <= p.p
    requires r.publics <= e < r.publics + r.privates
    ensures forall x :: x in c && x !in r.published[i] ==> Gone(r, x)
    ensures |Lines(r, c * r.published[i])| >= p.k
    ensures |Lines(r, c * r.published[i] + {e})| * p.whole <=
      |Lines(r, c * r.published[i])| * p.part
  {
    var known := c * r.published[i];
    Fewer(c, r.published[i]);
    assert Within(known, 0, r.publics);
    assert Hidden(r, p, known);
    assert i in Lines(r, known);
  }

  lemma Fewer(a: set<int>, b: set<int>)
    ensures |a * b| <= |a|
  {
    assert a == (a * b) + (a - b);
    assert |a| == |a * b| + |a - b|;
  }
}
