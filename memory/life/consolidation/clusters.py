"""Clusters of statements: what is alike on the whole, by average linkage, in bounded size and time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from memory.life.wording import overlap

if TYPE_CHECKING:  # numpy takes 0.1 s to import, which a start need not pay
    import numpy as np
    from numpy.typing import NDArray

    from memory.ports import Vectors

Matrix: TypeAlias = "NDArray[np.float32]"
"""How alike statements are, shape (n, n): from 0 to 1, 1 for what is equal; symmetric, and finite."""
MAX_STATEMENTS = 600
"""Different statements that are compared in one run: 180,000 pairs, about a second by words."""
MAX_CLUSTER = 24
"""Statements of one cluster."""
SPREAD = 1e-3
"""Vectors whose cosines all lie within this say nothing: whatever made them is broken."""


def compare_vectors(vectors: Sequence[Vectors | None]) -> Matrix | None:
    """Return the cosines of vectors of one size, each of any length; those below 0 count as 0.

    A statement without a vector, or with one that is not finite or has no length, is like none. None if they tell
    nothing apart: there are none, or several statements are all equally alike.
    """
    import numpy as np

    rows = [None if row is None or not np.isfinite(row).all() else row for row in vectors]
    size = next((len(row) for row in rows if row is not None), 0)
    if not size:
        return None
    table = np.stack([np.zeros(size, np.float32) if row is None or len(row) != size else row for row in rows])
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    known = lengths[:, 0] > 0
    table = np.divide(table, lengths, out=np.zeros_like(table), where=lengths > 0)
    alike: Matrix = np.clip(table @ table.T, 0, 1).astype(np.float32)
    np.fill_diagonal(alike, known)  # rounding would choose between statements that stand in the middle alike
    among = alike[np.ix_(known, known)][np.triu_indices(int(known.sum()), 1)]
    if not known.any() or (len(among) >= 3 and among.max() - among.min() < SPREAD):
        return None
    return alike


def compare_words(texts: Sequence[str]) -> Matrix:
    """Return what statements share of their words (`memory.life.wording.overlap`)."""
    import numpy as np

    alike = np.eye(len(texts), dtype=np.float32)
    for at, text in enumerate(texts):
        for other in range(at):
            alike[at, other] = alike[other, at] = overlap(text, texts[other])
    return alike


def link_averages(alike: Matrix, least: float) -> list[tuple[int, ...]]:
    """Return clusters whose statements are alike on average, each in ascending order; single ones are left out.

    Two clusters become one as long as the mean over all pairs between them is at least `least`: unlike with a chain of
    neighbours, everything in a cluster is alike. Of equal pairs the first is taken, so that equal input has equal
    clusters. Source: R. R. Sokal, C. D. Michener (1958), "A statistical method for evaluating systematic relationships"
    (UPGMA).
    """
    import numpy as np

    count = len(alike)
    mean = np.array(alike, np.float64)
    np.fill_diagonal(mean, -1)
    members: dict[int, list[int]] = {at: [at] for at in range(count)}
    while count > 1:
        left, right = sorted(divmod(int(mean.argmax()), count))
        if mean[left, right] < least:
            break
        if len(members[left]) + len(members[right]) > MAX_CLUSTER:
            mean[left, right] = mean[right, left] = -1
            continue
        first, second = len(members[left]), len(members[right])
        joined = (first * mean[left] + second * mean[right]) / (first + second)
        joined[(mean[left] < 0) | (mean[right] < 0)] = -1  # what was too large to be joined stays so
        joined[left] = joined[right] = -1
        mean[left], mean[:, left] = joined, joined
        mean[right], mean[:, right] = -1, -1
        members[left] += members.pop(right)
    return sorted(tuple(sorted(cluster)) for cluster in members.values() if len(cluster) > 1)


def find_medoid(alike: Matrix, members: Sequence[int], weights: Sequence[int]) -> int:
    """Return the member that is most like all others, each of which counts as often as it was said."""

    def likeness(member: int) -> float:
        return sum(float(alike[member, other]) * weights[other] for other in members)

    return max(members, key=lambda member: (likeness(member), -member))
