package category

import (
	"strings"
	"testing"

	"strata/snapshot"
)

// stack makes a snapshot of one stack, number 1, from lines "FILE FUNCTION" with the innermost first. Of C++ frames the
// file is a name without folders, or "??".
func stack(lines ...string) *snapshot.Snapshot {
	s := &snapshot.Snapshot{Strings: []string{""}, Metas: make([]snapshot.Meta, 1)}
	s.Stacks.Start = []uint32{0, 0}
	s.Frames.Name, s.Frames.File, s.Frames.Line = []snapshot.StringID{0}, []snapshot.StringID{0}, []int32{0}
	for _, line := range lines {
		file, function, _ := strings.Cut(line, " ")
		n := snapshot.StringID(len(s.Strings))
		s.Strings = append(s.Strings, file, function)
		s.Stacks.Frame = append(s.Stacks.Frame, snapshot.FrameID(len(s.Frames.Name)))
		s.Frames.File, s.Frames.Name = append(s.Frames.File, n), append(s.Frames.Name, n+1)
		s.Frames.Line = append(s.Frames.Line, 1)
	}
	s.Stacks.Start = append(s.Stacks.Start, uint32(len(s.Stacks.Frame)))
	return s
}

// What many stacks have in common.
const (
	site   = "/opt/conda/lib/python3.11/site-packages/"
	malloc = "CUDACachingAllocator.cpp c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc(" +
		"unsigned long, CUstream_st*)"
	empty   = "?? at::detail::empty_cuda(c10::ArrayRef<long>, c10::TensorOptions const&)"
	varType = "VariableType_3.cpp torch::autograd::VariableType::(anonymous namespace)::addmm(" +
		"c10::DispatchKeySet, at::Tensor const&)"
	thread   = "?? torch::autograd::Engine::thread_main(std::shared_ptr<torch::autograd::GraphTask> const&)"
	call     = site + "torch/nn/modules/module.py _call_impl"
	wrapped  = site + "torch/nn/modules/module.py _wrapped_call_impl"
	forward  = "/home/me/model.py forward"
	step     = "/home/me/train.py train_step"
	main     = "/home/me/train.py <module>"
	torch    = site + "torch/"
	fsdp     = site + "torch/distributed/fsdp/"
	useGrad  = site + "torch/optim/optimizer.py _use_grad"
	wrapper  = site + "torch/optim/optimizer.py wrapper"
	zero     = site + "deepspeed/runtime/zero/"
	vllm     = site + "vllm/"
	noGrad   = site + "torch/utils/_contextlib.py decorate_context"
	megatron = "/workspace/Megatron-LM/megatron/"
)

