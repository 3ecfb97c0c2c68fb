"""Compiled code is kept between runs."""

import jax
from platformdirs import user_cache_path


def use_persistent_cache() -> None:
    """Let JAX keep what it compiles in the user's cache folder, readable by the user alone."""
    folder = user_cache_path("critparam") / "jax"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return  # a cache saves time only; a home that cannot be written to is no obstacle
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
