package snapshot

// Severity orders findings.
type Severity uint8

// Info is a fact, Notice limits what can be seen, Warning means that data is missing, damaged or was skipped.
const (
	Info Severity = iota
	Notice
	Warning
)

// A Finding is one thing the reader or the layout has to say about a file.
type Finding struct {
	ID       string // stable, machine-readable, such as "history-off"
	Severity Severity
	Title    string // a few words, shown on the chip: "no times recorded"
	Explain  string // one sentence
	Advice   string // what to do next time, where useful; may hold a line of Python
	Count    int64  // how many, where it is something counted
	Offset   int64  // first byte concerned, -1 where not applicable
}
