"""What makes the first frame come sooner.

Threading: call it once, before the first kernel runs, where blocking does no harm.
"""

from __future__ import annotations


def skip_search_for_blas() -> None:
    """Tell numba that scipy has linear algebra, instead of letting it load scipy to find out.

    No kernel of a body uses it, and loading takes longer than all kernels together. scipy is one of
    our requirements, so what numba is told is true; a kernel that does need linear algebra, such
    as one of a plug-in, still loads it.
    """
    try:
        from numba.np import linalg

        look = linalg.ensure_blas
    except (ImportError, AttributeError):  # another version of numba: it will look for itself
        return
    linalg.ensure_blas = lambda: None
    try:
        import numba.np.arraymath  # noqa: F401 - it looks when it is imported
    finally:
        linalg.ensure_blas = look
