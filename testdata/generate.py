#!/usr/bin/env python3
"""Writes a PyTorch CUDA memory snapshot of an invented training run. Python's standard library is all it needs.

The same options and seed always give the same snapshot. Sizes may end in K, M or G (powers of 1024).

    generate.py small.pickle                                      two steps of a small model
    generate.py oom.pickle --leak --capacity 24G                  a run that dies of out-of-memory
    generate.py big.pickle --events 2.7M --stacks all --layers 24 about 500 MB

--events counts in thousands and millions (K, M: powers of 1000). What the options do to a real file is described in
PyTorch's documentation of torch.cuda.memory._record_memory_history; options of the same name mean the same.
"""
import argparse
import gc

from generator import form, stream
from generator.training import Training


def size(text):
    return int(float(text[:-1]) * 1024 ** (' KMG'.index(text[-1].upper()))) if text[-1:].upper() in 'KMG' else int(text)


def number(text):
    return int(float(text[:-1]) * 1000 ** (' KM'.index(text[-1].upper()))) if text[-1:].upper() in 'KM' else int(text)


def version(text):
    major, minor = text.split('.')
    return int(major), int(minor)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('out')
    add = parser.add_argument_group('the run').add_argument
    add('--seed', type=int, default=1)
    add('--events', type=number, default=0, help='go on until so many events are recorded, whatever --steps says')
    add('--steps', type=int, default=2, help='training steps (default 2)')
    add('--layers', type=int, default=2)
    add('--hidden', type=int, default=256)
    add('--vocab', type=int, default=4096)
    add('--batch', type=int, default=4)
    add('--seq', type=int, default=256, help='tokens of the longest sequence')
    add('--devices', type=int, default=1)
    add('--capacity', type=size, default='80G', help='memory of each device')
    add('--on-oom', choices=('stop', 'continue'), default='stop', help='what the program does when memory runs out')
    add('--leak', action='store_true', help="keep each evaluation's logits for ever")
    add('--fifo', action='store_true', help='free activations oldest first')
    add('--streams', action='store_true', help='load batches on a second stream')
    add('--delayed-frees', action='store_true', help='some frees complete later, as after record_stream')
    add('--pools', action='store_true', help='some layers use a MemPool, some the pool of a CUDA graph')
    add('--expandable', action='store_true', help='expandable segments: segment_map and segment_unmap')
    add('--empty-cache', type=int, default=0, metavar='N', help='empty the cache after every N steps')
    add('--teardown', action='store_true', help='free everything at the end')
    add('--dumps', action='store_true', help='a snapshot was taken after every step')
    add('--pinned', action='store_true', help='pinned host memory was recorded too (from --pytorch 2.13)')
    add('--huge-addresses', action='store_true', help='addresses above 2**63')
    add('--same-addresses', action='store_true', help='all devices use the same addresses')
    add = parser.add_argument_group('the recording').add_argument
    add('--pytorch', type=version, default='2.10', metavar='VERSION',
        help='write the keys this version writes: 1.13 (a list of segments) to 2.14 (default 2.10)')
    add('--context', choices=('none', 'state', 'alloc', 'all'), default='all', help='what stacks were recorded for')
    add('--stacks', choices=('python', 'all'), default='python', help='all: with C++ frames, about 180 bytes an event')
    add('--max-entries', type=number, default=0, metavar='N', help='a ring buffer of N events')
    add('--overflow-flag', action='store_true', help='the settings say whether the ring buffer overflowed')
    add('--frames-missing', type=float, default=0, metavar='PART', help='this part of the events has no frames')
    add('--forward-frames', action='store_true', help='stacks of the forward pass on what the backward pass allocates')
    add('--fx', action='store_true', help='torch.fx fields on frames of the model')
    add('--metadata', action='store_true', help='user_metadata and compile_context that say something')
    add('--no-times', action='store_true', help='no time_us, whatever the version')
    add('--no-annotations', action='store_true', help='no external annotations were recorded')
    add('--empty-devices', type=int, default=0, metavar='N', help='N devices more that were never used')
    add = parser.add_argument_group('the file').add_argument
    add('--protocol', type=int, choices=range(6), default=4, help='pickle protocol (default 4)')
    add('--json', action='store_true')
    add('--stream', action='store_true', help='write while the run goes on, in little memory: for giants')
    add('--gzip', action='store_true')
    return parser.parse_args()


def main():
    options = arguments()
    if options.stream and (options.protocol < 4 or options.json or options.gzip or options.max_entries or options.empty_devices
                           or options.pytorch < (2, 0)):
        raise SystemExit('--stream writes plain pickles of protocol 4 or 5, without a ring buffer or empty devices')
    annotations, programs = [], []
    host = form.PinnedHost(form.Recorder(options, -1)) if options.pinned and options.pytorch >= (2, 13) else None

    def run(device, trace=None):
        recorder = form.Recorder(options, device)
        program = Training(options, device, recorder, annotations, host if device == 0 else None)
        if trace is not None:
            recorder.trace, trace.allocator = trace, program.allocator
        programs.append(program.run())

    if options.stream:
        stream.write(options.out, options.protocol, options.devices, run, lambda: form.assemble(options, programs, annotations, host))
    else:
        gc.disable()                    # a million dicts have nothing that it could free
        for device in range(options.devices):
            run(device)
        form.write(form.assemble(options, programs, annotations, host), options.out, options.protocol, options.json, options.gzip)
    print(f'{options.out}: {sum(len(p.recorder.trace) for p in programs)} events')


if __name__ == '__main__':
    main()
