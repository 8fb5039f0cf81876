from . import parallel, utils  # noqa: F401
from .modules import Module  # noqa: F401
