// Judges releases that stand on standard input as integers, and prints 1 or 0 for each: accepted or
// not. This, shell.cs and the compiler are not proved.
include "km.dfy"
include "coherence.dfy"
include "bags.dfy"
include "nonreciprocal.dfy"

// The next integer of standard input; -9 at its end. shell.cs has it.
method {:extern "Shell.Input", "Next"} Next() returns (n: int)

method Number() returns (n: nat)
{
  var x := Next();
  n := if x < 0 then 0 else x;
}

// Each release begins with its family.
method Main()
  decreases *
{
  var family := Next();
  while family >= 0
    decreases *
  {
    var accepts := false;
    if family == 0 { accepts := JudgeKM(); }
    if family == 1 { accepts := JudgeCoherence(); }
    if family == 2 { accepts := JudgeBags(); }
    if family == 3 { accepts := JudgeNonreciprocal(); }
    print if accepts then 1 else 0, "\n";
    family := Next();
  }
}

// k, l, m, negative, persons, share; leaves, nodes, their parents; sensitive items; lines, each
// with its items, its labels, its sensitive items and its person. A set is its size and its
// elements.
method JudgeKM() returns (accepts: bool)
{
  var k := Number();
  var l := Number();
  var m := Number();
  var negative := Number();
  var persons := Number();
  var share := Number();
  var leaves := Number();
  var parent := Integers();
  var secrets := Number();
  var lines := Number();
  var original, published, sensitive: seq<set<int>> := [], [], [];
  var person: seq<int> := [];
  while lines > 0
  {
    var items := Set();
    var labels := Set();
    var own := Set();
    original := original + [items];
    published := published + [labels];
    sensitive := sensitive + [own];
    var whose := Next();
    person := person + [whose];
    lines := lines - 1;
  }
  accepts := KM.Judge(
    KM.Release(leaves, parent, original, published, secrets, sensitive, person),
    KM.Promise(k, l, m, negative == 1, persons == 1, share));
}

// k, p, h as a part of a whole; public items, private ones; lines, each with its items before and
// after.
method JudgeCoherence() returns (accepts: bool)
{
  var k := Number();
  var p := Number();
  var part := Number();
  var whole := Number();
  var publics := Number();
  var privates := Number();
  var lines := Number();
  var original, published: seq<set<int>> := [], [];
  while lines > 0
  {
    var before := Set();
    var after := Set();
    original := original + [before];
    published := published + [after];
    lines := lines - 1;
  }
  accepts := Coherence.Judge(Coherence.Release(publics, privates, original, published),
    Coherence.Promise(k, p, part, whole));
}

// k, m; terms, each with both ends; records, each with its numbers and its terms.
method JudgeBags() returns (accepts: bool)
{
  var k := Number();
  var m := Number();
  var n := Number();
  var terms: seq<Bags.Term> := [];
  while n > 0
  {
    var low := Next();
    var high := Next();
    terms, n := terms + [Bags.Term(low, high)], n - 1;
  }
  n := Number();
  var original, published: seq<seq<int>> := [], [];
  while n > 0
  {
    var numbers := Integers();
    var of := Integers();
    original, published, n := original + [numbers], published + [of], n - 1;
  }
  accepts := Bags.Judge(Bags.Release(terms, original, published), Bags.Promise(k, m));
}

// k or l, whether it is l, whether labels are given; records, each with its items and its label;
// what is published, each with base, uncertain items, threshold and label.
method JudgeNonreciprocal() returns (accepts: bool)
{
  var least := Number();
  var diverse := Number();
  var labelled := Number();
  var n := Number();
  var original: seq<set<int>> := [];
  var labels: seq<int> := [];
  while n > 0
  {
    var items := Set();
    var tag := Next();
    original, labels, n := original + [items], labels + [tag], n - 1;
  }
  n := Number();
  var published: seq<Nonreciprocal.Shown> := [];
  while n > 0
  {
    var base := Set();
    var uncertain := Set();
    var threshold := Number();
    var tag := Next();
    published := published + [Nonreciprocal.Shown(base, uncertain, threshold, tag)];
    n := n - 1;
  }
  accepts := Nonreciprocal.Judge(
    Nonreciprocal.Release(labelled == 1, original, labels, published),
    Nonreciprocal.Promise(least, diverse == 1));
}

method Integers() returns (s: seq<int>)
{
  var n := Number();
  s := [];
  while n > 0
  {
    var x := Next();
    s, n := s + [x], n - 1;
  }
}

method Set() returns (s: set<int>)
{
  var numbers := Integers();
  s := set x | x in numbers;
}
