package snapshot

import "strata/snapshot/pickle"

// The strings of the schema, as ids in the heap's string table, which begins with knownStrings: comparing ids is
// comparing strings.
const (
	sEmpty uint32 = iota
	sSegments
	sDeviceTraces
	sAllocatorSettings
	sExternalAnnotations
	sHostSegments
	sHostTraces
	sOverflowed
	sMaxEntries
	sAction
	sAddr
	sDeviceFree
	sSize
	sStream
	sTimeUS
	sFrames
	sCompileContext
	sUserMetadata
	sInternalMetadata
	sPoolID
	sForwardFrames
	sCategory
	sDevice
	sAddress
	sTotalSize
	sAllocatedSize
	sActiveSize
	sRequestedSize
	sSegmentType
	sSegmentPoolID
	sIsExpandable
	sBlocks
	sState
	sHistory
	sRealSize
	sName
	sFilename
	sLine
	sFXOp
	sFXName
	sFXTarget
	sFXTrace
	sStage
	sKeys // those before it are keys and fit into a keyset

	sNA
	sAlloc
	sFreeRequested
	sFreeCompleted
	sFree
	sSegmentAlloc
	sSegmentFree
	sSegmentMap
	sSegmentUnmap
	sSnapshot
	sOOM
	sAnnotate
	sWorkspaceSnapshot
	sUserDefined
	sActiveAllocated
	sActivePendingFree
	sActiveAwaitingFree
	sInactive
	sLarge
	sStart
	sEnd
	sKnown
)

var knownStrings = [sKnown]string{
	sEmpty:    "",
	sSegments: "segments", sDeviceTraces: "device_traces", sAllocatorSettings: "allocator_settings",
	sExternalAnnotations: "external_annotations", sHostSegments: "host_segments", sHostTraces: "host_traces",
	sOverflowed: "trace_alloc_overflowed", sMaxEntries: "trace_alloc_max_entries",
	sAction: "action", sAddr: "addr", sDeviceFree: "device_free", sSize: "size", sStream: "stream",
	sTimeUS: "time_us", sFrames: "frames", sCompileContext: "compile_context", sUserMetadata: "user_metadata",
	sInternalMetadata: "internal_metadata", sPoolID: "pool_id", sForwardFrames: "forward_frames", sCategory: "category",
	sDevice: "device", sAddress: "address", sTotalSize: "total_size", sAllocatedSize: "allocated_size",
	sActiveSize: "active_size", sRequestedSize: "requested_size", sSegmentType: "segment_type",
	sSegmentPoolID: "segment_pool_id", sIsExpandable: "is_expandable", sBlocks: "blocks",
	sState: "state", sHistory: "history", sRealSize: "real_size",
	sName: "name", sFilename: "filename", sLine: "line",
	sFXOp: "fx_node_op", sFXName: "fx_node_name", sFXTarget: "fx_node_target", sFXTrace: "fx_original_trace",
	sStage: "stage",
	sKeys:  "\x00", sNA: "N/A",
	sAlloc: "alloc", sFreeRequested: "free_requested", sFreeCompleted: "free_completed", sFree: "free",
	sSegmentAlloc: "segment_alloc", sSegmentFree: "segment_free",
	sSegmentMap: "segment_map", sSegmentUnmap: "segment_unmap",
	sSnapshot: "snapshot", sOOM: "oom", sAnnotate: "annotate", sWorkspaceSnapshot: "workspace_snapshot",
	sUserDefined: "user_defined", sActiveAllocated: "active_allocated", sActivePendingFree: "active_pending_free",
	sActiveAwaitingFree: "active_awaiting_free", sInactive: "inactive", sLarge: "large", sStart: "START", sEnd: "END",
}

var actionOf = [sKnown]Action{
	sAlloc: ActionAlloc, sFreeRequested: ActionFreeRequested, sFreeCompleted: ActionFreeCompleted, sFree: ActionFree,
	sSegmentAlloc: ActionSegmentAlloc, sSegmentFree: ActionSegmentFree, sSegmentMap: ActionSegmentMap,
	sSegmentUnmap: ActionSegmentUnmap, sSnapshot: ActionSnapshot, sOOM: ActionOOM, sAnnotate: ActionAnnotate,
	sWorkspaceSnapshot: ActionWorkspaceSnapshot, sUserDefined: ActionUserDefined,
}

var stateOf = [sKnown]BlockState{
	sActiveAllocated: BlockAllocated, sActivePendingFree: BlockPendingFree, sActiveAwaitingFree: BlockPendingFree,
	sInactive: BlockInactive,
}

// The classes of records that stand for dicts and lists in the heap.
const (
	classFrame      = 1                   // n: FrameID
	classStack      = 2                   // n: StackID
	classHistory    = 3                   // n: index into builder.history
	classText       = 4                   // n: id of a string in the heap; user metadata that was a dict
	classEvent      = pickle.RunClass     // n: row of builder.events
	classBlock      = pickle.RunClass + 1 // n: row of builder.blocks
	classSegment    = pickle.RunClass + 2 // n: row of builder.segments
	classAnnotation = pickle.RunClass + 3 // n: row of builder.annotations
)

// A keyset is the set of known keys a dict has.
type keyset uint64

func (k keyset) has(s uint32) bool { return k>>s&1 != 0 }

func keys(ss ...uint32) (k keyset) {
	for _, s := range ss {
		k |= 1 << s
	}
	return k
}

var (
	rootKeys  = keys(sSegments, sDeviceTraces, sHostTraces, sHostSegments)
	annKeys   = keys(sStage, sName)
	blockKeys = keys(sState, sSize)
	frameKeys = keys(sName, sLine)

	annotationKeys = keys(sStage, sName, sDevice, sTimeUS) // others are kept as text
)

// classify returns the class of a dict by the keys that are in all versions of the format; 0 if it has none.
func classify(k keyset) uint8 {
	switch {
	case k&rootKeys != 0:
		return 0
	case k.has(sAction):
		return classEvent
	case k.has(sTotalSize), k.has(sBlocks):
		return classSegment
	case k.has(sRealSize):
		return classHistory
	case k&blockKeys == blockKeys:
		return classBlock
	case k&annKeys == annKeys:
		return classAnnotation
	case k.has(sFilename), k&frameKeys == frameKeys:
		return classFrame
	}
	return 0
}
