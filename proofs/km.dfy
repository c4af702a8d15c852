// A second judge of releases over a hierarchy, proved: Dafny shows that what it accepts keeps the
// promise, and what it refuses does not. It is naive, written from docs/definitions.md alone, and
// shares nothing with package verify, which it is compared with (judge_test.go).
//
// What is to be read with care are the definitions up to Keeps, and Valid, which Judge checks. The
// rest is shown by the prover: tools/dafny.sh.
include "sets.dfy"

module KM {
  import opened Sets

  // Nodes of the hierarchy are numbered, leaves first, children before parents.
  datatype Release = Release(
    leaves: nat,
    parent: seq<int>,          // of every node; -1 at a root
    original: seq<set<int>>,   // line i: its items, which are leaves
    published: seq<set<int>>,  // line i: its labels, which are nodes
    secrets: nat,              // sensitive items are numbered from 0
    sensitive: seq<set<int>>,  // line i: those that it has
    person: seq<int>)          // line i: whose it is; below 0: nobody's who is known

  datatype Promise = Promise(
    k: nat,
    l: nat,                    // 0: nothing is promised of sensitive items
    m: nat,
    negative: bool,            // the adversary may know items that a person lacks
    persons: bool,             // k counts persons, and l both persons and lines
    share: nat)                // at most 1/share of the lines are one person's; 0: not promised

  predicate method Valid(r: Release)
  {
    && r.leaves <= |r.parent|
    && (forall u :: 0 <= u < |r.parent| ==> r.parent[u] == -1 || u < r.parent[u] < |r.parent|)
    && |r.original| == |r.published| == |r.sensitive| == |r.person|
    && (forall i :: 0 <= i < |r.published| ==> Within(r.original[i], 0, r.leaves))
    && (forall i :: 0 <= i < |r.published| ==> Within(r.published[i], 0, |r.parent|))
    && (forall i :: 0 <= i < |r.published| ==> Within(r.sensitive[i], 0, r.secrets))
  }

  // a is u, or above it.
  predicate method Covers(r: Release, a: int, u: int)
    requires Valid(r)
    decreases |r.parent| - u
  { a == u || (0 <= u < |r.parent| && r.parent[u] >= 0 && Covers(r, a, r.parent[u])) }

  // A label of a line is x, or above it.
  predicate method Covered(r: Release, line: set<int>, x: int)
    requires Valid(r)
  { exists u :: u in line && Covers(r, u, x) }

  // Of the labels of a line, u is the lowest that covers the leaf x.
  predicate method Lowest(r: Release, line: set<int>, u: int, x: int)
    requires Valid(r)
  {
    u in line && Covers(r, u, x) &&
    forall w :: w in line && w != u ==> !(Covers(r, u, w) && Covers(r, w, x))
  }

  // Line i is published from its original.
  predicate method FromOriginal(r: Release, i: int)
    requires Valid(r) && 0 <= i < |r.published|
  {
    && (forall x :: x in r.original[i] ==> Covered(r, r.published[i], x))
    && (forall u :: u in r.published[i] ==>
          exists x :: x in r.original[i] && Lowest(r, r.published[i], u, x))
  }

  // The leaf x is compatible with a line: a label is at or above it, and no label of the line is at
  // or below the child of that label that leads to x.
  predicate method Fits(r: Release, line: set<int>, x: int)
    requires Valid(r)
  {
    exists u :: u in line && Covers(r, u, x) &&
      forall v :: 0 <= v < |r.parent| && r.parent[v] == u && Covers(r, v, x) ==>
        forall w :: w in line ==> !Covers(r, v, w)
  }

  // The leaf x is in every original that is published as a line: it is all that the lowest label
  // above it can stand for.
  predicate method Sure(r: Release, line: set<int>, x: int)
    requires Valid(r)
  {
    exists u :: u in line && Lowest(r, line, u, x) &&
      forall y :: 0 <= y < r.leaves && Lowest(r, line, u, y) ==> y == x
  }

  // What an adversary may know, as a set of numbers: labels; items, which published labels cover;
  // items, which are compatible with a line; items, whatever the algorithm; labels, and, from
  // |parent| on, leaves that the person lacks.
  datatype Knowledge = Labels | Items | Possible | Whatever | Lacking

