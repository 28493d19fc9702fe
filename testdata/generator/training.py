"""A training loop over the allocator: what a GPT-like model allocates and frees, step by step.

Parameters and the optimizer's moments stay; a forward pass keeps activations for the backward pass, which frees them
while it makes gradients; the optimizer frees those. An evaluation after every step keeps nothing, or, as a leak, its
logits. Sizes vary a little from step to step, as batches do.
"""
import random

from .allocator import Allocator, OutOfMemory
from .stacks import Stacks

SIDE_STREAM = 0x5_6001_2340        # streams are pointers; 0 is the default one
USER_POOL, GRAPH_POOL = (0, 7), (3, 0)
HALF, FLOAT = 2, 4                 # bytes of a number

# One block's forward: (call site, hidden sizes per token, plain bytes per token, until when it lives).
KEEP, TEMPORARY = True, False
BLOCK = (
    ('ln_1', 1, 0, KEEP), ('ln_1', 0, FLOAT, KEEP), ('ln_1', 0, FLOAT, KEEP),
    ('attn.qkv', 3, 0, KEEP), ('attn.contiguous', 1, 0, TEMPORARY), ('attn.sdpa', 1, 0, KEEP), ('attn.sdpa', 0, 16 * FLOAT, KEEP),
    ('attn.out', 1, 0, TEMPORARY), ('attn.dropout', 1, 0, TEMPORARY), ('attn.dropout', .5, 0, KEEP), ('attn.residual', 1, 0, KEEP),
    ('ln_2', 1, 0, KEEP), ('ln_2', 0, FLOAT, KEEP), ('ln_2', 0, FLOAT, KEEP),
    ('mlp.up', 4, 0, KEEP), ('mlp.gelu', 4, 0, KEEP), ('mlp.down', 1, 0, TEMPORARY),
    ('mlp.dropout', 1, 0, TEMPORARY), ('mlp.dropout', .5, 0, KEEP), ('mlp.residual', 1, 0, KEEP),
)
# One block's backward, in order: (call site, hidden sizes per token) of the gradients that flow, each replacing the one before.
FLOW = (('grad.dropout', 1), ('grad.linear', 4), ('grad.gelu', 4), ('grad.linear', 1), ('grad.norm', 1),
        ('grad.add', 1), ('grad.dropout', 1), ('grad.linear', 1), ('grad.attention', 3), ('grad.linear', 1),
        ('grad.norm', 1), ('grad.add', 1))
# Parameters of one block: (matrix elements in hidden², vector elements in hidden, gradient's call site).
PARAMETERS = ((0, 1, 'grad.norm'), (0, 1, 'grad.norm'), (3, 0, 'grad.weight'), (0, 3, 'grad.bias'),
              (1, 0, 'grad.weight'), (0, 1, 'grad.bias'), (0, 1, 'grad.norm'), (0, 1, 'grad.norm'),
              (4, 0, 'grad.weight'), (0, 4, 'grad.bias'), (4, 0, 'grad.weight'), (0, 1, 'grad.bias'))


class Enough(Exception):
    """The wanted number of events is reached."""


