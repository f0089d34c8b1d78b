//! The cases are in `tests/`: what the macros accept and what they refuse.
