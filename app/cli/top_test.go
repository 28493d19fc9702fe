package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"strata/app/export"
)

const sample = root + "/testdata/sample.pickle.gz"

// topJSON is what strata top --json prints of each device.
func topJSON(t *testing.T, args ...string) (tops []export.Held) {
	t.Helper()
	stdout, stderr, code := run(t, append([]string{"top", "--json"}, args...)...)
	if code != 0 || stderr != "" {
		t.Fatalf("%v: exit %d, %s", args, code, stderr)
	}
	for line := range strings.Lines(stdout) {
		var d export.Held
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		tops = append(tops, d)
	}
	return tops
}

// liveBySite is what SQL says of a step. What is known by its free alone has the stack of that.
const liveBySite = `SELECT CASE WHEN a.before_recording AND (a.stack IS NULL OR a.free_event IS NOT NULL AND
		a.stack IS a.free_stack OR a.site IS NULL) THEN 'before recording' WHEN a.site IS NULL THEN 'no stack'
	ELSE CASE WHEN f.filename <> '' THEN f.filename || coalesce(':' || f.line, '') || ' ' ELSE '' END ||
		f.name END AS name,
	sum(a.size) AS bytes, count(*) AS blocks
	FROM live l JOIN allocations a USING (device, id) LEFT JOIN frames f ON f.frame = a.site
	WHERE l.device = %d AND l.step = %d GROUP BY 1`

// TestTopEqualsSQL: of all snapshots at hand the groups at a step are what the table live says, and sum up to the
// total.
func TestTopEqualsSQL(t *testing.T) {
	files, _ := filepath.Glob(root + "/testdata/reference/*.pickle")
	more, _ := filepath.Glob(shared + "/snapshots/*.pickle")
	if more == nil {
		t.Log("../shared is not beside the project: its snapshots are skipped")
	}
	for _, file := range append(append(files, more...), sample) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			for _, at := range []string{"peak", "end", "start", "7"} {
				stdout, _, code := run(t, "top", "--json", "--at", at, file)
				if code != 0 && at == "7" {
					continue // it has fewer steps
				}
				for line := range strings.Lines(stdout) {
					var d export.Held
					if err := json.Unmarshal([]byte(line), &d); err != nil {
						t.Fatal(err)
					}
					compareWithSQL(t, file, d)
				}
			}
		})
	}
}

