//! Statics with interior mutability, by their types.

/// Types with interior mutability.
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

/// The scope in which a static is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SharedBy {
    /// The process.
    Process,
    /// The process, by `static mut`.
    ProcessMut,
    /// The thread.
    Thread,
}

/// Whether a type of this name has interior mutability.
pub(crate) fn is_interior_mutable(name: &str) -> bool {
    name.starts_with("Atomic") || INTERIOR_MUTABLE.contains(&name)
}
