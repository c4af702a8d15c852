// Package bag holds records that are bags of numbers: payments, measurements, dates. Duplicates
// count.
//
// It is the counterpart of package dataset for continuous values. Numbers are exact at any length
// and keep their own text. A [Bags] is either original data, whose terms are all values, or
// published data, whose terms are values and ranges; both are read and written in the same layouts.
package bag
