//! Statics with interior mutability, by their types.

/// Types that change through a shared reference.
const INTERIOR_MUTABLE: [&str; 12] = [
    "Cell",
    "DashMap",
    "Lazy",
    "LazyCell",
    "LazyLock",
    "LocalKey",
    "Mutex",
    "OnceCell",
    "OnceLock",
    "RefCell",
    "RwLock",
    "UnsafeCell",
];

/// Who shares a static that is declared outside of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SharedBy {
    /// Everything in the process.
    Process,
    /// Everything in the process, and it is a `static mut`.
    ProcessMut,
    /// Everything that runs on the thread.
    Thread,
}

/// Whether a type of this name changes through a shared reference.
pub(crate) fn is_interior_mutable(name: &str) -> bool {
    name.starts_with("Atomic") || INTERIOR_MUTABLE.contains(&name)
}
