"""Writes a trace while it happens, so that a snapshot of any size needs little memory.

Python's C pickler wants the whole object first and then keeps every part of it; tens of millions of events are too
much for that. Here Python's own pickler in Python (pickle._Pickler) writes everything but the events, and those are
written beside it, event by event, with the same opcodes and memo numbers. The traces come before the segments in the
file, because the segments are known only at the end; otherwise it is what pickle.dump would have written.
"""
import pickle
import struct

SWEEP = 50_000          # events between two looks at which stacks are still held
BATCH = 1000            # items of one APPENDS, as Python's pickler has it


class Pickler(pickle._Pickler):
    """Numbers its memo by a counter of its own, which others may advance."""

    def __init__(self, file, protocol):
        super().__init__(file, protocol)
        self.index = 0

    def memoize(self, obj):
        self.write(pickle.MEMOIZE)
        self.memo[id(obj)] = self.index, obj
        self.index += 1


def integer(value):
    if 0 <= value < 1 << 8:
        return b'K' + bytes((value,))
    if 0 <= value < 1 << 16:
        return b'M' + value.to_bytes(2, 'little')
    if -1 << 31 <= value < 1 << 31:
        return b'J' + struct.pack('<i', value)
    encoded = pickle.encode_long(value)
    return b'\x8a' + bytes((len(encoded),)) + encoded


class Trace:
    """Stands in for a recorder's list of events: append writes."""

    def __init__(self, pickler):
        self.p, self.count, self.next_sweep = pickler, 0, SWEEP
        self.allocator = None           # whose blocks hold stacks
        self.stacks = {}                # id of a list of frames -> (memo number, the list), while somebody may hold it
        pickler.write(pickle.EMPTY_LIST + pickle.MEMOIZE)
        pickler.index += 1

    def __len__(self):
        return self.count

    def append(self, event):
        p = self.p
        p.framer.commit_frame()
        self.out = [pickle.MARK] if self.count % BATCH == 0 else []
        self.out.append(b'}\x94(')
        p.index += 1
        for key, value in event.items():
            self.known(key)
            kind = type(value)
            if kind is int:
                self.out.append(integer(value))
            elif kind is list:
                self.stack(value)
            elif kind is tuple:
                self.out.append(integer(value[0]) + integer(value[1]) + b'\x86\x94')
                p.index += 1
            elif key == 'compile_context':                      # never the same object twice
                text = value.encode()
                self.out.append(b'\x8c' + bytes((len(text),)) + text + b'\x94')
                p.index += 1
            else:
                self.known(value)
        self.out.append(b'u')
        self.count += 1
        if self.count % BATCH == 0:
            self.out.append(pickle.APPENDS)
        p.write(b''.join(self.out))
        if self.count >= self.next_sweep and event['action'] == 'alloc':    # not between a free's request and its completion
            self.next_sweep = self.count + SWEEP
            self.sweep()

    def close(self):
        if self.count % BATCH:
            self.p.write(pickle.APPENDS)
        self.p.memo.update(self.stacks)             # blocks and segments refer to them

    def known(self, obj):
        """Fetches an object from the memo, or writes it."""
        found = self.p.memo.get(id(obj))
        if found:
            self.out.append(self.p.get(found[0]))
        else:
            self.p.write(b''.join(self.out))
            self.out = []
            self.p.save(obj)

    def stack(self, frames):
        found = self.stacks.get(id(frames))
        if found:
            self.out.append(self.p.get(found[0]))
            return
        self.stacks[id(frames)] = self.p.index, frames
        self.p.index += 1
        self.out.append(b']\x94')
        if len(frames) > 1:
            self.out.append(b'(')
        for frame in frames:
            self.known(frame)
        if frames:
            self.out.append(b'e' if len(frames) > 1 else b'a')

    def sweep(self):
        """Forgets the stacks that neither a block nor a segment holds, nor a free that is not complete."""
        held = {id(b.frames) for b in self.allocator.blocks.values()} | {id(s.frames) for s in self.allocator.segments.values()}
        held |= {id(frames) for _, frames in self.allocator.pending}
        self.stacks = {key: kept for key, kept in self.stacks.items() if key in held or not kept[1]}


def write(path, protocol, devices, run, rest):
    """Writes a whole snapshot: run(device, trace) records a device's events into trace, rest() gives the other keys."""
    with open(path, 'wb', 1 << 20) as file:
        p = Pickler(file, protocol)
        p.write(pickle.PROTO + bytes((protocol,)))
        p.framer.start_framing()
        p.write(b'}\x94(')
        p.index += 1
        p.save('device_traces')
        p.write(b']\x94(')
        p.index += 1
        for device in range(devices):
            trace = Trace(p)
            run(device, trace)
            trace.close()
        p.write(pickle.APPENDS)
        for key, value in rest().items():
            if key != 'device_traces':
                p.save(key)
                p.save(value)
        p.write(pickle.SETITEMS + pickle.STOP)
        p.framer.end_framing()
