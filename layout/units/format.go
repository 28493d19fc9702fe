package units

import (
	"math"
	"strconv"
	"strings"
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

// ExactBytes is a size to the byte: "67,108,864 B".
func ExactBytes(n int64) string { return Count(n) + " B" }

// Count is a number with thousands separators.
func Count(n int64) string { return grouped(strconv.FormatInt(n, 10)) }

// grouped puts separators into a whole number.
func grouped(digits string) string {
	first := 0
	if strings.HasPrefix(digits, "-") {
		first = 1
	}
	for i := len(digits) - 3; i > first; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Duration is a length of time given in microseconds: "6.59 s", "350 ms",
// "12.5 µs", "2 h 05 min".
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
		return sign + Count(h) + " h " + twoDigits(m) + " min"
	}
	return sign + strconv.FormatInt(m, 10) + " min " + twoDigits(s%60) + " s"
}

func twoDigits(n int64) string {
	if n < 10 {
		return "0" + strconv.FormatInt(n, 10)
	}
	return strconv.FormatInt(n, 10)
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

// BytesAtStep writes v bytes in the largest unit that needs at most three decimals to
// tell marks step bytes
// apart from one another.
func BytesAtStep(v, step float64) string {
	if v == 0 {
		return "0 B"
	}
	u := binaryUnit(v)
	for u > 0 && math.Ldexp(step, -10*u) < .125 {
		u--
	}
	s := strconv.FormatFloat(math.Ldexp(v, -10*u), 'f', -1, 64)
	if whole, part, found := strings.Cut(s, "."); !found && len(whole) > 4 {
		s = grouped(whole)
	} else if found && len(whole) > 4 {
		s = grouped(whole) + "." + part
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
			return Count(s/3600) + " h " + twoDigits(s/60%60) + " min"
		}
		return strconv.FormatInt(s/60, 10) + " min"
	case step >= .1e6:
		return withDecimals(v/1e6, step/1e6) + " s"
	case step >= .1e3:
		return withDecimals(v/1e3, step/1e3) + " ms"
	}
	return withDecimals(v, step) + " µs"
}

// withDecimals writes v with as many decimals as step has, thousands
// separated.
func withDecimals(v, step float64) string {
	if v == 0 {
		return "0"
	}
	d := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	whole, part, found := strings.Cut(strconv.FormatFloat(v, 'f', d, 64), ".")
	if found {
		return grouped(whole) + "." + part
	}
	return grouped(whole)
}