// stacks are as PyTorch writes them, less what says nothing; each is decided by the rule of that category and name.
var stackTests = []struct {
	category int
	rule     string
	stack    []string
}{
	{Workspace, "cuBLAS workspace", []string{malloc, "?? at::cuda::getNewWorkspace()",
		"?? at::cuda::getCurrentCUDABlasHandle()", varType, torch + "nn/modules/linear.py forward", call,
		wrapped, step}},
	{Workspace, "cuBLAS workspace", []string{malloc, "?? at::cuda::getCUDABlasLtWorkspace()",
		"?? void at::cuda::blas::gemm_and_bias<c10::BFloat16>(bool, bool, long, long, long)", varType, call,
		main}},
	{Workspace, "cuDNN workspace", []string{malloc,
		"Conv_v8.cpp at::native::run_conv_plan(cudnnContext*, at::Tensor const&)",
		"?? at::native::cudnn_convolution(at::Tensor const&)", varType,
		torch + "nn/modules/conv.py _conv_forward", call}},
	{Workspace, "scratch of a kernel", []string{malloc,
		"?? void at::cuda::cub::radix_sort_pairs<float, long>(float const*)",
		"?? at::native::sort_cuda_kernel(at::TensorBase const&)", forward, call}},
	{Workspace, "workspace of Transformer Engine, FlashInfer, vLLM or SGLang", []string{
		site + "transformer_engine/pytorch/module/base.py get_workspace",
		site + "transformer_engine/pytorch/module/linear.py forward", call}},
	{Workspace, "workspace of Transformer Engine, FlashInfer, vLLM or SGLang", []string{
		vllm + "v1/attention/backends/flashinfer.py _get_workspace_buffer",
		vllm + "v1/worker/gpu_model_runner.py execute_model"}},
	{Temporaries, "autotuning", []string{malloc, torch + "_inductor/runtime/triton_heuristics.py clone_args",
		torch + "_inductor/runtime/triton_heuristics.py bench", "/tmp/torchinductor_me/ab/cab.py call", forward,
		call}},

	{Parameters, "parameters gathered by FSDP", []string{torch + "distributed/utils.py _alloc_storage",
		fsdp + "_flat_param.py _alloc_padded_unsharded_flat_param", fsdp + "_flat_param.py unshard",
		fsdp + "_runtime_utils.py _unshard", fsdp + "fully_sharded_data_parallel.py forward", call}},
	{Parameters, "parameters gathered by FSDP", []string{
		fsdp + "_fully_shard/_fsdp_param.py alloc_all_gather_outputs",
		fsdp + "_fully_shard/_fsdp_collectives.py foreach_all_gather_copy_out",
		fsdp + "_fully_shard/_fsdp_param_group.py wait_for_unshard", call}},
	{Parameters, "parameters gathered by ZeRO", []string{zero + "partition_parameters.py _all_gather_dtype",
		zero + "partitioned_param_coordinator.py fetch_sub_module",
		zero + "parameter_offload.py pre_sub_module_forward_function", call}},
	{Parameters, "replicas of DataParallel", []string{torch + "nn/parallel/comm.py broadcast_coalesced",
		torch + "nn/parallel/_functions.py forward", torch + "autograd/function.py apply",
		torch + "nn/parallel/replicate.py replicate", torch + "nn/parallel/data_parallel.py forward", call}},
	{Gradients, "gradients of FSDP", []string{
		fsdp + "_fully_shard/_fsdp_param.py to_accumulated_grad_if_needed",
		fsdp + "_fully_shard/_fsdp_param_group.py post_backward", torch + "autograd/function.py apply"}},
	{Gradients, "gradient buffer of Megatron", []string{
		megatron + "core/distributed/param_and_grad_buffer.py __init__",
		megatron + "core/distributed/distributed_data_parallel.py _allocate_buffers_for_parameters",
		megatron + "training/training.py get_model"}},
	{Gradients, "gradients of ZeRO", []string{zero + "stage_1_and_2.py initialize_optimizer_states",
		zero + "stage_1_and_2.py __init__", site + "deepspeed/runtime/engine.py _configure_zero_optimizer"}},
	{OptimizerState, "master weights of ZeRO", []string{varType, zero + "stage_1_and_2.py __init__",
		site + "deepspeed/runtime/engine.py _configure_zero_optimizer"}},
	{OptimizerState, "master weights of ZeRO", []string{zero + "stage3.py _create_fp32_partitions",
		zero + "stage3.py __init__"}},
	{OptimizerState, "master weights of Megatron or Apex", []string{
		megatron + "core/optimizer/distrib_optimizer.py _build_model_and_main_param_groups",
		megatron + "core/optimizer/distrib_optimizer.py __init__",
		megatron + "training/training.py setup_model_and_optimizer"}},

	{Communication, "buckets of DistributedDataParallel", []string{
		torch + "nn/parallel/distributed.py _ddp_init_helper", torch + "nn/parallel/distributed.py __init__",
		main}},
	{Communication, "buckets of DistributedDataParallel (C++)", []string{malloc, empty,
		"?? c10d::Reducer::initialize_buckets(std::vector<std::vector<unsigned long> >)",
		"?? c10d::Reducer::rebuild_buckets()", torch + "nn/parallel/distributed.py _pre_forward", call}},
	{Communication, "NCCL, Gloo or symmetric memory", []string{malloc, empty,
		"?? c10d::ProcessGroupNCCL::allgather(std::vector<std::vector<at::Tensor> >&)",
		torch + "distributed/distributed_c10d.py all_gather", main}},
	{Communication, "all-gather and reduce-scatter of FSDP", []string{
		fsdp + "_fully_shard/_fsdp_collectives.py allocate",
		fsdp + "_fully_shard/_fsdp_collectives.py foreach_all_gather",
		fsdp + "_fully_shard/_fsdp_param_group.py unshard", call}},
	{Communication, "all-gather and reduce-scatter of FSDP", []string{
		fsdp + "_runtime_utils.py _get_reduce_scatter_tensors", fsdp + "_runtime_utils.py _reduce_grad",
		fsdp + "_runtime_utils.py _post_backward_hook"}},
	{Communication, "collectives of torch.distributed", []string{
		torch + "distributed/distributed_c10d.py _object_to_tensor",
		torch + "distributed/distributed_c10d.py all_gather_object", main}},
	{Communication, "buckets of ZeRO", []string{zero + "stage_1_and_2.py setup_buckets",
		zero + "stage_1_and_2.py __init__"}},
	{Communication, "buckets of ZeRO", []string{zero + "stage3.py __avg_scatter_contiguous_grads",
		zero + "stage3.py __reduce_and_partition_ipg_grads"}},
	{Communication, "tensor and pipeline parallelism", []string{
		megatron + "core/tensor_parallel/mappings.py _gather_along_first_dim",
		megatron + "core/tensor_parallel/layers.py forward", torch + "autograd/function.py apply"}},
	{Communication, "tensor and pipeline parallelism", []string{
		vllm + "distributed/device_communicators/custom_all_reduce.py __init__",
		vllm + "distributed/parallel_state.py __init__"}},

	{OptimizerState, "state of an optimizer", []string{
		"python_torch_functions_0.cpp torch::autograd::THPVariable_zeros_like(_object*, _object*, _object*)",
		torch + "optim/adam.py _init_group", torch + "optim/adam.py step", useGrad, wrapper, step}},
	{OptimizerState, "state of an optimizer", []string{
		site + "bitsandbytes/optim/optimizer.py get_state_buffer",
		site + "bitsandbytes/optim/optimizer.py init_state", noGrad,
		site + "bitsandbytes/optim/optimizer.py step"}},
	{OptimizerState, "state of an optimizer that was loaded", []string{torch + "optim/optimizer.py _cast",
		torch + "optim/optimizer.py load_state_dict", main}},
	{Temporaries, "arithmetic of an optimizer", []string{torch + "optim/adam.py _multi_tensor_adam",
		torch + "optim/adam.py adam", torch + "optim/adam.py step", useGrad, wrapper, step}},
	{Gradients, "gradients set to zero", []string{torch + "optim/optimizer.py zero_grad", step}},
	{OptimizerState, "state made in an optimizer's step", []string{varType,
		site + "apex/optimizers/fused_adam.py step", wrapper, step}},
	{OptimizerState, "state made in an optimizer's step", []string{torch + "optim/sgd.py step", noGrad, wrapper,
		step}},
	{Temporaries, "clipping and scaling of gradients", []string{torch + "nn/utils/clip_grad.py _get_total_norm",
		torch + "nn/utils/clip_grad.py clip_grad_norm_", step}},

	{Inputs, "data loading", []string{torch + "utils/data/_utils/pin_memory.py pin_memory",
		torch + "utils/data/_utils/pin_memory.py _pin_memory_loop"}},
	{Inputs, "batch moved to the device", []string{"/home/me/data.py to_device", step}},
	{Inputs, "batch moved to the device", []string{site + "transformers/trainer.py _prepare_input",
		site + "transformers/trainer.py _prepare_inputs", site + "transformers/trainer.py training_step"}},
	{Inputs, "batch moved to the device", []string{site + "lightning/fabric/utilities/apply_func.py batch_to",
		site + "lightning_utilities/core/apply_func.py apply_to_collection",
		site + "lightning/fabric/utilities/apply_func.py move_data_to_device"}},
	{Inputs, "batch of DataParallel", []string{torch + "nn/parallel/comm.py scatter",
		torch + "nn/parallel/_functions.py forward", torch + "nn/parallel/scatter_gather.py scatter_map",
		torch + "nn/parallel/data_parallel.py forward", call}},
	{Inputs, "tokens and features", []string{site + "transformers/tokenization_utils_base.py to", main}},

	{KVCache, "KV cache of a model", []string{site + "transformers/cache_utils.py update",
		site + "transformers/models/llama/modeling_llama.py forward", call, wrapped}},
	{KVCache, "KV cache", []string{vllm + "v1/worker/gpu_model_runner.py _allocate_kv_cache_tensors",
		vllm + "v1/worker/gpu_model_runner.py initialize_kv_cache",
		vllm + "v1/worker/gpu_worker.py initialize_from_config"}},
	{KVCache, "KV cache of SGLang", []string{site + "sglang/srt/mem_cache/memory_pool.py _create_buffers",
		site + "sglang/srt/mem_cache/memory_pool.py __init__",
		site + "sglang/srt/model_executor/model_runner.py init_memory_pool"}},

	{Parameters, "weights in files", []string{torch + "serialization.py restore_location",
		torch + "serialization.py persistent_load", torch + "serialization.py load", main}},
	{Parameters, "weights in files", []string{site + "safetensors/torch.py load_file", main}},
	{Parameters, "weights that are loaded", []string{site + "transformers/modeling_utils.py from_pretrained",
		main}},
	{Parameters, "weights that are loaded", []string{vllm + "model_executor/layers/linear.py create_weights",
		vllm + "model_executor/models/llama.py __init__", vllm + "v1/worker/gpu_model_runner.py load_model"}},
	{Parameters, "weights that are loaded", []string{"/home/me/FlexGen/flexgen/pytorch_backend.py allocate",
		"/home/me/FlexGen/flexgen/flex_opt.py init_weight_list",
		"/home/me/FlexGen/flexgen/flex_opt.py __init__"}},
	{Parameters, "modules that are moved or converted", []string{varType,
		torch + "nn/modules/module.py convert", torch + "nn/modules/module.py _apply",
		torch + "nn/modules/module.py to", "/home/me/trainers.py __init__"}},
	{Parameters, "modules that are made", []string{torch + "nn/modules/linear.py __init__",
		"/home/me/model.py __init__", main}},
	{Parameters, "initialization of weights", []string{torch + "nn/init.py _no_grad_normal_",
		torch + "nn/init.py normal_", main}},
	{Parameters, "parameters of distributed tensors", []string{
		torch + "distributed/tensor/_api.py distribute_tensor", main}},

	{Gradients, "the backward pass (C++)", []string{malloc, empty, varType,
		"?? torch::autograd::generated::MmBackward0::apply(std::vector<at::Tensor, std::allocator<at::Tensor> >&&)",
		thread}},
	{Gradients, "the backward pass (C++)", []string{malloc, empty,
		"?? torch::autograd::AccumulateGrad::apply(std::vector<at::Tensor, std::allocator<at::Tensor> >&&)",
		thread}},
	{Gradients, "the backward pass", []string{site + "flash_attn/flash_attn_interface.py backward",
		torch + "autograd/function.py apply"}},
	{Gradients, "the backward pass", []string{"/tmp/torchinductor_me/xy/cxy.py call",
		torch + "_functorch/_aot_autograd/runtime_wrappers.py _backward_impl",
		torch + "autograd/function.py apply"}},
	{Gradients, "torch.autograd", []string{torch + "autograd/__init__.py _make_grads",
		torch + "autograd/__init__.py backward", torch + "_tensor.py backward", step}},
	// A checkpoint runs the forward pass again within the backward pass.
	{Activations, "the forward pass", []string{varType, forward, call,
		torch + "utils/checkpoint.py recompute_fn", torch + "utils/checkpoint.py unpack_hook", thread}},

	{Temporaries, "sampling of tokens", []string{site + "transformers/generation/logits_process.py __call__",
		site + "transformers/generation/utils.py _sample"}},
	{Temporaries, "metrics", []string{
		site + "torchmetrics/functional/classification/accuracy.py _accuracy_update", main}},

	{Activations, "the forward pass", []string{malloc, empty, varType, torch + "nn/modules/linear.py forward",
		call, wrapped, forward, call, step}},
	// The closure of an optimizer that runs the model.
	{Activations, "the forward pass", []string{forward, call, "/home/me/lit.py training_step",
		torch + "optim/adam.py step", wrapper, main}},
	{Activations, "the forward pass", []string{site + "flash_attn/flash_attn_interface.py _flash_attn_forward",
		site + "flash_attn/flash_attn_interface.py forward", torch + "autograd/function.py apply", forward}},
	{Activations, "modules and their functions", []string{torch + "nn/functional.py cross_entropy", step,
		main}},

	{Parameters, "made by a constructor", []string{"/home/me/model.py __init__", main}},
	{Inputs, "moved to the device outside of the model", []string{malloc, empty, varType,
		"python_variable_methods.cpp torch::autograd::THPVariable_cuda(_object*, _object*, _object*)", step,
		main}},
	{Activations, "an operation that autograd follows", []string{malloc, empty, varType, step, main}},
	{Unknown, "", []string{malloc, empty, step, main}},
	{Unknown, "", nil},
}

