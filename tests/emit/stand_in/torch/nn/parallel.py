import contextlib

from .modules import Module


class DistributedDataParallel(Module):
    def __init__(self, module):
        super().__init__()
        self.children_ = [module]

    @contextlib.contextmanager
    def no_sync(self):
        yield
