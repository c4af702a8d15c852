// Package webui is the local page of "mingle serve": the way from a file to a signed report in a
// browser. It has no logic of its own. What is chosen on the page becomes the arguments of a
// command, the command line makes a [pipeline.Job] of them, and the page runs that job; so the
// page makes the bytes that the command makes.
//
// The page is for one person at one machine: see docs/threat-model.md for what keeps others out.
package webui