// TestRules: each stack is decided by its rule, and each rule has a stack.
func TestRules(t *testing.T) {
	decided := map[*rule]bool{}
	for _, c := range stackTests {
		k := newStacks(stack(c.stack...))
		got := k.rule(1)
		switch {
		case got == nil && c.category == Unknown:
		case got == nil:
			t.Errorf("nothing is known of\n%s, want %s", strings.Join(c.stack, "\n"), c.rule)
		case got.category != c.category || got.name != c.rule:
			t.Errorf("%s, %q; want %s, %q of\n%s", names[got.category], got.name, names[c.category], c.rule,
				strings.Join(c.stack, "\n"))
		default:
			decided[got.rule] = true
		}
	}
	for _, table := range [][]rule{rules, weak} {
		for i := range table {
			if !decided[&table[i]] {
				t.Errorf("no stack tests %q of %s", table[i].name, names[table[i].category])
			}
		}
	}
}

// TestOtherWritings: files of Windows and frames of profiles, which have the file in their name, are known too.
func TestOtherWritings(t *testing.T) {
	for _, frame := range []string{`C:\envs\x\Lib\site-packages\torch\optim\adam.py _init_group`,
		"none torch/optim/adam.py(180): _init_group"} {
		if r := newStacks(stack(frame)).rule(1); r == nil || r.category != OptimizerState {
			t.Errorf("%s: %v", frame, r)
		}
	}
}
