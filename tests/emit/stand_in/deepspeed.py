"""An engine that runs the ZeRO stage of its configuration, as far as its memory goes."""
import torch
from torch.tensors import Tensor

__version__ = "0.stand_in"


class ZeroOptimizer:
    """bf16: the parameters in use are whole up to stage 2, the fp32 master and the moments are parts."""

    def __init__(self, optimizer, ranks):
        parts = [Tensor(one.held().count if hasattr(one, "_local_tensor") else one.count // ranks, 4)
                 for one in optimizer.parameters]
        self.model = optimizer.parameters
        self.single_partition_of_fp32_groups = parts
        self.optimizer = torch.optim.AdamW(parts)
        self.averaged_gradients = {}


class Engine:
    def __init__(self, model, optimizer, config):
        self.stage, self.ranks = config["zero_optimization"]["stage"], torch.distributed.get_world_size()
        self.accumulation, self.micro, self.model = config["gradient_accumulation_steps"], 0, model
        if self.stage == 3:
            for one in model.parameters():
                one.ds_numel, count = one.count, one.count // self.ranks
                one.ds_tensor = Tensor(count, one.element)
                one.release()
                one._local_tensor = one.ds_tensor
        self.optimizer = ZeroOptimizer(optimizer, self.ranks)

    def __call__(self, inputs):
        return self.model(inputs)

    def modules(self):
        return self.model.modules()

    def parameters(self):
        return self.model.parameters()

    def zero_optimization_stage(self):
        return self.stage

    def is_gradient_accumulation_boundary(self):
        return (self.micro + 1) % self.accumulation == 0

    def backward(self, loss):
        loss.backward()
        if not self.is_gradient_accumulation_boundary():
            return
        parts = []
        for one in self.model.parameters():
            count = one.grad.count // (1 if self.stage == 3 else self.ranks)
            one.grad.release()
            one.grad = None
            parts.append(Tensor(count, one.element))
        self.optimizer.averaged_gradients = {0: parts}

    def step(self):
        if self.is_gradient_accumulation_boundary():
            self.optimizer.optimizer.step()
            for one in self.optimizer.averaged_gradients.pop(0):
                one.release()
            for one in self.model.parameters():
                one.updates += 1
        self.micro += 1

    def get_global_grad_norm(self):
        return 0.5


def initialize(model=None, optimizer=None, config=None):
    torch.distributed.init_process_group()
    return Engine(model, optimizer, config), None, None, None
