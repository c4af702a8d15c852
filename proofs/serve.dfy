// Judges releases that stand on standard input as integers, and prints 1 or 0 for each: accepted or
// not. This, shell.cs and the compiler are not proved.
include "judge.dfy"

// The next integer of standard input; -2 at its end. shell.cs has it.
method {:extern "Shell.Input", "Next"} Next() returns (n: int)

method Number() returns (n: nat)
{
  var x := Next();
  n := if x < 0 then 0 else x;
}

// A release: k, l, m, negative; leaves, nodes, their parents; sensitive items; lines, each with its
// items, its labels and its sensitive items. A set is its size and its elements.
method Main()
  decreases *
{
  var k := Next();
  while k >= 0
    decreases *
  {
    var l := Number();
    var m := Number();
    var negative := Number();
    var leaves := Number();
    var parent := Integers();
    var secrets := Number();
    var lines := Number();
    var original, published, sensitive: seq<set<int>> := [], [], [];
    while lines > 0
    {
      var items := Integers();
      var labels := Integers();
      var own := Integers();
      original := original + [Elements(items)];
      published := published + [Elements(labels)];
      sensitive := sensitive + [Elements(own)];
      lines := lines - 1;
    }
    var accepts := Judge(Release(leaves, parent, original, published, secrets, sensitive),
      Promise(k, l, m, negative == 1));
    print if accepts then 1 else 0, "\n";
    k := Next();
  }
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

function method Elements(s: seq<int>): set<int>
{ set x | x in s }
