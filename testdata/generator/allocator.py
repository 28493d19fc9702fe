"""A model of PyTorch's CUDA caching allocator, for one device.

What it keeps of the real one: sizes rounded to 512 bytes, a pool of small blocks (requests up to 1 MiB) and one of
large blocks for each stream and memory pool, best fit, splitting, coalescing of neighbours, segments of 2 MiB,
20 MiB or a multiple of 2 MiB, expandable segments that are mapped and unmapped page by page, frees that complete
later because another stream still uses the block, and the release of all cached segments before an allocation fails.

Every step costs O(log n): free blocks lie in sorted lists, neighbours are linked.
"""
import bisect
import collections

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

ROUND = 512                    # sizes are multiples of this
SMALL_LIMIT = MIB              # requests up to this come from the pool of small blocks
SMALL_SEGMENT = 2 * MIB
LARGE_SEGMENT = 20 * MIB       # segment for large requests below LARGE_LIMIT
LARGE_LIMIT = 10 * MIB
HUGE_STEP = 2 * MIB            # segments for still larger requests are multiples of this
ARENA_SPACING = 1 << 38        # address space reserved for one expandable segment

DEFAULT_POOL = (0, 0)
NO_FRAMES = []                 # blocks without a stack share one empty list, as in real files

ALLOCATED, PENDING, INACTIVE = 'active_allocated', 'active_pending_free', 'inactive'


class OutOfMemory(Exception):
    """The device could not serve a request; the oom event is recorded."""


class Segment:
    """A range from the driver: one cudaMalloc, or one growing range of mapped pages."""
    __slots__ = ('addr', 'end', 'lane', 'frames', 'last')

    def __init__(self, addr, end, lane, frames):
        self.addr, self.end, self.lane, self.frames = addr, end, lane, frames
        self.last = None       # block at the end, of expandable segments only


class Block:
    __slots__ = ('addr', 'size', 'requested', 'state', 'frames', 'segment', 'prev', 'next', 'history')

    def __init__(self, addr, size, segment):
        self.addr, self.size, self.segment = addr, size, segment
        self.requested, self.state, self.frames = 0, INACTIVE, NO_FRAMES
        self.prev = self.next = None
        self.history = ()      # (addr, requested, frames), newest first: what blocks carried before PyTorch 2.1


class Lane:
    """Free blocks that may serve one another's requests: same stream, same memory pool, same size class."""
    __slots__ = ('stream', 'pool', 'small', 'free', 'arena')

    def __init__(self, stream, pool, small):
        self.stream, self.pool, self.small = stream, pool, small
        self.free = []         # (size, addr), sorted
        self.arena = None      # the expandable segment


