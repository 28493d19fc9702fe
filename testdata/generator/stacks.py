"""Call stacks of an invented training script, as PyTorch records them: innermost frame first.

A call site is a list of frame dicts. Frame dicts are shared by all stacks that run through them; a capture is a new
list of its own each time, shared by whoever belongs to that capture (an alloc, its block, the segment made for it).
"""

HOME = '/home/user/strata-demo/'
SITE = '/home/user/.venv/lib/python3.12/site-packages/torch/'

# Innermost first: (function, file, line).
START = (('main', HOME + 'train.py', 148), ('inner', SITE + 'distributed/elastic/multiprocessing/errors/__init__.py', 357),
         ('<module>', HOME + 'train.py', 163))
EPOCH = (('run_epoch', HOME + 'loop.py', 57), ('fit', HOME + 'loop.py', 33)) + START
MAIN = (('wrapped', SITE + 'amp/autocast_mode.py', 44), ('train_batch', HOME + 'loop.py', 71)) + EPOCH
STEP = (('train_step', HOME + 'train.py', 84),) + MAIN
EVALUATE = (('evaluate', HOME + 'train.py', 112), ('decorate_context', SITE + 'utils/_contextlib.py', 120)) + EPOCH
MODULE_CALL = (('_call_impl', SITE + 'nn/modules/module.py', 1784),
               ('_wrapped_call_impl', SITE + 'nn/modules/module.py', 1773))
LINEAR = (('forward', SITE + 'nn/modules/linear.py', 125),) + MODULE_CALL
LAYER_NORM = (('layer_norm', SITE + 'nn/functional.py', 2935), ('forward', SITE + 'nn/modules/normalization.py', 229)) + MODULE_CALL
DROPOUT = (('dropout', SITE + 'nn/functional.py', 1449), ('forward', SITE + 'nn/modules/dropout.py', 70)) + MODULE_CALL
GELU = (('forward', SITE + 'nn/modules/activation.py', 734),) + MODULE_CALL
EMBEDDING = (('embedding', SITE + 'nn/functional.py', 2551), ('forward', SITE + 'nn/modules/sparse.py', 190)) + MODULE_CALL
ADAMW = (('_use_grad', SITE + 'optim/optimizer.py', 79), ('wrapper', SITE + 'optim/optimizer.py', 493))
BACKWARD = (('_engine_run_backward', SITE + 'autograd/graph.py', 824), ('backward', SITE + 'autograd/__init__.py', 353),
            ('backward', SITE + '_tensor.py', 648), ('train_step', HOME + 'train.py', 91)) + MAIN


def at(function, file, line):
    return ((function, HOME + file, line),)


GPT = at('forward', 'model.py', 174) + MODULE_CALL                 # for block in self.blocks: x = block(x)
LOSS = ('cross_entropy', SITE + 'nn/functional.py', 3479)
BLOCK = at('forward', 'model.py', 121) + MODULE_CALL + GPT         # x = x + self.attn(self.ln_1(x))
BLOCK_MLP = at('forward', 'model.py', 122) + MODULE_CALL + GPT     # x = x + self.mlp(self.ln_2(x))
ATTENTION, MLP = 'attention', 'mlp'


def inside(part, line):
    """The chain from a line of the attention or of the MLP module out to the model's caller."""
    return at('forward', 'model.py', line) + MODULE_CALL + (BLOCK if part is ATTENTION else BLOCK_MLP)