  function method Numbers(r: Release, what: Knowledge): nat
  {
    match what
    case Labels => |r.parent|
    case Items => r.leaves
    case Possible => r.leaves
    case Whatever => r.leaves
    case Lacking => |r.parent| + r.leaves
  }

  // Line i may be that of a person of whom c is known.
  predicate method Matches(r: Release, what: Knowledge, c: set<int>, i: int)
    requires Valid(r) && 0 <= i < |r.published|
  {
    var line := r.published[i];
    match what
    case Labels => c <= line
    case Items => forall x :: x in c ==> Covered(r, line, x)
    case Possible => forall x :: x in c ==> Fits(r, line, x)
    case Whatever => forall x :: x in c ==> Covered(r, line, x)
    case Lacking =>
      && (forall u :: u in c && u < |r.parent| ==> u in line)
      && (forall u :: u in line ==>
            exists x :: 0 <= x < r.leaves && |r.parent| + x !in c && Lowest(r, line, u, x))
  }

  // The lines that may be the person's; of those, the ones with the sensitive item s.
  function method Candidates(r: Release, what: Knowledge, c: set<int>): set<int>
    requires Valid(r)
  { set i | 0 <= i < |r.published| && Matches(r, what, c, i) }

  function method With(r: Release, what: Knowledge, c: set<int>, s: int): set<int>
    requires Valid(r)
  { set i | 0 <= i < |r.published| && Matches(r, what, c, i) && s in r.sensitive[i] }

  // No original line has all of c.
  predicate method Unheld(r: Release, c: set<int>)
  { forall i :: 0 <= i < |r.original| ==> !(c <= r.original[i]) }

  // The lines that are identical to line i, or surely have c.
  function method Companions(r: Release, i: int, c: set<int>): set<int>
    requires Valid(r) && 0 <= i < |r.published|
  {
    set j | 0 <= j < |r.published| &&
      (r.published[j] == r.published[i] || forall x :: x in c ==> Sure(r, r.published[j], x))
  }

  // Whose some lines are, as far as that is known.
  function method Persons(r: Release, lines: set<int>): set<int>
  { set i | i in lines && 0 <= i < |r.person| && r.person[i] >= 0 :: r.person[i] }

  function method OfPerson(r: Release, lines: set<int>, q: int): set<int>
  { set i | i in lines && 0 <= i < |r.person| && r.person[i] == q }

  // What k counts of some lines.
  function method Units(r: Release, p: Promise, lines: set<int>): nat
  { if p.persons then |Persons(r, lines)| else |lines| }

  // Of some lines, and of their persons where these are counted, at most one in l is with.
  predicate method Shared(r: Release, p: Promise, lines: set<int>, with: set<int>)
  {
    && p.l * |with| <= |lines|
    && (p.persons ==> p.l * |Persons(r, with)| <= |Persons(r, lines)|)
  }

  // At most one in share of some lines is any one person's.
  predicate method NobodyHasMost(r: Release, p: Promise, lines: set<int>)
  { forall q :: q in Persons(r, lines) ==> p.share * |OfPerson(r, lines, q)| <= |lines| }

  // What is promised where c is known.
  predicate method {:opaque} Hidden(r: Release, p: Promise, what: Knowledge, c: set<int>)
    requires Valid(r)
  {
    var lines := Candidates(r, what, c);
    && (Units(r, p, lines) >= p.k || (if what == Items then Unheld(r, c) else lines == {}))
    && (what == Whatever ==> forall i :: 0 <= i < |r.published| ==>
          i in Candidates(r, what, c) ==> |Companions(r, i, c)| >= p.k)
    && (what != Whatever && (what == Items ==> !Unheld(r, c)) ==>
          && (p.l > 0 ==> forall s :: 0 <= s < r.secrets ==>
                Shared(r, p, lines, With(r, what, c, s)))
          && (p.persons ==> NobodyHasMost(r, p, lines)))
  }

  predicate AllHidden(r: Release, p: Promise, what: Knowledge)
    requires Valid(r)
  { forall c: set<int> :: Within(c, 0, Numbers(r, what)) && |c| <= p.m ==> Hidden(r, p, what, c) }

