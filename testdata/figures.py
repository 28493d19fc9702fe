#!/usr/bin/env python3
"""Figures of a snapshot, per device, by replaying its trace forward: the referee for Strata's own.

    figures.py FILE...    print one JSON object a file
    figures.py --write    figures of every snapshot in this directory, into figures.json

It shares no code and no way of working with Strata: it loads the file with Python's own pickle and walks plain dicts.

A block that is live at the end of the file without an alloc event was live all along; so was what a free without an
alloc freed. Both make up start_bytes. An alloc at an address that is still live ends the earlier allocation there (its
free was lost). Sizes are requested bytes. Blocks in a pending-free state do not count as live.
"""
import argparse
import gzip
import json
import pathlib
import pickle

HERE = pathlib.Path(__file__).resolve().parent


def load(path):
    """The snapshot as a dict; a root that is a list is the list of segments (PyTorch 1.13 and before)."""
    data = pathlib.Path(path).read_bytes()
    if data[:2] == b'\x1f\x8b':
        data = gzip.decompress(data)
    root = json.loads(data) if data[:1] in (b'{', b'[') else pickle.loads(data)
    return {'segments': root, 'device_traces': []} if isinstance(root, list) else root


def replay(trace):
    """The live allocations after the trace, the changes of the total in order, and the counts."""
    live, changes = {}, []
    allocs = unmatched = before = 0
    for event in trace:
        action, addr = event['action'], event.get('addr')
        if action == 'alloc':
            allocs += 1
            if addr in live:
                changes.append(-live[addr])
            live[addr] = event['size']
            changes.append(event['size'])
        elif action in ('free', 'free_completed'):
            if addr not in live:
                unmatched += 1
                before += event['size']
            changes.append(-live.pop(addr, event['size']))
    return live, changes, allocs, unmatched, before


def blocks_without_event(segments, live):
    """Sizes of the blocks that are allocated at the dump though no alloc of the trace made them."""
    for segment in segments:
        addr = segment['address']
        for block in segment.get('blocks', []):
            if block['state'] == 'active_allocated' and block.get('address', addr) not in live:
                history = block.get('history') or [{}]
                yield block.get('requested_size') or history[0].get('real_size') or block['size']
            addr += block['size']


def figures(snapshot):
    """One dict a device that has events or segments."""
    traces = snapshot.get('device_traces', [])
    segments = snapshot.get('segments', [])
    found = []
    for device in sorted({s['device'] for s in segments} | {i for i, t in enumerate(traces) if t}):
        trace = traces[device] if device < len(traces) else []
        mine = [s for s in segments if s['device'] == device]
        live, changes, allocs, unmatched, start = replay(trace)
        silent = list(blocks_without_event(mine, live))
        start += sum(silent)
        total = peak = start
        for change in changes:
            total += change
            peak = max(peak, total)
        times = [e['time_us'] for e in trace if 'time_us' in e]
        found.append({
            'device': device, 'events': len(trace), 'allocations': allocs + unmatched + len(silent),
            'unmatched_frees': unmatched, 'start_bytes': start, 'end_bytes': total, 'peak_bytes': peak,
            'oom_events': sum(e['action'] == 'oom' for e in trace),
            'segments': len(mine), 'reserved_bytes': sum(s['total_size'] for s in mine),
            'duration_us': max(times) - min(times) if times else None,
        })
    return found


def write_all():
    """figures.json: one line a snapshot, by its path in this directory."""
    files = sorted(p for p in HERE.rglob('*') if '.json.' not in p.name and {'.pickle', '.json'} & set(p.suffixes)
                   and p.name != 'figures.json')
    lines = [f'{json.dumps(p.relative_to(HERE).as_posix())}: {json.dumps(figures(load(p)))}' for p in files]
    (HERE / 'figures.json').write_text('{\n' + ',\n'.join(lines) + '\n}\n')
    print(f'figures.json: {len(lines)} snapshots')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('files', nargs='*', metavar='FILE')
    parser.add_argument('--write', action='store_true', help='write figures.json')
    options = parser.parse_args()
    for path in options.files:
        print(json.dumps({'file': pathlib.Path(path).name, 'devices': figures(load(path))}))
    if options.write:
        write_all()


if __name__ == '__main__':
    main()