# name: (aten op, Python chain up to the model's caller). Names are those training.py asks for.
FORWARD = {
    'batch.to': ('_to_copy', at('to_device', 'data.py', 41)),
    'embed.tokens': ('embedding', EMBEDDING + at('forward', 'model.py', 168) + MODULE_CALL),
    'embed.positions': ('embedding', EMBEDDING + at('forward', 'model.py', 169) + MODULE_CALL),
    'embed.add': ('add', at('forward', 'model.py', 171) + MODULE_CALL),
    'ln_1': ('native_layer_norm', LAYER_NORM + BLOCK),
    'attn.qkv': ('addmm', LINEAR + inside(ATTENTION, 63)),
    'attn.contiguous': ('clone', inside(ATTENTION, 67)),
    'attn.sdpa': ('_scaled_dot_product_flash_attention', inside(ATTENTION, 70)),
    'attn.out': ('addmm', LINEAR + inside(ATTENTION, 74)),
    'attn.dropout': ('native_dropout', DROPOUT + inside(ATTENTION, 74)),
    'attn.residual': ('add', BLOCK),
    'ln_2': ('native_layer_norm', LAYER_NORM + BLOCK_MLP),
    'mlp.up': ('addmm', LINEAR + inside(MLP, 92)),
    'mlp.gelu': ('gelu', GELU + inside(MLP, 93)),
    'mlp.down': ('addmm', LINEAR + inside(MLP, 94)),
    'mlp.dropout': ('native_dropout', DROPOUT + inside(MLP, 95)),
    'mlp.residual': ('add', BLOCK_MLP),
    'ln_f': ('native_layer_norm', LAYER_NORM + at('forward', 'model.py', 177) + MODULE_CALL),
    'lm_head': ('mm', LINEAR + at('forward', 'model.py', 180) + MODULE_CALL),
    'logits.float': ('_to_copy', at('forward', 'model.py', 181) + MODULE_CALL),
    'loss.log_softmax': ('_log_softmax', (LOSS,) + at('forward', 'model.py', 184) + MODULE_CALL),
    'loss.nll': ('nll_loss_forward', (LOSS,) + at('forward', 'model.py', 184) + MODULE_CALL),
}
# What the autograd engine runs on its own thread, which has no Python frames: (aten op, autograd node).
ENGINE = {
    'grad.loss': ('_log_softmax_backward_data', 'LogSoftmaxBackward0'),
    'grad.logits': ('_to_copy', 'ToCopyBackward0'),
    'grad.linear': ('mm', 'AddmmBackward0'),
    'grad.weight': ('mm', 'AddmmBackward0'),
    'grad.bias': ('sum', 'AddmmBackward0'),
    'grad.gelu': ('gelu_backward', 'GeluBackward0'),
    'grad.norm': ('native_layer_norm_backward', 'NativeLayerNormBackward0'),
    'grad.dropout': ('native_dropout_backward', 'NativeDropoutBackward0'),
    'grad.attention': ('_scaled_dot_product_flash_attention_backward', 'ScaledDotProductFlashAttentionBackward0'),
    'grad.add': ('add', 'torch::autograd::AccumulateGrad'),
    'grad.embedding': ('embedding_dense_backward', 'EmbeddingBackward0'),
}
OTHER = {
    'init.weight': ('empty', at('__init__', 'model.py', 142) + at('main', 'train.py', 131) + START[1:]),
    'init.to': ('_to_copy', (('convert', SITE + 'nn/modules/module.py', 1355), ('_apply', SITE + 'nn/modules/module.py', 942),
                             ('to', SITE + 'nn/modules/module.py', 1369)) + at('main', 'train.py', 133) + START[1:]),
    'adamw.exp_avg': ('zeros_like', (('_init_group', SITE + 'optim/adamw.py', 179), ('step', SITE + 'optim/adamw.py', 232)) + ADAMW
                      + at('train_step', 'train.py', 95) + MAIN),
    'adamw.exp_avg_sq': ('zeros_like', (('_init_group', SITE + 'optim/adamw.py', 183), ('step', SITE + 'optim/adamw.py', 232)) + ADAMW
                         + at('train_step', 'train.py', 95) + MAIN),
    'adamw.sqrt': ('_foreach_sqrt', (('_multi_tensor_adam', SITE + 'optim/adam.py', 726), ('adam', SITE + 'optim/adam.py', 949),
                                     ('step', SITE + 'optim/adamw.py', 243)) + ADAMW + at('train_step', 'train.py', 95) + MAIN),
    'clip.norm': ('_foreach_norm', (('_get_total_norm', SITE + 'nn/utils/clip_grad.py', 99),) + at('train_step', 'train.py', 93) + MAIN),
    'eval.keep': ('clone', EVALUATE),
    'pinned.batch': ('empty', at('__next__', 'data.py', 29) + EPOCH),
}
# Where memory is given up: (what lets go of it, Python chain).
RELEASE = {
    'free.forward': ('dealloc', at('forward', 'model.py', 123) + MODULE_CALL + GPT + STEP),
    'free.eval': ('dealloc', at('evaluate', 'train.py', 115) + EVALUATE[1:]),
    'free.engine': ('engine', ()),
    'free.zero_grad': ('dealloc', (('zero_grad', SITE + 'optim/optimizer.py', 1020),) + at('train_step', 'train.py', 96) + MAIN),
    'free.adamw': ('dealloc', (('_multi_tensor_adam', SITE + 'optim/adam.py', 748), ('adam', SITE + 'optim/adam.py', 949),
                               ('step', SITE + 'optim/adamw.py', 243)) + ADAMW + at('train_step', 'train.py', 95) + MAIN),
    'free.step': ('dealloc', at('train_step', 'train.py', 99) + MAIN),
    'free.exit': ('dealloc', at('main', 'train.py', 157) + START[1:]),
    'empty_cache': ('empty_cache', (('empty_cache', SITE + 'cuda/memory.py', 224),) + at('run_epoch', 'loop.py', 61) + EPOCH[1:]),
}

