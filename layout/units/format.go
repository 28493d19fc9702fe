// Package units writes bytes, durations, counts and times as text. Nothing else in Strata formats them for people.
package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

var binaryUnits = [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// binaryUnit is the index of the largest unit of which v has at least one.
func binaryUnit(v float64) int {
	u := 0
	for v = math.Abs(v); v >= 1024 && u < len(binaryUnits)-1; u++ {
		v /= 1024
	}
	return u
}

// Bytes is a size to be read at a glance: "64.0 MiB", "512 B".
func Bytes(n int64) string {
	u := binaryUnit(float64(n))
	if u == 0 {
		return strconv.FormatInt(n, 10) + " B"
	}
	v := math.Ldexp(float64(n), -10*u)
	s := strconv.FormatFloat(v, 'f', decimals(v), 64)
	if math.Abs(v) >= 1023.5 && strings.HasSuffix(s, "1024") && u < len(binaryUnits)-1 {
		// Rounding has carried it into the next unit.
		u++
		v = math.Ldexp(float64(n), -10*u)
		s = strconv.FormatFloat(v, 'f', decimals(v), 64)
	}
	return s + " " + binaryUnits[u]
}

// decimals gives three or four significant digits.
func decimals(v float64) int {
	switch v = math.Abs(v); {
	case v < 9.995:
		return 2
	case v < 999.95:
		return 1
	}
	return 0
}

// Device is what a device is called: "GPU 0", or "Pinned host memory" below 0.
func Device(index int) string {
	if index < 0 {
		return "Pinned host memory"
	}
	return "GPU " + strconv.Itoa(index)
}

// ExactBytes is a size to the byte: "67,108,864 B".
func ExactBytes(n int64) string { return Count(n) + " B" }

// BytesInFull is a size at a glance and to the byte.
func BytesInFull(n int64) string {
	if n < 1024 {
		return ExactBytes(n)
	}
	return Bytes(n) + " (" + ExactBytes(n) + ")"
}

// SignedBytes is a difference of sizes: "+1.20 GiB", "−512 B", "0 B".
func SignedBytes(n int64) string {
	switch {
	case n > 0:
		return "+" + Bytes(n)
	case n < 0:
		return "−" + Bytes(max(-n, 0))
	}
	return Bytes(0)
}

// BytesChange is "8.90 → 8.74 GiB", the unit once where both have the same.
func BytesChange(a, b int64) string {
	x, y := Bytes(a), Bytes(b)
	if n, unit, ok := strings.Cut(x, " "); ok && strings.HasSuffix(y, " "+unit) {
		x = n
	}
	return x + " → " + y
}

// BytesRange is "8.74 – 8.90 GiB".
func BytesRange(low, high int64) string {
	return strings.Replace(BytesChange(low, high), "→", "–", 1)
}

// Count is a number with thousands separators.
func Count[N int | int32 | int64](n N) string { return grouped(strconv.FormatInt(int64(n), 10)) }

// ShortCount is a count to be read at a glance: "2.7 M".
func ShortCount(n int) string {
	switch {
	case n >= 9_995_000:
		return strconv.Itoa((n+500_000)/1_000_000) + " M"
	case n >= 999_500:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " M"
	case n >= 10_000:
		return strconv.Itoa((n+500)/1000) + " k"
	}
	return Count(n)
}

// Plural is a number of things: "1 block", "2,700 blocks".
func Plural[N int | int32 | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Count(n) + " " + thing + "s"
}

// grouped puts separators into the whole part of a number.
func grouped(digits string) string {
	whole, part, found := strings.Cut(digits, ".")
	first := 0
	if strings.HasPrefix(whole, "-") {
		first = 1
	}
	for i := len(whole) - 3; i > first; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if found {
		return whole + "." + part
	}
	return whole
}

// Elapsed is how long something took, as Duration writes it.
func Elapsed(d time.Duration) string { return Duration(float64(d.Microseconds())) }

// Duration is a length of time given in microseconds: "6.59 s", "350 ms", "12.5 µs", "2 h 05 min".
func Duration(us float64) string {
	switch a := math.Abs(us); {
	case a < 999.5:
		return significant(us) + " µs"
	case a < 999.5e3:
		return significant(us/1e3) + " ms"
	case a < 59.95e6:
		return significant(us/1e6) + " s"
	}
	sign := ""
	if us < 0 {
		sign = "−"
	}
	s := int64(math.Round(math.Abs(us) / 1e6))
	h, m := s/3600, s/60%60
	if h > 0 {
		return fmt.Sprintf("%s%s h %02d min", sign, Count(h), m)
	}
	return fmt.Sprintf("%s%d min %02d s", sign, m, s%60)
}

// significant prints three significant digits without trailing zeros.
func significant(v float64) string {
	d := 2
	if a := math.Abs(v); a >= 99.95 {
		d = 0
	} else if a >= 9.995 {
		d = 1
	}
	s := strconv.FormatFloat(v, 'f', d, 64)
	if d > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// BytesAtStep writes v bytes in the largest unit that needs at most three decimals to tell marks step bytes apart
// from one another.
func BytesAtStep(v, step float64) string {
	if v == 0 {
		return "0 B"
	}
	u := binaryUnit(v)
	for u > 0 && math.Ldexp(step, -10*u) < .125 {
		u--
	}
	s := strconv.FormatFloat(math.Ldexp(v, -10*u), 'f', -1, 64)
	if whole, _, _ := strings.Cut(s, "."); len(whole) > 4 {
		s = grouped(s)
	}
	return s + " " + binaryUnits[u]
}

// TimeAtStep writes a time in microseconds in the unit that fits the step.
func TimeAtStep(v, step float64) string {
	switch {
	case step >= 60e6:
		s := int64(math.Round(v / 1e6))
		if step >= 3600e6 {
			return Count(s/3600) + " h"
		}
		if s >= 3600 {
			return fmt.Sprintf("%s h %02d min", Count(s/3600), s/60%60)
		}
		return strconv.FormatInt(s/60, 10) + " min"
	case step >= .1e6:
		return withDecimals(v/1e6, step/1e6) + " s"
	case step >= .1e3:
		return withDecimals(v/1e3, step/1e3) + " ms"
	}
	return withDecimals(v, step) + " µs"
}

// withDecimals writes v with as many decimals as step has, thousands separated.
func withDecimals(v, step float64) string {
	if v == 0 {
		return "0"
	}
	d := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	return grouped(strconv.FormatFloat(v, 'f', d, 64))
}

// PreciseTime is a time in µs with as many digits as a pixel of the axis tells apart.
func PreciseTime(us, perPixel float64) string {
	unit, name := 1.0, " µs"
	switch {
	case us >= 1e6:
		unit, name = 1e6, " s"
	case us >= 1e3:
		unit, name = 1e3, " ms"
	}
	return strconv.FormatFloat(us/unit, 'f', digits(perPixel/unit), 64) + name
}

// PreciseBytes is a number of bytes with as many digits as a pixel of the axis tells apart, in a unit in which
// these are not too many.
func PreciseBytes(v, perPixel float64) string {
	u := binaryUnit(v)
	for u > 0 && math.Ldexp(perPixel, -10*u) < 1e-4 {
		u--
	}
	if u == 0 {
		return Count(int64(v)) + " B"
	}
	return strconv.FormatFloat(math.Ldexp(v, -10*u), 'f', digits(math.Ldexp(perPixel, -10*u)), 64) + " " +
		binaryUnits[u]
}

// digits is how many decimals tell steps apart.
func digits(step float64) int {
	n := 0
	for ; step < 1 && n < 6; step *= 10 {
		n++
	}
	return n
}

// Clip returns a text that others wrote as at most n runes in one line, without control characters.
func Clip(s string, n int) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " ")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
	if runes := []rune(s); len(runes) > n {
		s = string(runes[:n]) + "…"
	}
	return s
}
