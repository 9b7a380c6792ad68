"""What is generated, brought into a list of items: the steps in order."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from fn.generation.model import Generated, Settings
    from fn.krm.resourcelist import ResourceList
    from fn.krm.results import Result


def generate(resource_list: ResourceList, generated: Sequence[Generated], settings: Settings) -> list[Result]:
    """Merge what is generated into the items of a list, prune what is not, and return what there is to tell.

    Where a result is an error, the items may be half changed: who emits the list gives them back as they were read.
    """
    raise NotImplementedError