  // Condition (c): a line is read child by child.
  predicate Closely(r: Release, p: Promise)
    requires Valid(r)
  {
    && (forall i, x :: 0 <= i < |r.published| && x in r.original[i] ==> Fits(r, r.published[i], x))
    && AllHidden(r, p, Possible)
  }

  // The condition against any algorithm, which is enough in place of (c) where nothing is
  // sensitive, and the lines are not of persons who have several.
  predicate WhateverTheReading(r: Release, p: Promise)
    requires Valid(r)
  { p.l == 0 && r.secrets == 0 && !p.persons && AllHidden(r, p, Whatever) }

  // The promise, as docs/definitions.md has it.
  predicate Keeps(r: Release, p: Promise)
    requires Valid(r)
  {
    && (forall i :: 0 <= i < |r.published| ==> FromOriginal(r, i))
    && AllHidden(r, p, Labels)
    && AllHidden(r, p, Items)
    && (Closely(r, p) || WhateverTheReading(r, p))
    && (p.negative ==> AllHidden(r, p, Lacking))
  }

  // Judge accepts a release exactly where it is well-formed and keeps the promise.
  method Judge(r: Release, p: Promise) returns (accepts: bool)
    ensures accepts <==> Valid(r) && Keeps(r, p)
  {
    if !Valid(r) || !(forall i :: 0 <= i < |r.published| ==> FromOriginal(r, i)) {
      return false;
    }
    accepts := All(r, p, Labels);
    if accepts { accepts := All(r, p, Items); }
    if accepts && p.negative { accepts := All(r, p, Lacking); }
    if accepts {
      accepts :=
        forall i, x :: 0 <= i < |r.published| && x in r.original[i] ==> Fits(r, r.published[i], x);
      if accepts { accepts := All(r, p, Possible); }
      if !accepts && p.l == 0 && r.secrets == 0 && !p.persons { accepts := All(r, p, Whatever); }
    }
  }

  method All(r: Release, p: Promise, what: Knowledge) returns (hidden: bool)
    requires Valid(r)
    ensures hidden <==> AllHidden(r, p, what)
  {
    var has := (c: set<int>) => Valid(r) && Hidden(r, p, what, c);
    hidden := TrySets(has, 0, Numbers(r, what), {}, p.m);
    if hidden {
      forall c: set<int> | Within(c, 0, Numbers(r, what)) && |c| <= p.m
        ensures Hidden(r, p, what, c)
      {
        assert {} + c == c;
        assert has({} + c);
      }
    }
    if AllHidden(r, p, what) {
      forall s: set<int> | Within(s, 0, Numbers(r, what)) && |s| <= p.m ensures has({} + s)
      {
        assert {} + s == s;
      }
    }
  }

  // What the promise means: any set of at most m labels, whatever numbers they are, occurs in no
  // line or in at least k, or in those of k persons; and has no sensitive item in more than 1/l.
  lemma NobodyIsSingledOut(r: Release, p: Promise, c: set<int>)
    requires Valid(r) && Keeps(r, p) && |c| <= p.m
    ensures Lines(r, c) == {} || Units(r, p, Lines(r, c)) >= p.k
    ensures p.l > 0 ==> forall s :: 0 <= s < r.secrets ==>
      Shared(r, p, Lines(r, c), set i | i in Lines(r, c) && s in r.sensitive[i])
    ensures p.persons ==> NobodyHasMost(r, p, Lines(r, c))
  {
    assert Lines(r, c) == Candidates(r, Labels, c);
    if Within(c, 0, |r.parent|) {
      assert Hidden(r, p, Labels, c);
      reveal Hidden();
    } else {
      Beyond(r, c);
    }
    forall s | p.l > 0 && 0 <= s < r.secrets
      ensures Shared(r, p, Lines(r, c), set i | i in Lines(r, c) && s in r.sensitive[i])
    {
      var with := set i | i in Lines(r, c) && s in r.sensitive[i];
      assert with == With(r, Labels, c, s);
      if !Within(c, 0, |r.parent|) {
        assert with == {} && Persons(r, with) == {} && Persons(r, Lines(r, c)) == {};
      }
    }
  }

