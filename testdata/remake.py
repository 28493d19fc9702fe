#!/usr/bin/env python3
"""Makes generated/ and sample.pickle.gz anew, checks that each file agrees with itself, and writes figures.json.

    remake.py            all of it (a few seconds)
    remake.py NAME...    only these of generated/, and figures.json
"""
import pathlib
import shlex
import subprocess
import sys
import tempfile

import figures

HERE = pathlib.Path(__file__).resolve().parent

# What differs between files in the wild, one file a form: name -> options of generate.py.
SMALL = '--layers 1 --steps 1 '
FORMS = {
    'protocol0.pickle': SMALL + '--protocol 0 --context none',
    'protocol1.pickle': SMALL + '--protocol 1',
    'protocol2.pickle': SMALL + '--protocol 2',
    'protocol3.pickle': SMALL + '--protocol 3',
    'protocol5.pickle': SMALL + '--protocol 5',
    'torch1.13.pickle': SMALL + '--pytorch 1.13',
    'torch2.0.pickle': SMALL + '--pytorch 2.0',
    'torch2.1.pickle': SMALL + '--pytorch 2.1',
    'torch2.2.pickle': SMALL + '--pytorch 2.2',
    'torch2.3.pickle': SMALL + '--pytorch 2.3',
    'torch2.5.pickle': SMALL + '--pytorch 2.5',
    'torch2.8.pickle': SMALL + '--pytorch 2.8 --metadata',
    'torch2.12.pickle': SMALL + '--pytorch 2.12 --pools',
    'torch2.13.pickle': SMALL + '--pytorch 2.13 --pinned',
    'torch2.14.pickle': SMALL + '--pytorch 2.14 --metadata --pinned --forward-frames',
    'devices.pickle': SMALL + '--devices 3 --same-addresses --empty-devices 1',
    'expandable.pickle': '--layers 1 --steps 3 --expandable --empty-cache 1 --streams',
    'expandable-delayed.pickle': '--layers 1 --steps 2 --expandable --empty-cache 1 --delayed-frees --pools',
    'pools.pickle': '--layers 3 --steps 1 --pools --context none',
    'streams-delayed.pickle': '--layers 1 --steps 3 --streams --delayed-frees',
    'no-times.pickle': SMALL + '--no-times',
    'no-stacks.pickle': SMALL + '--context none',
    'stacks-of-blocks.pickle': SMALL + '--context state',
    'stacks-of-allocs-fifo.pickle': '--layers 1 --steps 2 --context alloc --fifo',
    'frames-missing.pickle': SMALL + '--frames-missing .3',
    'fx.pickle': SMALL + '--fx',
    'cpp.pickle': SMALL + '--stacks all',
    'no-annotations.pickle': SMALL + '--no-annotations',
    'ring.pickle': '--layers 1 --steps 3 --max-entries 300',
    'ring-flag-devices.pickle': '--layers 1 --steps 2 --max-entries 250 --overflow-flag --devices 2',
    'ring-of-one.pickle': '--layers 1 --steps 1 --max-entries 1 --dumps',
    'oom.pickle': '--layers 1 --steps 9 --leak --capacity 128M',
    'oom-survived.pickle': '--layers 1 --steps 4 --leak --capacity 118M --on-oom continue --empty-cache 2 --context none',
    'teardown-dumps.pickle': '--layers 1 --steps 2 --teardown --dumps',
    'huge-addresses.pickle': SMALL + '--huge-addresses --devices 2',
    'compressed.pickle.gz': '--layers 2 --steps 3 --gzip',
    'text.json': SMALL + '--json',
}
# What "Open the sample" shows: a leak that ends in out-of-memory, on a card of 24 GiB.
SAMPLE = ('sample.pickle.gz', '--seed 22 --layers 8 --hidden 1536 --vocab 32000 --batch 16 --seq 1024 --capacity 24210M --leak --steps 99 '
          '--stacks all --gzip --pytorch 2.12 --streams --delayed-frees')


def generate(path, options):
    subprocess.run([sys.executable, HERE / 'generate.py', path, *shlex.split(options)], check=True)


def check(path):
    """Raises if the file contradicts itself: the trace's outcome is not the state of the segments, or blocks leave gaps."""
    root = figures.load(path)
    traces = root.get('device_traces', [])
    wrapped = any(len(t) in (1, 250, 300) for t in traces)
    live = {}
    for device, trace in enumerate(traces):
        for event in trace:
            key = device, event.get('addr')
            if event['action'] == 'alloc':
                assert key not in live, f'{path}: {key} allocated twice'
                live[key] = event['size']
            elif event['action'] == 'free_completed':
                assert wrapped or key in live, f'{path}: {key} freed without an alloc'
                live.pop(key, None)
    for segment in root['segments']:
        addr = segment['address']
        for block in segment['blocks']:
            assert block.get('address', addr) == addr, f'{path}: gap before {addr:#x}'
            size = live.pop((segment['device'], addr), None)
            if traces and not wrapped:
                assert (size is not None) == (block['state'] != 'inactive'), f'{path}: block {addr:#x} is {block["state"]}, its size {size}'
                assert size is None or size == block['requested_size'], f'{path}: block {addr:#x} has another size'
            addr += block['size']
        assert addr == segment['address'] + segment['total_size'], f'{path}: a segment is not full of blocks'
    assert not live, f'{path}: live without a block: {live}'


def check_stream():
    """Raises if --stream writes another snapshot than the ordinary way, or shares stacks otherwise."""
    def sharing(root):
        stacks = [id(e.get('frames')) for t in root['device_traces'] for e in t] + [id(b['frames']) for s in root['segments'] for b in s['blocks']]
        number = {}
        return [number.setdefault(stack, len(number)) for stack in stacks]

    options = '--devices 2 --expandable --empty-cache 1 --steps 30 --layers 8 --delayed-frees --frames-missing .2 --pytorch 2.14 --stacks all'
    with tempfile.TemporaryDirectory() as scratch:
        whole, streamed = pathlib.Path(scratch, 'whole'), pathlib.Path(scratch, 'streamed')
        generate(whole, options)
        generate(streamed, options + ' --stream')
        one, other = figures.load(whole), figures.load(streamed)
        assert one == other, '--stream writes another snapshot'
        assert sharing(one) == sharing(other), '--stream shares stacks otherwise'


def main():
    wanted = sys.argv[1:] or list(FORMS)
    (HERE / 'generated').mkdir(exist_ok=True)
    for name in wanted:
        generate(HERE / 'generated' / name, FORMS[name])
        check(HERE / 'generated' / name)
    if not sys.argv[1:]:
        generate(HERE / SAMPLE[0], SAMPLE[1])
        check(HERE / SAMPLE[0])
        check_stream()
    figures.write_all()


if __name__ == '__main__':
    main()