func compareWithSQL(t *testing.T, file string, d export.Held) {
	t.Helper()
	stdout, stderr, code := run(t, "query", "--format", "csv", file, fmt.Sprintf(liveBySite, d.Device, d.Step))
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if code != 0 || err != nil {
		t.Fatalf("exit %d, %s, %v", code, stderr, err)
	}
	want, got, total := map[string][2]string{}, map[string][2]string{}, int64(0)
	for _, r := range rows[1:] {
		want[r[0]] = [2]string{r[1], r[2]}
	}
	for _, g := range d.Groups {
		got[g.Name] = [2]string{strconv.FormatInt(g.Bytes, 10), strconv.FormatInt(g.Blocks, 10)}
		total += g.Bytes
	}
	if total != d.Total {
		t.Errorf("at %s: groups sum up to %d, the total is %d", d.At, total, d.Total)
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("at %s, device %d: %q is %v, in SQL %v", d.At, d.Device, name, got[name], want[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("at %s: %d groups, in SQL %d", d.At, len(got), len(want))
	}
}

func TestTopOfSample(t *testing.T) {
	top := topJSON(t, sample)[0]
	if first := top.Groups[0]; top.Step != 10800 || top.Total != 21708531456 || first.Bytes != 6872064000 ||
		first.Name != "/home/user/strata-demo/train.py:112 evaluate" {
		t.Errorf("step %d, %d bytes, first %v", top.Step, top.Total, first)
	}
	d := topJSON(t, sample, "--against", "peak", "--at", "peak")[0]
	for _, g := range d.Groups {
		if g.Difference != 0 || g.New != 0 || g.Gone != 0 || g.Common != g.Blocks {
			t.Errorf("the peak against itself: %v", g)
		}
	}
	limited := topJSON(t, sample, "--limit", "3", "--by", "stack", "--at", "end", "--against", "start")[0]
	sum := limited.Rest.Bytes
	for _, g := range limited.Groups {
		sum += g.Bytes
	}
	if len(limited.Groups) != 3 || sum != limited.Total || limited.Rest.Difference+limited.Groups[0].Difference+
		limited.Groups[1].Difference+limited.Groups[2].Difference != limited.Total-limited.Against.Total {
		t.Errorf("three groups and the rest sum up to %d, want %d", sum, limited.Total)
	}
	phase := topJSON(t, sample, "--at", "phase:## eval ##")[0]
	if phase.Total <= 0 || phase.Total > top.Total {
		t.Errorf("in ## eval ## %d bytes were held", phase.Total)
	}
	for _, bad := range [][]string{{"--at", "noon"}, {"--at", "99999999"}, {"--at", "phase:nobody"}, {"--by", "colour"},
		{"--limit", "-1"}, {"--format", "xml"}} {
		if _, stderr, code := run(t, append([]string{"top", sample}, bad...)...); code == 0 || !strings.Contains(stderr,
			strings.TrimPrefix(bad[1], "phase:")) {
			t.Errorf("%v: exit %d, %s", bad, code, stderr)
		}
	}
}

// TestTopProfiles: pprof and collapsed stacks hold the moment's bytes, and PyTorch's users' tools read them.
func TestTopProfiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "peak.pb.gz")
	if _, stderr, code := run(t, "top", sample, "--format", "pprof", "-o", file); code != 0 {
		t.Fatal(stderr)
	}
	pprof := exec.Command("go", "tool", "pprof", "-top", "-unit=B", "-nodefraction=0", file)
	printed, err := pprof.Output()
	if err != nil {
		t.Skipf("go tool pprof: %v", err)
	}
	if !strings.Contains(string(printed), "21708531456B") {
		t.Errorf("go tool pprof prints\n%s", printed)
	}
	held := map[string]int64{}
	for _, g := range topJSON(t, sample, "--by", "function")[0].Groups {
		_, name, _ := strings.Cut(g.Name, " ")
		name, _, _ = strings.Cut(name, "(") // pprof prints names alone
		held[name] += g.Bytes
	}
	for name, bytes := range held {
		if !regexp.MustCompile(fmt.Sprintf(`(?m)^ *%dB .* \Q%s\E$`, bytes, name)).Match(printed) {
			t.Errorf("%s holds %d bytes; go tool pprof prints\n%s", name, bytes, printed)
		}
	}
	stdout, _, _ := run(t, "top", sample, "--format", "pprof", "--against", "start", "--by", "stack")
	p, err := profile.Parse(strings.NewReader(stdout))
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, s := range p.Sample {
		sum += s.Value[1]
	}
	stdout, _, _ = run(t, "top", sample, "--format", "collapsed")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	collapsed := int64(0)
	for _, line := range lines {
		n, err := strconv.ParseInt(line[strings.LastIndexByte(line, ' ')+1:], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		collapsed += n
	}
	if sum != 21708531456 || collapsed != sum || !slices.ContainsFunc(lines, func(l string) bool {
		return strings.Contains(l, ";/home/user/strata-demo/train.py:112 evaluate;")
	}) {
		t.Errorf("pprof sums up to %d, collapsed stacks to %d", sum, collapsed)
	}
	if _, stderr, code := run(t, "top", root+"/testdata/generated/devices.pickle", "--format", "pprof"); code == 0 ||
		!strings.Contains(stderr, "--device") {
		t.Errorf("a profile of several devices: exit %d, %s", code, stderr)
	}
}
