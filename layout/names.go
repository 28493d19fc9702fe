package layout

import (
	"strconv"
	"strings"

	"strata/snapshot"
)

// StreamName names a CUDA stream by its raw value: "stream 7", "default stream".
func StreamName(s *snapshot.Snapshot, id snapshot.StreamID) string {
	if v := s.Streams[id]; v != 0 {
		return "stream " + strconv.FormatInt(v, 10)
	}
	return "default stream"
}

// PoolName names a pool the way PyTorch's users know it: "default", "MemPool 7", "CUDA graph 3"; or "not recorded".
func PoolName(s *snapshot.Snapshot, id snapshot.PoolID) string {
	switch p := s.Pools[id]; {
	case id == 0:
		return "not recorded"
	case p.A == 0 && p.B == 0:
		return "default"
	case p.A == 0:
		return "MemPool " + strconv.FormatInt(p.B, 10)
	case p.B == 0:
		return "CUDA graph " + strconv.FormatInt(p.A, 10)
	default:
		return "(" + strconv.FormatInt(p.A, 10) + ", " + strconv.FormatInt(p.B, 10) + ")"
	}
}

// PoolTitle is such a name where nothing beside it says that it is a pool's.
func PoolTitle(name string) string {
	switch {
	case name == "not recorded":
		return "pool not recorded"
	case name == "default":
		return "default pool"
	case strings.HasPrefix(name, "("):
		return "pool " + name
	}
	return name
}
