from ..tensors import Tensor


def clip_grad_norm_(parameters, largest):
    norm = Tensor(0, value=0.5)
    norm.full_tensor = lambda: norm
    return norm