class Allocator:
    def __init__(self, base, capacity, expandable, record, keep_history=False):
        """record(action, addr, size, stream, frames, pool) is called for every event, in order."""
        self.next_addr, self.capacity, self.expandable = base, capacity, expandable
        self.record, self.keep_history = record, keep_history
        self.lanes, self.blocks, self.segments = {}, {}, {}
        self.pending = collections.deque()               # blocks whose free is requested but not complete
        self.returned = collections.defaultdict(list)    # segment size -> addresses given back to the driver
        self.reserved = self.active = 0

    # -- what a program calls

    def malloc(self, requested, frames, stream=0, pool=DEFAULT_POOL):
        """A live block of at least `requested` bytes."""
        size = max(ROUND, -(-requested // ROUND) * ROUND)
        small = size <= SMALL_LIMIT
        lane = self.lanes.get((stream, pool, small))
        if lane is None:
            lane = self.lanes[stream, pool, small] = Lane(stream, pool, small)
        block = self._best_fit(lane, size) or self._grow(lane, size, frames)
        if block is None:
            self.empty_cache(frames)
            block = self._best_fit(lane, size) or self._grow(lane, size, frames)
        if block is None:
            self.record('oom', self.capacity - self.reserved, size, stream, frames, pool)
            raise OutOfMemory(f'{size} bytes')
        self._split(block, size)
        block.requested, block.state, block.frames = requested, ALLOCATED, frames
        if self.keep_history:
            block.history = ((block.addr, requested, frames),) + block.history[:2]
        self.active += block.size
        self.record('alloc', block.addr, requested, stream, frames, pool)
        return block

    def free(self, block, frames, delayed=False):
        """Frees a block; delayed means that another stream still uses it, until complete_pending."""
        lane = block.segment.lane
        self.record('free_requested', block.addr, block.requested, lane.stream, frames, lane.pool)
        if delayed:
            block.state = PENDING
            self.pending.append((block, frames))
        else:
            self._complete(block, frames)

    def complete_pending(self, keep=0):
        """Completes all but the `keep` newest of the delayed frees."""
        while len(self.pending) > keep:
            self._complete(*self.pending.popleft())

    def empty_cache(self, frames):
        """Gives whole free segments, or free pages of expandable ones, back to the driver."""
        for lane in self.lanes.values():
            for size, addr in list(lane.free):
                block = self.blocks[addr]
                segment = block.segment
                if self.expandable:
                    self._unmap(block, frames)
                elif block.prev is None and block.next is None:
                    self.record('segment_free', addr, size, lane.stream, frames, lane.pool)
                    self._forget(block)
                    del self.segments[addr]
                    self.returned[size].append(addr)
                    self.reserved -= size

    def runs(self):
        """(segment, its blocks) for each contiguous mapped range, by address."""
        run = []
        for addr in sorted(self.blocks):
            block = self.blocks[addr]
            if run and (run[-1].segment is not block.segment or run[-1].addr + run[-1].size != addr):
                yield run[0].segment, run
                run = []
            run.append(block)
        if run:
            yield run[0].segment, run

    # -- free lists

    def _best_fit(self, lane, size):
        i = bisect.bisect_left(lane.free, (size, 0))
        if i == len(lane.free):
            return None
        return self.blocks[lane.free.pop(i)[1]]

    def _offer(self, block):
        bisect.insort(block.segment.lane.free, (block.size, block.addr))

    def _withdraw(self, block):
        free = block.segment.lane.free
        del free[bisect.bisect_left(free, (block.size, block.addr))]

    def _forget(self, block):
        self._withdraw(block)
        del self.blocks[block.addr]

    # -- blocks

    def _split(self, block, size):
        rest = block.size - size
        if rest < ROUND or (rest <= SMALL_LIMIT and not block.segment.lane.small):
            return
        tail = Block(block.addr + size, rest, block.segment)
        tail.prev, tail.next = block, block.next
        if tail.next:
            tail.next.prev = tail
        elif block.segment.last is block:
            block.segment.last = tail
        block.next, block.size = tail, size
        self.blocks[tail.addr] = tail
        self._offer(tail)

    def _complete(self, block, frames):
        lane = block.segment.lane
        self.record('free_completed', block.addr, block.requested, lane.stream, frames, lane.pool)
        self.active -= block.size
        block.state, block.frames = INACTIVE, NO_FRAMES      # requested stays, stale, as in real files
        if block.next and block.next.state is INACTIVE:
            self._withdraw(block.next)
            self._join(block, block.next)
        if block.prev and block.prev.state is INACTIVE:
            self._withdraw(block.prev)
            before = block.prev
            self._join(before, block)
            block = before
        self._offer(block)

    def _join(self, block, following):
        block.size += following.size
        block.next = following.next
        if following.next:
            following.next.prev = block
        elif block.segment.last is following:
            block.segment.last = block
        del self.blocks[following.addr]

    # -- segments

    def _grow(self, lane, size, frames):
        """A free block (in no free list) of at least `size` bytes in newly reserved memory, or None."""
        if self.expandable:
            return self._map(lane, size, frames)
        if lane.small:
            total = SMALL_SEGMENT
        elif size < LARGE_LIMIT:
            total = LARGE_SEGMENT
        else:
            total = -(-size // HUGE_STEP) * HUGE_STEP
        if self.reserved + total > self.capacity:
            return None
        if self.returned[total]:
            addr = self.returned[total].pop()
        else:
            addr = self.next_addr
            self.next_addr += total + (total >> 4) // HUGE_STEP * HUGE_STEP
        self.record('segment_alloc', addr, total, lane.stream, frames, lane.pool)
        self.reserved += total
        segment = self.segments[addr] = Segment(addr, addr + total, lane, frames)
        block = self.blocks[addr] = Block(addr, total, segment)
        return block

    def _map(self, lane, size, frames):
        arena = lane.arena
        if arena is None:
            arena = lane.arena = self.segments[self.next_addr] = Segment(self.next_addr, self.next_addr, lane, frames)
            self.next_addr += ARENA_SPACING
        tail = arena.last if arena.last and arena.last.state is INACTIVE else None
        page = SMALL_SEGMENT if lane.small else LARGE_SEGMENT
        mapped = -(-(size - (tail.size if tail else 0)) // page) * page
        if self.reserved + mapped > self.capacity:
            return None
        self.record('segment_map', arena.end, mapped, lane.stream, frames, lane.pool)
        self.reserved += mapped
        if tail:
            self._withdraw(tail)
            tail.size += mapped
        else:
            tail = self.blocks[arena.end] = Block(arena.end, mapped, arena)
            tail.prev = arena.last
            if tail.prev:
                tail.prev.next = tail
            arena.last = tail
        arena.end += mapped
        return tail

    def _unmap(self, block, frames):
        """Unmaps the whole pages inside a free block; what sticks out at either side stays mapped."""
        arena = block.segment
        lane = arena.lane
        page = SMALL_SEGMENT if lane.small else LARGE_SEGMENT
        end = block.addr + block.size
        low = arena.addr + -(-(block.addr - arena.addr) // page) * page
        high = arena.addr + (end - arena.addr) // page * page
        if low >= high:
            return
        self.record('segment_unmap', low, high - low, lane.stream, frames, lane.pool)
        self.reserved -= high - low
        self._forget(block)
        head = tail = None
        if low > block.addr:
            head = self._part(block.addr, low - block.addr, arena)
            head.prev = block.prev
        if end > high:
            tail = self._part(high, end - high, arena)
            tail.next = block.next
        if block.prev:
            block.prev.next = head
        if block.next:
            block.next.prev = tail
        if arena.last is block:          # the hole, or what is left of the block, is now the end
            arena.last = tail or head or block.prev
            arena.end = end if tail else low

    def _part(self, addr, size, segment):
        part = self.blocks[addr] = Block(addr, size, segment)
        self._offer(part)
        return part
