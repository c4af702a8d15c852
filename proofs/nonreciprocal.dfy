// A second judge of nonreciprocal recoding, proved: written from docs/definitions.md alone. What is
// to be read with care are the definitions up to Keeps, and Valid.

module Nonreciprocal {
  // A published record shows a base set, and differs from the record behind it in at most so many
  // items, all of them uncertain ones.
  datatype Shown = Shown(base: set<int>, uncertain: set<int>, threshold: nat, tag: int)

  datatype Release = Release(
    labelled: bool,            // the labels of the originals are given; else they are not compared
    original: seq<set<int>>,   // record i: its items
    labels: seq<int>,          // and its label
    published: seq<Shown>)

  datatype Promise = Promise(
    least: nat,                // matches: k, or l
    diverse: bool)             // it is l: of labels

  predicate method Valid(r: Release)
  { |r.original| == |r.labels| == |r.published| }

  // A record may be behind what is shown.
  predicate method {:opaque} Near(record: set<int>, shown: Shown)
  {
    var apart := (record - shown.base) + (shown.base - record);
    |apart| <= shown.threshold && apart <= shown.uncertain
  }

  // What is published at j may be record i.
  predicate method Matches(r: Release, i: int, j: int)
  {
    0 <= i < |r.original| && 0 <= j < |r.published| && Near(r.original[i], r.published[j])
  }

  predicate method SameLabel(r: Release, i: int, j: int)
  { 0 <= i < |r.labels| && 0 <= j < |r.published| && r.labels[i] == r.published[j].tag }

  // Record i has the published record a[i], each its own, and where labels are to be kept, its
  // label.
  predicate Assignment(r: Release, a: seq<int>, keep: bool)
  {
    && |a| == |r.original|
    && (forall i :: 0 <= i < |a| ==> Matches(r, i, a[i]) && (keep ==> SameLabel(r, i, a[i])))
    && (forall i, j :: 0 <= i < j < |a| ==> a[i] != a[j])
  }

  // Some assignment has the match of i with j.
  predicate Possible(r: Release, i: int, j: int)
  { exists a :: Assignment(r, a, false) && 0 <= i < |a| && a[i] == j }

  // What each record may stand behind.
  predicate Matched(r: Release, m: seq<set<int>>)
  {
    && |m| == |r.original|
    && forall i :: 0 <= i < |m| ==>
        forall j :: j in m[i] <==> 0 <= j < |r.published| && Possible(r, i, j)
  }

  function method LabelsOf(r: Release, js: set<int>): set<int>
  { set j | j in js && 0 <= j < |r.published| :: r.published[j].tag }

  function method Behind(m: seq<set<int>>, j: int): set<int>
  { set i | 0 <= i < |m| && j in m[i] }

  // What matches a record of s is in s, with all its own matches: whoever is in s is exchanged with
  // others in s only.
  predicate method Apart(m: seq<set<int>>, s: set<int>)
  { forall i :: 0 <= i < |m| ==> m[i] <= s || m[i] * s == {} }

  // No label is on more than one in least of the published records s.
  predicate method Even(r: Release, p: Promise, s: set<int>)
  {
    forall j :: j in s && 0 <= j < |r.published| ==>
      p.least * |set o | o in s && 0 <= o < |r.published| && r.published[o].tag ==
        r.published[j].tag| <= |s|
  }

  function method All(n: nat): set<int>
  { set j | 0 <= j < n }

  // Every record has enough matches, and every published one; for l also of different labels, and
  // evenly.
  predicate method Enough(r: Release, p: Promise, m: seq<set<int>>)
  {
    && (forall i :: 0 <= i < |m| ==> |m[i]| >= p.least)
    && (forall j :: 0 <= j < |r.published| ==> |Behind(m, j)| >= p.least)
    && (p.diverse ==> forall i :: 0 <= i < |m| ==> |LabelsOf(r, m[i])| >= p.least)
    && (p.diverse ==> forall s :: s <= All(|r.published|) ==> Apart(m, s) ==> Even(r, p, s))
  }

  // The promise, as docs/definitions.md has it.
  predicate Keeps(r: Release, p: Promise)
    requires Valid(r)
  {
    && (exists a :: Assignment(r, a, false))
    && (r.labelled ==> exists a :: Assignment(r, a, true))
    && exists m :: Matched(r, m) && Enough(r, p, m)
  }

  // Judge accepts a release exactly where it is well-formed and keeps the promise.
  method Judge(r: Release, p: Promise) returns (accepts: bool)
    ensures accepts <==> Valid(r) && Keeps(r, p)
  {
    if !Valid(r) { return false; }
    var n := |r.published|;
    Completing(r, false, -1, -1);
    if !Completes(r, false, -1, -1, 0, All(n)) { return false; }
    if r.labelled {
      Completing(r, true, -1, -1);
      if !Completes(r, true, -1, -1, 0, All(n)) { return false; }
    }
    var m: seq<set<int>> := [];
    var i := 0;
    while i < n
      invariant 0 <= i <= n && |m| == i
      invariant forall t :: 0 <= t < i ==>
        forall j :: j in m[t] <==> 0 <= j < n && Possible(r, t, j)
    {
      var js := set j | 0 <= j < n && Completes(r, false, i, j, 0, All(n));
      forall j | 0 <= j < n ensures j in js <==> Possible(r, i, j)
      {
        Completing(r, false, i, j);
        ThroughIsPossible(r, i, j);
      }
      m := m + [js];
      i := i + 1;
    }
    assert Matched(r, m);
    forall o | Matched(r, o) ensures o == m { OneOnly(r, o, m); }
    accepts := Enough(r, p, m);
  }

