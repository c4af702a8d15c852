package main

import "os"

// launch runs the program. A worker, as on other systems, would need pipes that processes cannot be
// given here; so a fault that cannot be caught ends with the code of Go's runtime, 2.
func launch(args []string) int { return program(args, os.Stdin, os.Stdout, os.Stderr) }
