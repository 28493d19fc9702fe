// Package ascend reads what torch_npu's profiler writes about memory (profiler-files.md, section 4): the tables
// operator_memory.csv, memory_record.csv and npu_module_mem.csv, and who asked for the memory from trace_view.json
// beside them. It makes of them a trace like those of package kineto.
package ascend

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"strata/snapshot/csvlog"
	"strata/snapshot/kineto"
	"strata/snapshot/unpack"
)

// PTA and GE are kineto.DeviceID.Type of the two pools of an NPU, whose totals are never one: that of PyTorch, and that
// of the graph engine. c10 has no numbers for them.
const (
	PTA int16 = 1000 + iota
	GE
)

// A Profile is the files of one profile, "" where there is none. Main is that of the tables that tells of single
// allocations, else that of totals.
type Profile struct {
	Main, Records, Modules, Trace string
	Rank                          int // of profiler_info_N.json, -1 without
}

// Output is the subfolder that has the tables.
const Output = "ASCEND_PROFILER_OUTPUT"

// The names of the tables.
const (
	operators = "operator_memory.csv"
	records   = "memory_record.csv"
	modules   = "npu_module_mem.csv"
)

var (
	part = regexp.MustCompile(`^(operator_memory|memory_record|npu_module_mem)(_\d+)?\.csv$|^trace_view\.json$`)
	info = regexp.MustCompile(`^profiler_info_(\d{1,6})\.json$`)
)

// Find finds the profile that a path is of, a folder or one of its files; nil if it is none.
func Find(path string) *Profile {
	st, err := os.Stat(path)
	if err != nil {
		return nil
	}
	dirs := []string{filepath.Dir(path)}
	if st.IsDir() {
		dirs = []string{path, filepath.Join(path, Output)}
	} else if !part.MatchString(filepath.Base(path)) {
		return nil
	}
	for _, dir := range dirs {
		p := &Profile{Rank: -1}
		for _, e := range entries(dir) {
			switch m := part.FindStringSubmatch(e); {
			case m == nil:
			case m[1] == "operator_memory":
				p.Main = filepath.Join(dir, e)
			case m[1] == "memory_record":
				p.Records = filepath.Join(dir, e)
			case m[1] == "npu_module_mem":
				p.Modules = filepath.Join(dir, e)
			default:
				p.Trace = filepath.Join(dir, e)
			}
		}
		if p.Main = cmp.Or(p.Main, p.Records); p.Main == "" {
			continue
		}
		for _, e := range entries(filepath.Dir(dir)) {
			if m := info.FindStringSubmatch(e); m != nil {
				p.Rank, _ = strconv.Atoi(m[1])
			}
		}
		return p
	}
	return nil
}

// entries are the names in a folder, none if it cannot be read.
func entries(dir string) (names []string) {
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// A Line is a figure that no allocation adds up to, such as what HCCL holds.
type Line struct {
	Device int16 // the number of the NPU
	*csvlog.Line
}

// A Reading is what Read makes of a profile.
type Reading struct {
	*kineto.Trace
	Lines   []Line
	Streams []int64 // by Trace.Memory: of rows of operator_memory.csv, 0 of others
	// Figures are the reference's (shared/profiler/expected-samples.json), by table and what it names.
	Figures map[string]map[string]int64
	// Later are the blocks that other streams used beyond their free, and Latest for how long at most, nanoseconds.
	Later  int
	Latest int64
}

// Read reads a table in memory, and what is beside it; p may be nil. What is beside it and cannot be read is left out:
// the error is about the table, or kineto.ErrMemory, or that of opt.Tick.
func Read(data []byte, p *Profile, opt kineto.Options) (*Reading, error) {
	if int64(len(data)) > opt.Memory {
		return nil, kineto.ErrMemory
	}
	if p == nil {
		p = &Profile{Rank: -1}
	}
	m := &maker{out: &Reading{Trace: &kineto.Trace{Texts: []string{""}}, Figures: map[string]map[string]int64{}}}
	if p.Trace != "" {
		t, err := besides(p.Trace, opt)
		if err != nil {
			return nil, err
		}
		m.take(t)
	}
	m.out.Header.Rank = p.Rank
	m.begin()
	if csvlog.IsOperators(data) {
		list, skipped, err := csvlog.ReadOperators(data)
		if err != nil {
			return nil, err
		}
		m.out.Skipped += skipped
		m.operators(list)
		data = nil
	}
	for _, table := range []struct {
		name, path string
		data       []byte
	}{{records, p.Records, data}, {modules, p.Modules, nil}} {
		if table.data == nil && table.path != "" {
			table.data = small(table.path, opt.Memory)
		}
		if table.data == nil {
			continue
		}
		log, err := csvlog.Read(table.data)
		if err != nil && table.path == "" {
			return nil, err
		} else if err == nil {
			m.out.Skipped += log.Skipped
			m.log(table.name, log)
		}
	}
	return m.out, nil
}

// small reads a file whole, nil if it cannot be read or is bigger than limit.
func small(path string, limit int64) []byte {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() || st.Size() > limit {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return data
}

// besides reads the trace beside the tables, nil if it is none.
func besides(path string, opt kineto.Options) (*kineto.Trace, error) {
	f, err := unpack.Load(path)
	if err != nil {
		return nil, nil
	}
	defer f.Release()
	var t *kineto.Trace
	err = unpack.Guard(f.Data, func() error {
		t, _, err = kineto.Read(bytes.NewReader(f.Data), kineto.Options{Memory: opt.Memory,
			Tick: func(int64) error { return opt.Tick(0) }})
		return err
	})
	if errors.Is(err, kineto.ErrNotTrace) || errors.Is(err, unpack.ErrFault) {
		return nil, nil
	}
	return t, err
}
