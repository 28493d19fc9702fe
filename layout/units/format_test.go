package units

import (
	"math"
	"testing"
	"time"
)

func TestFormats(t *testing.T) {
	sizes := map[int64]string{0: "0 B", 1: "1 B", 1023: "1023 B", 1024: "1.00 KiB", 67108864: "64.0 MiB",
		536870912: "512.0 MiB", 1073741823: "1.00 GiB", 1073741824: "1.00 GiB", 17072495002: "15.9 GiB",
		math.MaxInt64: "8.00 EiB", -2048: "-2.00 KiB"}
	for n, want := range sizes {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
	if got := ExactBytes(67108864); got != "67,108,864 B" {
		t.Errorf("ExactBytes = %q", got)
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", -100: "-100"} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
	times := map[float64]string{0: "0 µs", 12.5: "12.5 µs", 350e3: "350 ms", 6.59e6: "6.59 s", 59.9e6: "59.9 s",
		61e6: "1 min 01 s", 3725e6: "1 h 02 min", 999.7: "1 ms", 1000: "1 ms"}
	for us, want := range times {
		if got := Duration(us); got != want {
			t.Errorf("Duration(%g) = %q, want %q", us, got, want)
		}
	}
}

func TestComposedFormats(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{PreciseTime(111382.4, .5), "111.3824 ms"}, {PreciseTime(0, 1000), "0 µs"},
		{PreciseTime(2.5e6, 2000), "2.500 s"},
		{PreciseBytes(5.4*(1<<30), 1<<20), "5.4000 GiB"}, {PreciseBytes(5527.3*(1<<20), 100<<10), "5527.30 MiB"},
		{PreciseBytes(900, 1), "900 B"}, {PreciseBytes(1<<40, .05), "1,099,511,627,776 B"},
		{BytesInFull(900), "900 B"}, {BytesInFull(67108864), "64.0 MiB (67,108,864 B)"},
		{BytesChange(1<<30, 3<<29), "1.00 → 1.50 GiB"}, {BytesChange(512, 2048), "512 B → 2.00 KiB"},
		{BytesRange(1<<30, 3<<29), "1.00 – 1.50 GiB"},
		{ShortCount(9_999), "9,999"}, {ShortCount(10_499), "10 k"}, {ShortCount(2_700_000), "2.7 M"},
		{ShortCount(27_400_000), "27 M"},
		{Plural(1, "block"), "1 block"}, {Plural(0, "block"), "0 blocks"},
		{Plural(int64(2700), "block"), "2,700 blocks"},
		{Elapsed(1500 * time.Millisecond), "1.5 s"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
