// Standard input as integers, for serve.dfy.
namespace Shell {
  using System;
  using System.Numerics;

  public partial class Input {
    static string[] words = new string[0];
    static int at = 0;

    public static void Next(out BigInteger n) {
      while (at == words.Length) {
        string line = Console.In.ReadLine();
        if (line == null) {
          n = -9;
          return;
        }
        words = line.Split(new char[] {' '}, StringSplitOptions.RemoveEmptyEntries);
        at = 0;
      }
      n = BigInteger.Parse(words[at++]);
    }
  }
}
