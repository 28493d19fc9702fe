"""What a snapshot looks like as a file: the keys that each PyTorch version writes, and the containers."""
import collections
import gzip
import json
import pickle
import random

from .allocator import ALLOCATED, INACTIVE, NO_FRAMES

EPOCH_US = 1_780_000_000_000_000
FORWARD_FRAMES = ['  File "/home/user/strata-demo/train.py", line 84, in train_step\n    loss = model(x, y)\n',
                  '  File "/home/user/strata-demo/model.py", line 174, in forward\n    x = block(x)\n']


class Recorder:
    """One device's trace: what _record_memory_history would have recorded."""

    def __init__(self, options, device):
        self.o = options
        self.random = random.Random(f'{options.seed}/{device}/time').random
        self.trace = collections.deque(maxlen=options.max_entries) if options.max_entries else []
        self.count = 0                      # events recorded, also those the ring buffer lost since
        self.time = EPOCH_US + device * 17
        version = options.pytorch
        self.times = version >= (2, 2) and not options.no_times
        self.compile_key, self.metadata_key, self.pool_key = version >= (2, 8), version >= (2, 10), version >= (2, 12)
        self.frames_key = options.context in ('alloc', 'all')
        self.compile_context, self.user_metadata = ('N', '/A'), ''

    def tick(self):
        chance = self.random()              # about a third of neighbours share their microsecond
        if chance > .3:
            self.time += int(chance * 40)

    def pause(self, part):
        """The GPU is computing: 2 to 20 ms."""
        self.time += int(2000 + part * 18000)

    def describe(self, phase):
        """The user's own metadata on what follows, and a compiled region in the forward pass."""
        self.user_metadata = json.dumps({'phase': phase.strip('# ')}) if 'step' in phase else phase.strip('# ')
        self.compile_context = ('Torch-Compiled ', 'Region: 0/0') if 'forward' in phase else ('N', '/A')

    def record(self, action, addr, size, stream, frames, pool):
        self.count += 1
        self.tick()
        event = {'action': action, 'device_free' if action == 'oom' else 'addr': addr, 'size': size, 'stream': stream}
        if self.times:
            event['time_us'] = self.time
        if self.compile_key:
            event['compile_context'] = ''.join(self.compile_context)      # a string of its own each time, as PyTorch writes it
        if self.metadata_key:
            event['user_metadata'] = self.user_metadata
        if self.pool_key:
            event['pool_id'] = (pool[0], pool[1])                         # likewise
        if self.frames_key and frames is not None and not (self.o.frames_missing and self.random() < self.o.frames_missing):
            event['frames'] = frames
            if self.o.forward_frames and not frames and action == 'alloc':
                event['forward_frames'] = FORWARD_FRAMES
        self.trace.append(event)

    def name_tensor(self, block, frames, name):
        """What _annotate_tensor records (PyTorch 2.14)."""
        lane, before = block.segment.lane, self.user_metadata
        self.user_metadata = name
        self.record('annotate', block.addr, block.requested, lane.stream, frames, lane.pool)
        self.user_metadata = before


class PinnedHost:
    """Pinned host memory (PyTorch 2.13): buffers of a power of two, each a segment of one block."""

    def __init__(self, recorder):
        self.recorder, self.next_addr = recorder, 0x7E00_0000_0000
        self.buffers = []                   # [addr, size, requested, frames or None when free]

    def alloc(self, requested, frames):
        size = max(4096, 1 << (requested - 1).bit_length())
        buffer = next((b for b in self.buffers if b[1] == size and b[3] is None), None)
        if buffer is None:
            buffer = [self.next_addr, size, 0, None]
            self.buffers.append(buffer)
            self.next_addr += size
            self.recorder.record('segment_alloc', buffer[0], size, 0, frames, (0, 0))
        buffer[2], buffer[3] = requested, frames or NO_FRAMES
        self.recorder.record('alloc', buffer[0], size, 0, frames, (0, 0))
        return buffer

    def free(self, buffer, frames):
        buffer[3] = None
        for action in ('free_requested', 'free_completed'):
            self.recorder.record(action, buffer[0], buffer[1], 0, frames, (0, 0))

    def segments(self):
        for addr, size, requested, frames in self.buffers:
            used = 0 if frames is None else size
            block = {'address': addr, 'size': size, 'requested_size': requested,
                     'state': INACTIVE if frames is None else ALLOCATED, 'frames': frames or NO_FRAMES}
            yield {'device': -1, 'address': addr, 'total_size': size, 'allocated_size': used, 'active_size': used,
                   'requested_size': used and requested, 'stream': 0, 'segment_type': 'small', 'segment_pool_id': (0, 0),
                   'is_expandable': False, 'frames': frames or NO_FRAMES, 'blocks': [block]}


