// Package mingle publishes set-valued data (baskets, diagnoses, clicks, queries, payments) so that no person in it can be
// singled out, and proves it.
package mingle
