// Trying all sets, and all bags, of at most so many numbers: what the judges of families have in
// common.

module Sets {
  predicate method Within(s: set<int>, low: int, high: int)
  { forall x :: x in s ==> low <= x < high }

  // Every set of at most left numbers from i up to n, together with c, has the property.
  predicate EverySet(has: set<int> -> bool, i: int, n: int, c: set<int>, left: nat)
  { forall s: set<int> :: Within(s, i, n) && |s| <= left ==> has(c + s) }

  // TrySets tries them: with i and without it.
  method TrySets(has: set<int> -> bool, i: nat, n: nat, c: set<int>, left: nat) returns (ok: bool)
    requires i <= n
    ensures ok <==> EverySet(has, i, n, c, left)
    decreases n - i
  {
    if left == 0 || i == n {
      ok := has(c);
      NoMoreInSet(has, i, n, c, left);
      return;
    }
    ok := TrySets(has, i + 1, n, c, left);
    if ok { ok := TrySets(has, i + 1, n, c + {i}, left - 1); }
    WithItOrNot(has, i, n, c, left);
  }

  lemma NoMoreInSet(has: set<int> -> bool, i: nat, n: nat, c: set<int>, left: nat)
    requires i <= n && (left == 0 || i == n)
    ensures EverySet(has, i, n, c, left) <==> has(c)
  {
    forall s: set<int> | Within(s, i, n) && |s| <= left ensures s == {}
    {
      if i == n && s != {} { var x :| x in s; }
    }
    assert Within({}, i, n) && c + {} == c;
  }

  lemma WithItOrNot(has: set<int> -> bool, i: nat, n: nat, c: set<int>, left: nat)
    requires i < n && left > 0
    ensures EverySet(has, i, n, c, left) <==>
      EverySet(has, i + 1, n, c, left) && EverySet(has, i + 1, n, c + {i}, left - 1)
  {
    if EverySet(has, i, n, c, left) {
      forall s: set<int> | Within(s, i + 1, n) && |s| <= left - 1 ensures has(c + {i} + s)
      {
        AddToSet(s, i, n, c);
        assert has(c + (s + {i}));
      }
    }
    if EverySet(has, i + 1, n, c, left) && EverySet(has, i + 1, n, c + {i}, left - 1) {
      forall s: set<int> | Within(s, i, n) && |s| <= left ensures has(c + s)
      {
        TakeFromSet(s, i, n, c);
        if i in s { assert has(c + {i} + (s - {i})); }
      }
    }
  }

  lemma AddToSet(s: set<int>, i: int, n: int, c: set<int>)
    requires Within(s, i + 1, n) && i < n
    ensures |s + {i}| == |s| + 1 && Within(s + {i}, i, n) && c + (s + {i}) == c + {i} + s
  {}

  lemma TakeFromSet(s: set<int>, i: int, n: int, c: set<int>)
    requires Within(s, i, n)
    ensures i in s ==> |s - {i}| == |s| - 1 && Within(s - {i}, i + 1, n)
    ensures i in s ==> c + {i} + (s - {i}) == c + s
    ensures i !in s ==> Within(s, i + 1, n)
  {}

  predicate Among(s: multiset<int>, low: int, high: int)
  { forall x :: x in s ==> low <= x < high }

  // Every bag of at most left numbers from i up to n, together with c, has the property.
  predicate EveryBag(has: multiset<int> -> bool, i: int, n: int, c: multiset<int>, left: nat)
  { forall s: multiset<int> :: Among(s, i, n) && |s| <= left ==> has(c + s) }

  // TryBags tries them: without i, and with one more of it.
  method TryBags(has: multiset<int> -> bool, i: nat, n: nat, c: multiset<int>, left: nat)
    returns (ok: bool)
    requires i <= n
    ensures ok <==> EveryBag(has, i, n, c, left)
    decreases n - i + left
  {
    if left == 0 || i == n {
      ok := has(c);
      NoMoreInBag(has, i, n, c, left);
      return;
    }
    ok := TryBags(has, i + 1, n, c, left);
    if ok { ok := TryBags(has, i, n, c + multiset{i}, left - 1); }
    OneMoreOrNot(has, i, n, c, left);
  }

  lemma NoMoreInBag(has: multiset<int> -> bool, i: nat, n: nat, c: multiset<int>, left: nat)
    requires i <= n && (left == 0 || i == n)
    ensures EveryBag(has, i, n, c, left) <==> has(c)
  {
    forall s: multiset<int> | Among(s, i, n) && |s| <= left ensures s == multiset{}
    {
      if i == n && s != multiset{} { var x :| x in s; }
    }
    assert Among(multiset{}, i, n) && c + multiset{} == c;
  }

  lemma OneMoreOrNot(has: multiset<int> -> bool, i: nat, n: nat, c: multiset<int>, left: nat)
    requires i < n && left > 0
    ensures EveryBag(has, i, n, c, left) <==>
      EveryBag(has, i + 1, n, c, left) && EveryBag(has, i, n, c + multiset{i}, left - 1)
  {
    if EveryBag(has, i, n, c, left) {
      forall s: multiset<int> | Among(s, i, n) && |s| <= left - 1
        ensures has(c + multiset{i} + s)
      {
        assert c + (s + multiset{i}) == c + multiset{i} + s;
        assert |s + multiset{i}| == |s| + 1;
        assert has(c + (s + multiset{i}));
      }
    }
    if EveryBag(has, i + 1, n, c, left) && EveryBag(has, i, n, c + multiset{i}, left - 1) {
      forall s: multiset<int> | Among(s, i, n) && |s| <= left ensures has(c + s)
      {
        if i in s {
          var t := s - multiset{i};
          assert s == multiset{i} + t;
          assert |t| == |s| - 1;
          assert c + multiset{i} + t == c + s;
          assert has(c + multiset{i} + t);
        }
      }
    }
  }
}
