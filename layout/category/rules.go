package category

// The categories, in the order of legends. What a file records or a person's rules name may add others.
const (
	Parameters = iota
	Gradients
	OptimizerState
	Activations
	KVCache
	Inputs
	Communication
	Workspace
	Temporaries
	Unknown
	builtIn
)

var names = [builtIn]string{"parameters", "gradients", "optimizer state", "activations", "KV cache", "inputs",
	"communication buffers", "workspace", "temporaries", "unknown"}

// A rule says what memory is for whose stack has a frame like this. Of a stack the innermost frame that a rule knows
// decides, and of several rules the first in the table: an optimizer whose step calls the model again, as Lightning's
// closures do, so leaves activations activations.
type rule struct {
	category int
	name     string // what it is, in a few words
	// files are parts of a frame's file, with / between folders, of which one has to be there; none: any file.
	// functions are whole names of Python functions, or with a * at the end their beginnings, or parts of C++ functions
	// where there is :: in them; none: any function. Both are separated by spaces.
	files, functions string
}

// rules is written from the sources of PyTorch, Megatron-LM, DeepSpeed, Transformers, Accelerate, bitsandbytes, vLLM
// and SGLang, and from snapshots. Each rule has a stack in rules_test.go.
var rules = []rule{
	{Workspace, "cuBLAS workspace",
		"",
		"at::cuda::getNewWorkspace at::cuda::getCUDABlasLtWorkspace at::cuda::getCUDABlasWorkspace"},
	{Workspace, "cuDNN workspace",
		"",
		"at::native::raw_cudnn_ at::native::raw_miopen_ at::native::run_conv_plan " +
			"at::native::run_single_conv"},
	{Workspace, "scratch of a kernel", "", "at::cuda::cub:: at::cuda::ThrustAllocator ::set_params_splitkv"},
	{Workspace, "workspace of Transformer Engine, FlashInfer, vLLM or SGLang",
		"transformer_engine/ flashinfer/ vllm/ sglang/",
		"get_workspace get_cublas_workspace* get_multi_stream_cublas_workspace get_workspace_buffer " +
			"_get_workspace_buffer _get_cache_buf _ensure_workspace_size init_workspace_manager"},
	{Temporaries, "autotuning",
		"torch/_inductor/runtime/triton_heuristics.py torch/_inductor/select_algorithm.py " +
			"triton/runtime/autotuner.py triton/testing.py",
		""},

	{Parameters, "parameters gathered by FSDP",
		"torch/distributed/fsdp/",
		"_alloc_padded_unsharded_flat_param _all_gather_flat_param _use_low_precision_shard " +
			"_init_flat_param* init_flat_param_attributes flatten_tensors* _get_shard shard pre_unshard " +
			"_init_sharded_param alloc_all_gather_outputs init_all_gather_outputs init_unsharded_param " +
			"to_sharded* _reset_sharded_param foreach_all_gather_copy_out _materialize*"},
	{Parameters, "parameters gathered by ZeRO",
		"deepspeed/runtime/zero/partition_parameters.py " +
			"deepspeed/runtime/zero/partitioned_param_coordinator.py deepspeed/runtime/zero/mics.py",
		""},
	{Parameters, "replicas of DataParallel",
		"torch/nn/parallel/comm.py torch/nn/parallel/replicate.py",
		"broadcast broadcast_coalesced replicate _broadcast_coalesced_reshape"},
	{Gradients, "gradients of FSDP",
		"torch/distributed/fsdp/",
		"prepare_gradient_for_backward prepare_gradient_for_optim _cast_grad* to_accumulated_grad_if_needed " +
			"accumulate_unsharded_grad_if_needed _accumulate_sharded_grad"},
	{Gradients, "gradient buffer of Megatron",
		"megatron/core/distributed/param_and_grad_buffer.py megatron/model/distributed.py " +
			"megatron/core/distributed/distributed_data_parallel.py",
		"__init__"},
	{Gradients, "gradients of ZeRO",
		"deepspeed/runtime/zero/ deepspeed/runtime/bf16_optimizer.py",
		"get_flat_partition initialize_optimizer_states independent_gradient_partition_epilogue " +
			"copy_grads_in_partition _setup_for_real_optimizer __setup_grad_partitions* " +
			"_create_param_groups_grad* update_hp_grads partition_grads __partition_grads"},
	{OptimizerState, "master weights of ZeRO",
		"deepspeed/runtime/zero/stage deepspeed/runtime/bf16_optimizer.py deepspeed/runtime/fp16/",
		"__init__ _create_fp32_partitions _create_fp16_partitions* _setup_for_mixed_precision"},
	{OptimizerState, "master weights of Megatron or Apex",
		"megatron/core/optimizer/ megatron/optimizer/ apex/fp16_utils/",
		"__init__ _build_model_and_main_param_groups build_model_and_main_param_groups"},

	{Communication, "buckets of DistributedDataParallel",
		"torch/nn/parallel/distributed.py",
		"_ddp_init_helper _build_params_for_reducer _sync_module_states _sync_buffers"},
	{Communication, "buckets of DistributedDataParallel (C++)",
		"",
		"c10d::Reducer:: c10d::broadcast_coalesced"},
	{Communication, "NCCL, Gloo or symmetric memory",
		"",
		"c10d::ProcessGroup c10d::symmetric_memory c10d::nccl torch::cuda::nccl"},
	{Communication, "all-gather and reduce-scatter of FSDP",
		"torch/distributed/fsdp/",
		"foreach_all_gather foreach_reduce* _reduce_grad* _get_reduce_scatter_tensors " +
			"_get_param_all_gather_inputs all_gather_copy_in* _post_backward_*"},
	{Communication, "collectives of torch.distributed",
		"torch/distributed/distributed_c10d.py torch/distributed/_functional_collectives.py " +
			"torch/distributed/_symmetric_memory torch/distributed/algorithms/",
		""},
	{Communication, "buckets of ZeRO",
		"deepspeed/runtime/zero/ deepspeed/comm/ deepspeed/runtime/comm/ deepspeed/runtime/engine.py",
		"setup_buckets allreduce* average_tensor reduce* __reduce* __avg_scatter* _allreduce* all_reduce* " +
			"all_gather* reduce_scatter* buffered_allreduce_fallback __add_grad_to_ipg_bucket"},
	{Communication, "tensor and pipeline parallelism",
		"tensor_parallel/mappings.py tensor_parallel/layers.py p2p_communication.py megatron/core/utils.py " +
			"megatron/core/tensor_parallel/utils.py vllm/distributed/ sglang/srt/distributed/",
		"_gather_* _reduce* _all_to_all* _split_* get_tensor _communicate* recv_* send_* all_gather* " +
			"all_reduce* reduce_scatter* broadcast* _all_gather* __init__ create_shared_buffer"},

	{OptimizerState, "state of an optimizer",
		"",
		"_init_group init_group _init_state init_state initialize_state _initialize_state get_state_buffer"},
	{OptimizerState, "state of an optimizer that was loaded",
		"/optim/ /optimizers/ /optimizer",
		"load_state_dict _process_value_according_to_param_policy _cast __setstate__"},
	{Temporaries, "arithmetic of an optimizer",
		"torch/optim/",
		"_multi_tensor_* _single_tensor_* _fused_* _get_value _group_tensors_by_device_and_dtype"},
	{Gradients, "gradients set to zero", "", "zero_grad zero_grad_buffer"},
	{OptimizerState, "state made in an optimizer's step",
		"torch/optim/ apex/optimizers/ bitsandbytes/optim/ transformer_engine/pytorch/optimizers/ " +
			"deepspeed/ops/ lion_pytorch/ galore_torch/ pytorch_optimizer/",
		"step update_step"},
	{Temporaries, "clipping and scaling of gradients",
		"torch/nn/utils/clip_grad.py torch/amp/grad_scaler.py torch/cuda/amp/grad_scaler.py " +
			"torch/utils/_foreach_utils.py megatron/core/optimizer/clip_grads.py",
		""},

	{Inputs, "data loading",
		"torch/utils/data/ torch_geometric/loader/ torch_geometric/data/ webdataset/ " +
			"torchvision/transforms/ nvidia/dali/ transformers/data/",
		""},
	{Inputs, "batch moved to the device",
		"",
		"to_device move_to_device move_data_to_device batch_to_device send_to_device _prepare_input " +
			"_prepare_inputs prepare_inputs transfer_batch_to_device get_batch get_batch_on_this_tp_rank " +
			"broadcast_data prefetch_to_device collate_fn pin_memory scatter_kwargs"},
	{Inputs, "batch of DataParallel", "torch/nn/parallel/", "scatter scatter_map scatter_gather"},
	{Inputs, "tokens and features",
		"transformers/tokenization_utils transformers/feature_extraction transformers/image_processing " +
			"transformers/processing_utils.py",
		""},

	{KVCache, "KV cache of a model", "cache_utils kv_cache.py kvcache.py", ""},
	{KVCache, "KV cache",
		"",
		"_allocate_kv_cache _allocate_kv_cache_tensors initialize_kv_cache* setup_caches setup_cache " +
			"init_kv_cache allocate_kv_cache allocate_gpu_cache"},
	{KVCache, "KV cache of SGLang", "sglang/srt/mem_cache/", ""},

	{Parameters, "weights in files",
		"torch/serialization.py safetensors/ vllm/model_executor/model_loader/ sglang/srt/model_loader/ " +
			"transformers/core_model_loading.py transformers/integrations/ transformers/quantizers/ " +
			"bitsandbytes/nn/ accelerate/utils/modeling.py accelerate/hooks.py",
		"load* _load* persistent_load restore_location wrap_storage _cuda_deserialize get_tensor " +
			"__getitem__ set_module_tensor_to_device* create_weights process_weights_after_loading _quantize " +
			"quantize* cuda _convert_one* convert* materialize* spawn* initialize_model"},
	{Parameters, "weights that are loaded",
		"",
		"from_pretrained load_checkpoint load_weights load_model create_weights " +
			"process_weights_after_loading weight_loader init_weight* _init_weight* init_all_weights " +
			"_load_state_dict_into_meta_model load_checkpoint_and_dispatch"},
	{Parameters, "modules that are moved or converted",
		"torch/nn/modules/module.py",
		"_apply convert to_empty load_state_dict _load_from_state_dict register_parameter register_buffer"},
	{Parameters, "modules that are made",
		"torch/nn/modules/ torch/nn/parameter.py torch/nn/utils/parametrizations.py",
		"__init__ reset_parameters _reset_parameters __new__ materialize initialize_parameters"},
	{Parameters, "initialization of weights", "torch/nn/init.py", ""},
	{Parameters, "parameters of distributed tensors",
		"torch/distributed/tensor/ torch/distributed/_tensor/",
		"distribute_tensor distribute_module from_local"},

	{Gradients, "the backward pass (C++)",
		"",
		"torch::autograd::AccumulateGrad torch::autograd::Engine:: torch::autograd::PyNode:: " +
			"torch::autograd::CopySlices torch::autograd::CppNode torch::autograd::generated::"},
	{Gradients, "the backward pass",
		"",
		"backward _engine_run_backward call_compiled_backward _backward_impl backward_impl " +
			"compiled_autograd_backward _flash_attn_backward _flash_attn_varlen_backward backward_epilogue"},
	{Gradients, "torch.autograd", "torch/autograd/__init__.py", "grad _make_grads"},

	{Temporaries, "sampling of tokens",
		"transformers/generation/ vllm/v1/sample/ vllm/model_executor/layers/sampler.py " +
			"sglang/srt/sampling/ sglang/srt/layers/sampler.py",
		""},
	{Temporaries, "metrics", "torchmetrics/ torcheval/", ""},

	{Activations, "the forward pass",
		"",
		"forward forward_step _forward_impl _flash_attn_forward _flash_attn_varlen_forward flash_attn_func " +
			"flash_attn_varlen_func scaled_dot_product_attention memory_efficient_attention"},
	{Activations, "modules and their functions",
		"torch/nn/modules/module.py torch/nn/functional.py torch/utils/checkpoint.py " +
			"torch/nn/parallel/parallel_apply.py transformer_engine/pytorch/ flash_attn/ xformers/ops/",
		""},
}

// weak are the rules that hold only where no frame and no annotation says more.
var weak = []rule{
	{Parameters, "made by a constructor", "", "__init__"},
	{Inputs, "moved to the device outside of the model",
		"",
		"torch::autograd::THPVariable_cuda torch::autograd::THPVariable_to("},
	{Activations, "an operation that autograd follows", "", "torch::autograd::VariableType::"},
}

// A phaseRule says what memory is that was allocated in an annotation whose name has a word in it, in whatever case.
type phaseRule struct {
	category int
	word     string
}

var phaseRules = []phaseRule{
	{Gradients, "backward"}, {Activations, "forward"}, {Inputs, "dataloader"}, {Inputs, "data loading"},
	{Temporaries, "zero_grad"}, {OptimizerState, "optimizer"},
}
