"""Tensors without values, but for one number; their elements count as allocated until release()."""
from . import cuda


class Tensor:
    device, requires_grad = "cuda:0", True

    def __init__(self, count, element=4, value=0.0):
        self.count, self.element, self.value = count, element, value
        cuda.allocate(count * element)

    def numel(self):
        return self.count

    def element_size(self):
        return self.element

    def detach(self):
        return self

    def held(self):
        """What this rank has of it."""
        return getattr(self, "_local_tensor", self)

    def __float__(self):
        return self.value

    def __truediv__(self, number):
        return self

    def release(self):
        cuda.allocate(-self.count * self.element)
        self.count = 0


class Parameter(Tensor):
    grad = None
    updates = 0             # optimizer steps done

    def shard(self, ranks):
        """What FSDP makes of a parameter: a DTensor, whose local part alone is held."""
        local = Tensor(self.count // ranks, self.element)
        cuda.allocate(-self.count * self.element)
        self._local_tensor = local
