package snapshot

import (
	"context"
	"testing"
)

// TestNestedProgress: of a file that is compressed twice, progress is told from one goroutine while another one
// unpacks.
func TestNestedProgress(t *testing.T) {
	data := gzipped(t, gzipped(t, bigPickle(8<<20)))
	last, calls := int64(0), 0
	_, err := Read(context.Background(), "", data, Options{Progress: func(done, total int64) {
		if done < last || done > total || total != int64(len(data)) {
			t.Errorf("progress %d of %d after %d", done, total, last)
		}
		last = done
		calls++
	}})
	if err != nil || calls < 5 || last != int64(len(data)) {
		t.Errorf("%v, %d calls, the last with %d of %d", err, calls, last, len(data))
	}
}
