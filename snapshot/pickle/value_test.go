package pickle

import "testing"

// TestNumbersInPieces: every number is found again, also the last of a piece.
func TestNumbersInPieces(t *testing.T) {
	var table numbers
	for i := range uint64(5<<numbersShift + 1) {
		if at := table.add(i * 3); at != Value(i) {
			t.Fatalf("number %d is in place %d", i, at)
		}
		if got := table.at(Value(i)); got != i*3 {
			t.Fatalf("number %d is %d, want %d", i, got, i*3)
		}
	}
}

// TestNumbersCut: numbers that are taken back make room for others, also
// across pieces.
func TestNumbersCut(t *testing.T) {
	const piece = 1 << numbersShift
	for _, n := range []Value{0, 1, piece - 1, piece, piece + 1, 3*piece - 1, 3 * piece} {
		var table numbers
		for i := range uint64(3 * piece) {
			table.add(i)
		}
		if table.len() != 3*piece {
			t.Fatalf("%d numbers, want %d", table.len(), 3*piece)
		}
		table.cut(n)
		if table.len() != n {
			t.Errorf("%d numbers after a cut, want %d", table.len(), n)
		}
		if at := table.add(7); at != n || table.at(n) != 7 || n > 0 && table.at(n-1) != uint64(n-1) {
			t.Errorf("the next number after a cut at %d is in place %d", n, at)
		}
	}
}
