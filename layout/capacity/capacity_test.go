package capacity

import (
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	for in, want := range map[string]string{
		"H100": "H100", "h100": "H100", " H 100 ": "H100", "NVIDIA H100 80GB HBM3": "H100", "H100-SXM5-80GB": "H100",
		"NVIDIA H100 PCIe": "H100",
		"h200":             "H200", "NVIDIA H200": "H200", "H20": "H20", "NVIDIA H20": "H20",
		"a100-80": "A100 80GB", "A100 80GB": "A100 80GB", "a100_80g": "A100 80GB", "A10080GB": "A100 80GB",
		"NVIDIA A100-SXM4-80GB": "A100 80GB", "NVIDIA A100 80GB PCIe": "A100 80GB",
		"a100-40": "A100 40GB", "A100-PCIE-40GB": "A100 40GB", "NVIDIA A100-SXM4-40GB": "A100 40GB",
		"V100-16": "V100 16GB", "Tesla V100-SXM2-32GB": "V100 32GB", "v100 32 GiB": "V100 32GB",
		"A10": "A10", "A10G": "A10G", "a10g 24gb": "A10G", "A10 24GB": "A10", "NVIDIA A10G": "A10G",
		"A40": "A40", "NVIDIA A40": "A40", "L4": "L4", "l40": "L40", "L40S": "L40S", "NVIDIA L40S": "L40S",
		"Tesla T4": "T4", "t4": "T4",
		"A6000": "RTX A6000", "NVIDIA RTX A6000": "RTX A6000", "rtxa6000": "RTX A6000",
		"6000 Ada": "RTX 6000 Ada", "NVIDIA RTX 6000 Ada Generation": "RTX 6000 Ada", "rtx6000ada": "RTX 6000 Ada",
		"Pro 6000 Blackwell":                                      "RTX Pro 6000 Blackwell",
		"NVIDIA RTX PRO 6000 Blackwell Server Edition":            "RTX Pro 6000 Blackwell",
		"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition": "RTX Pro 6000 Blackwell",
		"rtx pro 6000": "RTX Pro 6000 Blackwell",
		"4090":         "RTX 4090", "RTX4090": "RTX 4090", "NVIDIA GeForce RTX 3090": "RTX 3090",
		"geforce rtx 5090": "RTX 5090",
		"B200":             "B200", "b300": "B300", "NVIDIA B300 SXM6 AC": "B300",
		"GH200": "GH200 96GB", "NVIDIA GH200 480GB": "GH200 96GB", "GH200 144G HBM3e": "GH200 144GB",
		"MI300X": "MI300X", "AMD Instinct MI300X": "MI300X", "mi250x": "MI250X", "MI325X": "MI325X",
		"MI355X 288GB": "MI355X",
	} {
		c, err := Find(in)
		if err != nil || c.Name != want {
			t.Errorf("%q: %q, %v; want %q", in, c.Name, err, want)
		}
	}
}

func TestFindAmounts(t *testing.T) {
	for in, want := range map[string]struct {
		bytes int64
		label string
	}{
		"79.1GiB":   {84932978278, "79.1 GiB"}, // 79.1 × 2^30 = 84,932,978,278.4
		"80 GB":     {80_000_000_000, "80 GB"},
		"81559MiB":  {81559 << 20, "81559 MiB"},
		"1 tib":     {1 << 40, "1 TiB"},
		"512kb":     {512_000, "512 KB"},
		"1024 B":    {1024, "1024 B"},
		".5GiB":     {1 << 29, ".5 GiB"},
		"1024TiB":   {1 << 50, "1024 TiB"},
		" 24 GIB  ": {24 << 30, "24 GiB"},
	} {
		c, err := Find(in)
		if err != nil || c.Bytes != want.bytes || c.Label() != want.label || c.NominalGB != 0 {
			t.Errorf("%q: %+v %q, %v; want %v", in, c, c.Label(), err, want)
		}
	}
}

func TestFindRefuses(t *testing.T) {
	for in, says := range map[string]string{
		"":                              "a name such as H100",
		"   ":                           "a name such as H100",
		"H101":                          "RTX Pro 6000 Blackwell, RTX 6000 Ada", // the list
		"Voodoo2":                       "H100",
		"nvidia":                        "no such GPU",
		"rtx6000":                       "no such GPU",
		"80G":                           "80GiB or 80GB",
		"80":                            "unit, such as 80GiB",
		"1.2.3GB":                       "no number",
		"0GiB":                          "out of range",
		"1025TiB":                       "out of range",
		"9999":                          "no such GPU",
		"-5GiB":                         "no such GPU",
		"80GiBs":                        "no such GPU",
		"1e3GiB":                        "no such GPU",
		strings.Repeat("9", 400) + "GB": "out of range",
	} {
		c, err := Find(in)
		if err == nil || !strings.Contains(err.Error(), says) || c != (Capacity{}) {
			t.Errorf("%.20q: %+v, %v; want an error with %q", in, c, err, says)
		}
	}
}

// TestSeveralKinds: a name of several GPUs is the larger, and says so.
func TestSeveralKinds(t *testing.T) {
	for in, want := range map[string]string{"A100": "A100 80GB", "v100": "V100 32GB"} {
		c, err := Find(in)
		if err != nil || c.Name != want || !strings.Contains(c.Note, "the larger is taken, "+want) {
			t.Errorf("%s: %+v, %v", in, c, err)
		}
	}
	if c, err := Find("a100-40"); err != nil || c.Note != "" {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestTable holds every row to what can be known of it: nothing has more than 2^30 bytes for each nominal gigabyte,
// nor loses more than an eighth of the 10^9; every name finds its own row and no other.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range Known() {
		if seen[g.Name] {
			t.Errorf("%s twice", g.Name)
		}
		seen[g.Name] = true
		if g.Bytes > int64(g.NominalGB)<<30 || g.Bytes < int64(g.NominalGB)*1_000_000_000*7/8 {
			t.Errorf("%s: %d bytes usable of nominally %d GB", g.Name, g.Bytes, g.NominalGB)
		}
		if c, err := Find(g.Name); err != nil || c != g {
			t.Errorf("%s finds %+v, %v", g.Name, c, err)
		}
		others := 0
		for _, o := range Known() {
			if o.is(normalize(strings.TrimSuffix(g.Name, "GB"))) {
				others++
			}
		}
		if others != 1 {
			t.Errorf("%s names %d rows", g.Name, others)
		}
	}
	for _, name := range strings.Split("H100 H200 H20 A100-40 A100-80 B200 B300 GH200 MI250X MI300X MI325X MI355X "+
		"A10 A10G A40 A6000 L4 L40 L40S V100-16 V100-32 T4 3090 4090 5090 6000Ada Pro6000Blackwell", " ") {
		if _, err := Find(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLabel(t *testing.T) {
	for in, want := range map[string]string{
		"H100": "H100 80 GB (79.1 GiB usable)", "A100-80": "A100 80GB (79.1 GiB usable)",
		"4090": "RTX 4090 24 GB (23.5 GiB usable)", "79.1GiB": "79.1 GiB",
	} {
		if c, err := Find(in); err != nil || c.Label() != want {
			t.Errorf("%s: %q, %v; want %q", in, c.Label(), err, want)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"H100", "79.1GiB", "A100", "80G", "."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := Find(s)
		if (err == nil) != (c.Bytes > 0) || err == nil && c.Label() == "" {
			t.Errorf("%q: %+v, %v", s, c, err)
		}
	})
}