  // The lines that have all labels of c.
  function Lines(r: Release, c: set<int>): set<int>
  { set i | 0 <= i < |r.published| && c <= r.published[i] }

  lemma Beyond(r: Release, c: set<int>)
    requires Valid(r) && !Within(c, 0, |r.parent|)
    ensures Lines(r, c) == {}
  {
    if i :| i in Lines(r, c) {
      var x :| x in c && !(0 <= x < |r.parent|);
      assert x in r.published[i];
      assert false;
    }
  }

  // Who knows some items of a person, at most m, is left with at least k lines, or those of k
  // persons: with those that have labels above them; with those that these items fit, the person's
  // own among them, or else with the lines identical to the person's own and those that surely have
  // the items.
  lemma WhoKnowsItemsIsLeftWithMany(r: Release, p: Promise, i: int, c: set<int>)
    requires Valid(r) && Keeps(r, p) && 0 <= i < |r.published|
    requires c <= r.original[i] && |c| <= p.m
    ensures Units(r, p, Candidates(r, Items, c)) >= p.k
    ensures (i in Candidates(r, Possible, c) && Units(r, p, Candidates(r, Possible, c)) >= p.k) ||
      (!p.persons && |Companions(r, i, c)| >= p.k)
    ensures p.l > 0 ==> forall s :: 0 <= s < r.secrets ==>
      Shared(r, p, Candidates(r, Items, c), With(r, Items, c, s))
  {
    assert Within(c, 0, r.leaves);
    assert Hidden(r, p, Items, c);
    ByItems(r, p, i, c);
    if Closely(r, p) {
      Own(r, p, i, c);
      assert Hidden(r, p, Possible, c);
      ByReading(r, p, i, c);
    } else {
      assert Hidden(r, p, Whatever, c);
      ByAnyReading(r, p, i, c);
    }
  }

  lemma ByItems(r: Release, p: Promise, i: int, c: set<int>)
    requires Valid(r) && 0 <= i < |r.published| && c <= r.original[i]
    requires Hidden(r, p, Items, c)
    ensures Units(r, p, Candidates(r, Items, c)) >= p.k
    ensures p.l > 0 ==> forall s :: 0 <= s < r.secrets ==>
      Shared(r, p, Candidates(r, Items, c), With(r, Items, c, s))
  {
    reveal Hidden();
    assert !Unheld(r, c);
  }

  lemma ByReading(r: Release, p: Promise, i: int, c: set<int>)
    requires Valid(r) && Hidden(r, p, Possible, c) && i in Candidates(r, Possible, c)
    ensures Units(r, p, Candidates(r, Possible, c)) >= p.k
  {
    reveal Hidden();
    assert Candidates(r, Possible, c) != {};
  }

  lemma ByAnyReading(r: Release, p: Promise, i: int, c: set<int>)
    requires Valid(r) && 0 <= i < |r.published| && c <= r.original[i]
    requires FromOriginal(r, i) && Hidden(r, p, Whatever, c)
    ensures |Companions(r, i, c)| >= p.k
  {
    forall x | x in c ensures Covered(r, r.published[i], x) {
      assert x in r.original[i];
    }
    OwnWhatever(r, i, c);
    Many(r, p, i, c);
  }

  lemma OwnWhatever(r: Release, i: int, c: set<int>)
    requires Valid(r) && 0 <= i < |r.published|
    requires forall x :: x in c ==> Covered(r, r.published[i], x)
    ensures i in Candidates(r, Whatever, c)
  {
    assert Matches(r, Whatever, c, i);
  }

  lemma Many(r: Release, p: Promise, i: int, c: set<int>)
    requires Valid(r) && 0 <= i < |r.published| && i in Candidates(r, Whatever, c)
    requires Hidden(r, p, Whatever, c)
    ensures |Companions(r, i, c)| >= p.k
  {
    reveal Hidden();
  }

  lemma Own(r: Release, p: Promise, i: int, c: set<int>)
    requires Valid(r) && Closely(r, p) && 0 <= i < |r.published| && c <= r.original[i]
    ensures i in Candidates(r, Possible, c)
  {
    assert forall x :: x in c ==> Fits(r, r.published[i], x);
    assert Matches(r, Possible, c, i);
  }
}