# C and C++ frames: (function, file), none with a line.
GATHER = (('torch::unwind::unwind()', '??'), ('torch::CapturedTraceback::gather(bool, bool, bool)', '??'),
          ('torch::cuda::(anonymous namespace)::gather_with_cpp()', 'memory_snapshot.cpp'))
MALLOC = GATHER + (
    ('c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc(unsigned long, CUstream_st*)', 'CUDACachingAllocator.cpp'),
    ('c10::cuda::CUDACachingAllocator::Native::NativeCachingAllocator::malloc(void**, signed char, unsigned long, CUstream_st*)', ''),
    ('c10::cuda::CUDACachingAllocator::Native::NativeCachingAllocator::allocate(unsigned long)', ''),
    ('at::detail::empty_generic(c10::ArrayRef<long>, c10::Allocator*, c10::DispatchKeySet, c10::ScalarType, '
     'std::optional<c10::MemoryFormat>)', '??'),
    ('at::detail::empty_cuda(c10::ArrayRef<long>, c10::TensorOptions const&)', '??'))
RELEASE_TENSOR = GATHER + (
    ('c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::free('
     'c10::cuda::CUDACachingAllocator::Native::(anonymous namespace)::Block*)', 'CUDACachingAllocator.cpp'),
    ('c10::intrusive_ptr<c10::StorageImpl, c10::detail::intrusive_target_default_null_type<c10::StorageImpl> >::reset_()', ''),
    ('c10::TensorImpl::~TensorImpl()', 'TensorImpl.cpp'))
ENGINE_THREAD = (
    ('torch::autograd::Node::operator()(std::vector<at::Tensor, std::allocator<at::Tensor> >&&)', ''),
    ('torch::autograd::Engine::evaluate_function(std::shared_ptr<torch::autograd::GraphTask>&, torch::autograd::Node*, '
     'torch::autograd::InputBuffer&, std::shared_ptr<torch::autograd::ReadyQueue> const&)', '??'),
    ('torch::autograd::Engine::thread_main(std::shared_ptr<torch::autograd::GraphTask> const&)', '??'),
    ('torch::autograd::Engine::thread_init(int, std::shared_ptr<torch::autograd::ReadyQueue> const&, bool)', '??'),
    ('torch::autograd::python::PythonEngine::thread_init(int, std::shared_ptr<torch::autograd::ReadyQueue> const&, bool)', ''),
    ('execute_native_thread_routine', 'thread.cc'), ('start_thread', '??'), ('__clone', '??'))
PROCESS_START = tuple((name, '??') for name in ('PyEval_EvalCode', 'PyRun_FileExFlags', '_PyRun_SimpleFileObject', '_PyRun_AnyFileObject',
                                                 'Py_RunMain', 'Py_BytesMain', '__libc_start_main', '_start'))
EVAL = ('_PyEval_EvalFrameDefault', '??')
CALLS = {'_call_impl': ('_PyObject_Call_Prepend', 'slot_tp_call', '_PyObject_MakeTpCall'), '_wrapped_call_impl': ('_PyFunction_Vectorcall',)}


