"""The parts of generate.py: allocator, stacks, training, form."""
