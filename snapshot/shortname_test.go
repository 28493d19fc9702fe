package snapshot

import "testing"

func TestShortNames(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"forward", "forward"},
		{"<module>", "<module>"},
		{"_PyEval_EvalFrame", "_PyEval_EvalFrame"},
		{"a name (with this)", "name"},
		{"THPVariable_clear(THPVariable*)", "THPVariable_clear"},
		{"at::native::empty_cuda(c10::ArrayRef<long>, std::optional<c10::ScalarType>)", "at::native::empty_cuda"},
		{"at::TensorBase at::detail::_empty_generic<long>(c10::ArrayRef<long>, c10::Allocator*)",
			"at::detail::_empty_generic"},
		{"torch::autograd::generated::AddmmBackward0::apply(std::vector<at::Tensor, std::allocator<at::Tensor> >&&)",
			"AddmmBackward0"},
		{"torch::autograd::Node::operator()(std::vector<at::Tensor>&&)", "torch::autograd::Node::operator()"},
		{"at::(anonymous namespace)::(anonymous namespace)::wrapper_CUDA__relu(at::Tensor const&)",
			"at::wrapper_CUDA__relu"},
		{"at::TensorIteratorBase::~TensorIteratorBase()", "at::TensorIteratorBase::~TensorIteratorBase"},
		{"decltype(auto) c10::Dispatcher::call<at::Tensor>(int) const", "c10::Dispatcher::call"},
		{"std::ostream& c10::operator<<(std::ostream&, c10::Device const&)", "c10::operator<<"},
		{"foo::bar(int)::{lambda(int)#1}::operator()(int) const [clone .isra.0]", "foo::bar::{lambda#1}::operator()"},
		{"c10::Allocator::operator bool() const", "c10::Allocator::operator bool"},
		{"(anonymous namespace)::", "(anonymous namespace)::"},
	} {
		if got := ShortFunction(c.name); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.name, got, c.want)
		}
	}
}