  lemma OneOnly(r: Release, a: seq<set<int>>, b: seq<set<int>>)
    requires Matched(r, a) && Matched(r, b)
    ensures a == b
  {
    forall i | 0 <= i < |a| ensures a[i] == b[i]
    {
      forall j ensures j in a[i] <==> j in b[i] {}
    }
  }

  // Record i may have j, where x may have y alone.
  predicate method Takes(r: Release, keep: bool, x: int, y: int, i: int, j: int)
  { Matches(r, i, j) && (keep ==> SameLabel(r, i, j)) && (i == x ==> j == y) }

  // An assignment in which x has y alone.
  predicate Through(r: Release, a: seq<int>, keep: bool, x: int, y: int)
  { Assignment(r, a, keep) && (0 <= x < |a| ==> a[x] == y) }

  lemma ThroughIsPossible(r: Release, i: int, j: int)
    requires 0 <= i < |r.original|
    ensures (exists a :: Through(r, a, false, i, j)) <==> Possible(r, i, j)
  {
    if a :| Through(r, a, false, i, j) { assert Assignment(r, a, false) && a[i] == j; }
    if Possible(r, i, j) {
      var a :| Assignment(r, a, false) && 0 <= i < |a| && a[i] == j;
      assert Through(r, a, false, i, j);
    }
  }

  // The records from i on can have one each of the open ones.
  predicate method Completes(
    r: Release, keep: bool, x: int, y: int, i: nat, open: set<int>)
    decreases |r.original| - i
  {
    i >= |r.original| || exists j :: j in open && Takes(r, keep, x, y, i, j) &&
      Completes(r, keep, x, y, i + 1, open - {j})
  }

  // a tells what the records from i on have.
  predicate Part(
    r: Release, keep: bool, x: int, y: int, i: nat, open: set<int>, a: seq<int>)
  {
    && i + |a| == |r.original|
    && (forall t :: 0 <= t < |a| ==> a[t] in open && Takes(r, keep, x, y, i + t, a[t]))
    && (forall s, t :: 0 <= s < t < |a| ==> a[s] != a[t])
  }

  lemma PartCompletes(
    r: Release, keep: bool, x: int, y: int, i: nat, open: set<int>, a: seq<int>)
    requires Part(r, keep, x, y, i, open, a)
    ensures Completes(r, keep, x, y, i, open)
    decreases |a|
  {
    if |a| > 0 {
      var rest := a[1..];
      forall t | 0 <= t < |rest|
        ensures rest[t] in open - {a[0]} && Takes(r, keep, x, y, i + 1 + t, rest[t])
      {
        assert rest[t] == a[t + 1];
        assert Takes(r, keep, x, y, i + (t + 1), a[t + 1]);
      }
      PartCompletes(r, keep, x, y, i + 1, open - {a[0]}, rest);
      assert Takes(r, keep, x, y, i + 0, a[0]);
    }
  }

  lemma CompletesHasPart(r: Release, keep: bool, x: int, y: int, i: nat, open: set<int>)
    returns (a: seq<int>)
    requires i <= |r.original| && Completes(r, keep, x, y, i, open)
    ensures Part(r, keep, x, y, i, open, a)
    decreases |r.original| - i
  {
    if i == |r.original| {
      a := [];
    } else {
      var j :| j in open && Takes(r, keep, x, y, i, j) &&
        Completes(r, keep, x, y, i + 1, open - {j});
      var rest := CompletesHasPart(r, keep, x, y, i + 1, open - {j});
      a := [j] + rest;
      forall t | 0 <= t < |a| ensures a[t] in open && Takes(r, keep, x, y, i + t, a[t])
      {
        if t > 0 {
          assert a[t] == rest[t - 1];
          assert Takes(r, keep, x, y, i + 1 + (t - 1), rest[t - 1]);
        }
      }
    }
  }

  lemma Completing(r: Release, keep: bool, x: int, y: int)
    requires Valid(r)
    ensures Completes(r, keep, x, y, 0, All(|r.published|)) <==>
      exists a :: Through(r, a, keep, x, y)
    ensures x < 0 ==> ((exists a :: Through(r, a, keep, x, y)) <==>
      exists a :: Assignment(r, a, keep))
  {
    var all := All(|r.published|);
    if Completes(r, keep, x, y, 0, all) {
      var a := CompletesHasPart(r, keep, x, y, 0, all);
      forall i | 0 <= i < |a| ensures Takes(r, keep, x, y, i, a[i])
      {
        assert Takes(r, keep, x, y, 0 + i, a[i]);
      }
      assert Through(r, a, keep, x, y);
    }
    if a :| Through(r, a, keep, x, y) {
      forall t | 0 <= t < |a| ensures a[t] in all && Takes(r, keep, x, y, 0 + t, a[t])
      {
        assert Matches(r, t, a[t]);
      }
      PartCompletes(r, keep, x, y, 0, all, a);
    }
    if x < 0 {
      if a :| Through(r, a, keep, x, y) { assert Assignment(r, a, keep); }
      if a :| Assignment(r, a, keep) { assert Through(r, a, keep, x, y); }
    }
  }

  // Whoever knows all records is left, for each of them, with at least so many published ones, and
  // of each of these some assignment of all records says that it is that record's.
  lemma NobodyIsSingledOut(r: Release, p: Promise, i: int) returns (js: set<int>)
    requires Valid(r) && Keeps(r, p) && 0 <= i < |r.original|
    ensures |js| >= p.least
    ensures forall j :: j in js ==> exists a :: Assignment(r, a, false) && a[i] == j
  {
    var m :| Matched(r, m) && Enough(r, p, m);
    js := m[i];
    forall j | j in js ensures exists a :: Assignment(r, a, false) && a[i] == j
    {
      assert Possible(r, i, j);
    }
  }
}
