class FSDPModule:
    pass


def fully_shard(module):
    """As in torch, the module's class gets a base, and its parameters become DTensors, once."""
    from . import get_world_size
    from ..nn.modules import Module
    for one in module.parameters():
        if not hasattr(one, "_local_tensor"):
            one.shard(get_world_size())
    module.__class__ = type("FSDP" + type(module).__name__, (FSDPModule, Module), {})
    return module
