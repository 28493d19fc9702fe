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