def block_dict(block, version):
    if version >= (2, 1):
        return {'address': block.addr, 'size': block.size, 'requested_size': block.requested, 'state': block.state,
                'frames': block.frames or NO_FRAMES}
    found = {'size': block.size, 'requested_size': block.requested, 'state': block.state}
    if version < (2, 0):
        del found['requested_size']
    if block.history:
        found['history'] = [{'addr': addr - (1 << 64) if addr >> 63 else addr, 'real_size': requested, 'frames': frames or NO_FRAMES}
                            for addr, requested, frames in block.history]
    return found


def segment_dicts(device, allocator, version):
    for segment, run in allocator.runs():
        used = [b for b in run if b.state is not INACTIVE]
        found = {'device': device, 'address': run[0].addr, 'total_size': sum(b.size for b in run),
                 'allocated_size': sum(b.size for b in used if b.state is ALLOCATED), 'active_size': sum(b.size for b in used)}
        if version >= (2, 0):
            found['requested_size'] = sum(b.requested for b in used)
        found['stream'] = segment.lane.stream
        found['segment_type'] = 'small' if segment.lane.small else 'large'
        if version >= (2, 1):
            found['segment_pool_id'] = (segment.lane.pool[0], segment.lane.pool[1])
            found['is_expandable'] = allocator.expandable
            found['frames'] = segment.frames or NO_FRAMES
        found['blocks'] = [block_dict(b, version) for b in run]
        yield found


def settings(options):
    found = {'PYTORCH_CUDA_ALLOC_CONF': 'expandable_segments:True' if options.expandable else '', 'max_split_size': -1,
             'garbage_collection_threshold': 0.0, 'expandable_segments': options.expandable, 'pinned_num_register_threads': 1,
             'release_lock_on_cudamalloc': False, 'pinned_use_cuda_host_register': False}
    if options.pytorch >= (2, 9):
        found['graph_capture_record_stream_reuse'] = False
    found['roundup_power2_divisions'] = {str(1 << i): 0 for i in range(16)}
    return found


def assemble(options, programs, annotations, host):
    """The root object, from the programs that ran, one a device."""
    version = options.pytorch
    segments = [s for p in programs for s in segment_dicts(p.device, p.allocator, version)]
    if version < (2, 0):
        return segments
    traces = [] if options.stream else [list(p.recorder.trace) for p in programs] + [[] for _ in range(options.empty_devices)]
    root = {'segments': segments, 'device_traces': traces}
    if version >= (2, 3):
        root['allocator_settings'] = settings(options)
        if options.overflow_flag:
            root['allocator_settings'].update(trace_alloc_max_entries=options.max_entries,
                                              trace_alloc_overflowed=any(p.recorder.count > len(p.recorder.trace) for p in programs))
    if version >= (2, 5):
        annotations = [] if options.no_annotations else annotations
        root['external_annotations'] = annotations[-options.max_entries:] if options.max_entries else annotations
    if version >= (2, 13):
        root['host_segments'] = list(host.segments()) if host else []
        root['host_traces'] = list(host.recorder.trace) if host else []
    return root


def write(root, path, protocol, as_json, compress):
    """Writes the file."""
    with open(path, 'wb') as file:
        out = gzip.GzipFile('', 'wb', 9, file, mtime=0) if compress else file
        if as_json:
            out.write(json.dumps(root, separators=(',', ':')).encode())
        else:
            pickle.Pickler(out, protocol).dump(root)
        if compress:
            out.close()