def operator(op):
    """The C++ frames between the allocator and the operator's Python binding."""
    tensors = 'at::Tensor const&, at::Tensor const&, std::optional<c10::ScalarType>'
    boxed = ('c10::impl::wrap_kernel_functor_unboxed_<c10::impl::detail::WrapFunctionIntoFunctor_<c10::CompileTimeFunctionPointer<'
             f'at::Tensor ({tensors}), &at::(anonymous namespace)::%s_{op}>, at::Tensor, c10::guts::typelist::typelist<{tensors}> >, '
             f'at::Tensor ({tensors})>::call(c10::OperatorKernel*, c10::DispatchKeySet, {tensors})')
    return ((f'at::(anonymous namespace)::create_out(c10::ArrayRef<long>, c10::ArrayRef<long>, c10::TensorOptions const&) [{op}]',
             'RegisterCUDA_0.cpp'),
            (f'at::(anonymous namespace)::structured_{op}_out_cuda_functional::set_output_raw_strided(long, c10::ArrayRef<long>, '
             'c10::ArrayRef<long>, c10::TensorOptions, c10::ArrayRef<at::Dimname>)', 'RegisterCUDA_0.cpp'),
            (f'at::meta::structured_{op}::meta({tensors})', '??'),
            (f'at::(anonymous namespace)::wrapper_CUDA_{op}({tensors})', 'RegisterCUDA_0.cpp'),
            (boxed % 'wrapper_CUDA', 'RegisterCUDA_0.cpp'),
            (f'at::_ops::{op}::redispatch(c10::DispatchKeySet, {tensors})', '??'),
            (f'torch::ADInplaceOrView::(anonymous namespace)::{op}(c10::DispatchKeySet, {tensors})', 'ADInplaceOrViewType_0.cpp'),
            (f'torch::autograd::VariableType::(anonymous namespace)::{op}(c10::DispatchKeySet, {tensors})', 'VariableType_3.cpp'),
            (boxed % 'wrapper_Autograd', 'VariableType_3.cpp'),
            (f'at::_ops::{op}::call({tensors})', '??'),
            (f'at::native::{op}_symint({tensors})', '??'),
            (boxed % 'wrapper_CompositeImplicitAutograd', 'RegisterCompositeImplicitAutograd_0.cpp'))


class Stacks:
    """All call sites by name, as lists of frame dicts; capture() is what one recording of one of them yields."""

    def __init__(self, cpp, fx):
        self.frames, self.cpp, self.fx = {}, cpp, fx
        self.sites = {}
        for name, (op, chain) in FORWARD.items():
            self.sites[name] = self._site(MALLOC + operator(op), op, chain + STEP)
            self.sites['eval.' + name] = self._site(MALLOC + operator(op), op, chain + EVALUATE)
        for name, (op, chain) in OTHER.items():
            self.sites[name] = self._site(MALLOC + operator(op), op, chain)
        for name, (op, node) in ENGINE.items():
            apply = (f'torch::autograd::generated::{node}::apply(std::vector<at::Tensor, std::allocator<at::Tensor> >&&)', '??')
            self.sites[name] = self._native(MALLOC + operator(op) + (apply,) + ENGINE_THREAD)
        for name, (how, chain) in RELEASE.items():
            if how == 'engine':
                self.sites[name] = self._native(RELEASE_TENSOR + ENGINE_THREAD[1:])
            else:
                self.sites[name] = self._site(RELEASE_TENSOR, how, chain)

    def _frame(self, name, file, line, place=0):
        """The dict for one place in the code; equal names at two places are two dicts with strings of their own."""
        frame = self.frames.get((name, file, line, place))
        if frame is None:
            frame = {'name': name[:1] + name[1:], 'filename': file[:1] + file[1:], 'line': line}
            self.frames[name, file, line, place] = frame
            if self.fx and file == HOME + 'model.py':       # as if torch.fx had generated the module
                frame.update(filename='fx_generated_7.py', fx_node_op='call_function', fx_node_name=f'{name}_{line}',
                             fx_node_target='torch.ops.aten.mm.default',
                             fx_original_trace=f'  File "{file}", line {line}, in {name}\n    x = self.block(x)\n')
        return frame

    def _native(self, chain, place=0):
        return [self._frame(name, file, 0, place) for name, file in chain] if self.cpp else []

    def _site(self, native, op, python):
        """Native frames, then each Python frame just before the C frame that evaluates it."""
        if not self.cpp:
            return [self._frame(*p) for p in python]
        frames = self._native(native + ((f'torch::autograd::THPVariable_{op}(_object*, _object*, _object*)',
                                         'python_torch_functions_0.cpp'), ('cfunction_call', '??')))
        for p in python:
            frames.append(self._frame(*p))
            frames += self._native((EVAL,) + tuple((name, '??') for name in CALLS.get(p[0], ('PyObject_Vectorcall',))), p[2] % 5)
        return frames + self._native(PROCESS_START)