class Training:
    """One process on one device."""

    def __init__(self, options, device, recorder, annotations, host=None):
        """annotations is a list all devices share; host, where given, hands out pinned memory for the batches."""
        self.o, self.device, self.recorder, self.annotations, self.host = options, device, recorder, annotations, host
        self.random = random.Random(f'{options.seed}/{device}').random    # the one method whose results never change
        base = (1 << 63) + (1 << 40) if options.huge_addresses else 0x7F00_0000_0000
        if not options.same_addresses:
            base += device << 42
        self.allocator = Allocator(base, options.capacity, options.expandable, recorder.record, options.pytorch < (2, 1))
        stacks = Stacks(options.stacks == 'all', options.fx)
        self.sites = dict.fromkeys(stacks.sites) if options.context == 'none' else stacks.sites
        self.limit = options.events // options.devices if options.events else float('inf')
        self.lost = 0                                  # out-of-memory errors survived
        self.parameters, self.moments, self.leaked = [], [], []
        self.activations, self.gradients = [], []
        self.in_flight = set()                         # what is let go of when a step fails

    # -- primitives

    def capture(self, site):
        """One recording of a call site's stack: a list of its own, unless it is empty."""
        frames = self.sites[site]
        return frames and frames[:]

    def alloc(self, nbytes, site, stream=0, pool=(0, 0)):
        if self.recorder.count >= self.limit:
            raise Enough
        block = self.allocator.malloc(int(nbytes), self.capture(site), stream, pool)
        self.in_flight.add(block)
        return block

    def free(self, block, site, may_delay=False):
        frames = block.frames if self.o.context == 'alloc' else self.capture(site)
        self.in_flight.discard(block)
        self.allocator.free(block, frames, may_delay and self.o.delayed_frees and self.random() < .3)

    def phase(self, stage, name):
        """A record_function range starts or ends."""
        self.recorder.tick()
        self.annotations.append({'stage': stage, 'name': name, 'device': self.device, 'time_us': self.recorder.time})
        if self.o.metadata and stage == 'START':
            self.recorder.describe(name)

    # -- the program

    def run(self):
        o = self.o
        try:
            self.initialize()
            step = 0
            while o.events or step < o.steps:
                self.step(step)
                step += 1
        except (Enough, OutOfMemory):
            return self
        if o.teardown:
            self.allocator.complete_pending()
            for block in self.leaked + self.moments + [p for p, _, _ in self.parameters]:
                self.free(block, 'free.exit')
            self.allocator.empty_cache(self.capture('empty_cache'))
        return self

    def initialize(self):
        """Parameters: the embeddings, then block after block, then the last norm; each (block, elements, gradient's site)."""
        o, h = self.o, self.o.hidden
        shapes = [(o.vocab * h, 'grad.embedding'), (o.seq * h, 'grad.embedding')]
        for _ in range(o.layers):
            shapes += [(matrix * h * h + vector * h, site) for matrix, vector, site in PARAMETERS]
        shapes += [(h, 'grad.norm'), (h, 'grad.norm')]
        for elements, site in shapes:
            self.parameters.append((self.alloc(elements * FLOAT, 'init.to'), elements, site))
        self.in_flight.clear()

    def step(self, number):
        o = self.o
        tokens = o.batch * int(o.seq * (1 - .25 * self.random()))
        try:
            self.phase('START', f'## step {number} ##')
            batch = self.load_batch(tokens)
            self.phase('START', '## forward ##')
            logits = self.forward(tokens)
            self.phase('END', '## forward ##')
            self.phase('START', '## backward ##')
            self.backward(tokens, logits)
            self.phase('END', '## backward ##')
            self.optimize()
            for block in batch:
                self.free(block, 'free.step', may_delay=True)
            if number % 2 == 1 or o.leak:
                self.phase('START', '## eval ##')
                self.evaluate(tokens)
                self.phase('END', '## eval ##')
            self.phase('END', f'## step {number} ##')
        except OutOfMemory:
            if o.on_oom == 'stop':
                raise
            self.drop_step()
        if o.empty_cache and number % o.empty_cache == o.empty_cache - 1:
            self.allocator.empty_cache(self.capture('empty_cache'))
        if o.dumps:
            self.recorder.record('snapshot', 0, self.allocator.active, 0, None, (0, 0))

    def drop_step(self):
        """What a script that catches the error and goes on lets go of."""
        self.lost += 1
        if self.lost > 1000:
            raise SystemExit('out of memory again and again: raise --capacity or make the model smaller')
        for block in sorted(self.in_flight, key=lambda b: b.addr):
            self.free(block, 'free.step')
        self.activations, self.gradients = [], []

    def load_batch(self, tokens):
        stream = SIDE_STREAM if self.o.streams else 0
        if self.host:
            self.host.free(self.host.alloc(tokens * 16, self.capture('pinned.batch')), self.capture('free.step'))
        batch = [self.alloc(tokens * 8, 'batch.to', stream), self.alloc(tokens * 8, 'batch.to', stream)]
        if self.o.pytorch >= (2, 14):
            self.recorder.name_tensor(batch[0], self.capture('batch.to'), 'input_ids')
        return batch

    def forward(self, tokens, prefix=''):
        """Allocates what the forward pass does; returns the logits' blocks. An evaluation (prefix) keeps no activations."""
        o, h, alloc, keep = self.o, self.o.hidden * HALF, self.alloc, self.activations
        kept = [alloc(tokens * h, prefix + 'embed.tokens'), alloc(o.seq * h, prefix + 'embed.positions'),
                alloc(tokens * h, prefix + 'embed.add')]
        for layer in range(o.layers):
            pool = GRAPH_POOL if o.pools and layer % 3 == 1 else USER_POOL if o.pools and layer % 3 == 0 else (0, 0)
            temporary = []
            for site, hiddens, plain, stays in BLOCK:
                block = alloc(tokens * (h * hiddens + plain), prefix + site, 0, pool)
                (kept if stays else temporary).append(block)
            for block in temporary:
                self.free(block, 'free.eval' if prefix else 'free.forward', may_delay=True)
            if prefix:
                for block in kept[:-1]:
                    self.free(block, 'free.eval')
                del kept[:-1]
            self.recorder.pause(self.random())
        kept.append(alloc(tokens * h, prefix + 'ln_f'))
        logits = [alloc(tokens * o.vocab * HALF, prefix + 'lm_head'), alloc(tokens * o.vocab * FLOAT, prefix + 'logits.float')]
        for block in kept if prefix else ():
            self.free(block, 'free.eval')
        if not prefix:
            keep += kept
        return logits

    def loss(self, tokens, prefix=''):
        return [self.alloc(tokens * self.o.vocab * FLOAT, prefix + 'loss.log_softmax'), self.alloc(FLOAT, prefix + 'loss.nll'),
                self.alloc(FLOAT, prefix + 'loss.nll')]

    def backward(self, tokens, logits):
        o, h, alloc = self.o, self.o.hidden * HALF, self.alloc
        self.allocator.complete_pending()
        loss = self.loss(tokens)
        softmax = alloc(tokens * o.vocab * FLOAT, 'grad.loss')
        self.free(loss[0], 'free.engine')
        flow = alloc(tokens * o.vocab * HALF, 'grad.logits')
        for block in (softmax, logits[1], logits[0]):
            self.free(block, 'free.engine')
        self.accumulate(self.parameters[-2:])
        if o.fifo:
            self.activations.reverse()
        kept, done = len(self.activations), 0
        for layer in reversed(range(o.layers)):
            weights = self.parameters[2 + layer * len(PARAMETERS):][:len(PARAMETERS)]
            for i, (site, hiddens) in enumerate(FLOW):
                after = alloc(tokens * h * hiddens, site)
                self.free(flow, 'free.engine', may_delay=True)
                flow, done = after, done + 1
                self.release(kept - kept * done // (o.layers * len(FLOW)))
                self.accumulate(weights[len(FLOW) - 1 - i:][:1])
            self.recorder.pause(self.random())
        self.release(0)
        self.accumulate(self.parameters[:2])
        for block in (flow, loss[1], loss[2]):
            self.free(block, 'free.engine')

    def release(self, left):
        """The backward pass is done with all but `left` of the activations."""
        while len(self.activations) > left:
            self.free(self.activations.pop(), 'free.engine')

    def accumulate(self, parameters):
        for _, elements, site in reversed(parameters):
            self.gradients.append(self.alloc(elements * FLOAT, site))

    def optimize(self):
        self.phase('START', 'Optimizer.step#AdamW.step')
        norms = [self.alloc(FLOAT, 'clip.norm') for _ in range(min(8, len(self.gradients)))]
        if not self.moments:
            moments = []
            for _, elements, _ in self.parameters:
                moments += [self.alloc(elements * FLOAT, 'adamw.exp_avg'), self.alloc(elements * FLOAT, 'adamw.exp_avg_sq')]
            self.moments = moments
            self.in_flight.difference_update(moments)
        for chunk in range(0, len(self.parameters), 24):
            roots = [self.alloc(elements * FLOAT, 'adamw.sqrt') for _, elements, _ in self.parameters[chunk:chunk + 24]]
            for block in roots:
                self.free(block, 'free.adamw')
        for block in norms:
            self.free(block, 'free.adamw')
        self.phase('END', 'Optimizer.step#AdamW.step')
        self.phase('START', 'Optimizer.zero_grad#AdamW.zero_grad')
        for block in self.gradients:
            self.free(block, 'free.zero_grad')
        self.gradients = []
        self.phase('END', 'Optimizer.zero_grad#AdamW.zero_grad')

    def evaluate(self, tokens):
        logits = self.forward(tokens, 'eval.')
        loss = self.loss(tokens, 'eval.')
        if self.o.leak:
            copy = self.alloc(tokens * self.o.vocab * HALF, 'eval.keep')
            self.in_flight.discard(copy)
            self.leaked.append(copy)
        for block in loss + logits[::-1]:
            self.free(block, 'free.eval')

