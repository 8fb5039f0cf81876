from .tensors import Tensor


class Handle:
    def __init__(self, hooks, hook):
        self.hooks, self.hook = hooks, hook

    def remove(self):
        self.hooks.remove(self.hook)


class AdamW:
    def __init__(self, parameters, lr=0.0):
        self.parameters, self.state, self.hooks = list(parameters), {}, []

    def register_step_pre_hook(self, hook):
        self.hooks.append(hook)
        return Handle(self.hooks, hook)

    def step(self):
        for hook in list(self.hooks):
            hook(self, (), {})
        for one in self.parameters:
            one.updates = getattr(one, "updates", 0) + 1      # of a DeepSpeed partition, too
            if one not in self.state:
                count = one.held().numel()
                self.state[one] = {"step": Tensor(1), "exp_avg": Tensor(count), "exp_avg_sq": Tensor(count)}

    def zero_grad(self):
        for one in self.parameters:
            if one.grad is not None:
                one.grad.release()
                one.grad = None
