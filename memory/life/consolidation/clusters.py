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

    A statement without a vector, or with one that is not finite or has no length, is like none.

    Returns:
        None if they tell nothing apart: there are none, or several statements are all equally alike.
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
    found: Matrix = np.clip(table @ table.T, 0, 1).astype(np.float32)
    np.fill_diagonal(found, known)  # rounding would choose between statements that stand in the middle alike
    among = found[np.ix_(known, known)][np.triu_indices(int(known.sum()), 1)]
    if not known.any() or (len(among) >= 3 and among.max() - among.min() < SPREAD):
        return None
    return found


def compare_words(texts: Sequence[str]) -> Matrix:
    """Return what statements share of their words (`memory.life.wording.overlap`)."""
    import numpy as np

    found = np.eye(len(texts), dtype=np.float32)
    for at, one in enumerate(texts):
        for other in range(at):
            found[at, other] = found[other, at] = overlap(one, texts[other])
    return found


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
        one, other = sorted(divmod(int(mean.argmax()), count))
        if mean[one, other] < least:
            break
        if len(members[one]) + len(members[other]) > MAX_CLUSTER:
            mean[one, other] = mean[other, one] = -1
            continue
        first, second = len(members[one]), len(members[other])
        joined = (first * mean[one] + second * mean[other]) / (first + second)
        joined[(mean[one] < 0) | (mean[other] < 0)] = -1  # what was too large to be joined stays so
        joined[one] = joined[other] = -1
        mean[one], mean[:, one] = joined, joined
        mean[other], mean[:, other] = -1, -1
        members[one] += members.pop(other)
    return sorted(tuple(sorted(found)) for found in members.values() if len(found) > 1)


def find_medoid(alike: Matrix, members: Sequence[int], weights: Sequence[int]) -> int:
    """Return the member that is most like all others, each of which counts as often as it was said."""
    return max(members, key=lambda one: (sum(float(alike[one, at]) * weights[at] for at in members), -one))
