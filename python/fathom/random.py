# SPDX-License-Identifier: MIT
"""Keyed draws for noise models in NumPy: pure functions of their arguments, with the bits that a C++ model of that name
and place would draw. Nothing depends on the order of calls.

    n = fathom.random.normal(seed, "camera", 0, "my_noise", frame.index, frame.shape)
    depth = frame.depth * (1 + 0.001 * n)

Of environments the seed is that of the episode: fathom.episode_seed(seed, environment, episode).
"""

from ._fathom import philox
from ._fathom import random_normal as normal
from ._fathom import random_stream as stream
from ._fathom import random_uniform as uniform
from ._fathom import random_words as words

__all__ = ["normal", "philox", "stream", "uniform", "words"]
