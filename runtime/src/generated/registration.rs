//! Registration of definitions from anywhere in a program.
//!
//! The operating system calls the functions whose addresses are in a special section before it calls `main`. The
//! code generated for a workflow puts [`register`](super::register) for its type there. That is one `static` for
//! rustc to compile; the crate `inventory`, which uses the same sections, generates four items.

use std::ptr;
use std::sync::{Mutex, PoisonError};

/// A function that is called before `main`.
pub type Initializer = extern "C" fn();

/// All registered entries.
#[derive(Debug)]
pub(crate) struct Registrations<T: 'static>(Mutex<Vec<&'static T>>);

impl<T> Registrations<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Adds an entry, once.
    pub(crate) fn add(&self, entry: &'static T) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // On WebAssembly the linker may call initializers at each call into the program.
        if !cfg!(target_family = "wasm") || !entries.iter().any(|known| ptr::eq(*known, entry)) {
            entries.push(entry);
        }
    }

    /// All entries, in no particular order.
    pub(crate) fn all(&self) -> Vec<&'static T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// `__register!(function)`: the [`Initializer`] is called before `main`.
macro_rules! sections {
    ($($platform:meta => $section:literal),* $(,)?) => {$(
        #[cfg($platform)]
        #[doc(hidden)]
        #[macro_export]
        macro_rules! __register {
            ($function:expr) => {
                #[used]
                #[unsafe(link_section = $section)]
                static REGISTER: $crate::__private::Initializer = $function;
            };
        }
    )*};
}

sections! {
    windows => ".CRT$XCU",
    target_vendor = "apple" => "__DATA,__mod_init_func,mod_init_funcs",
    not(any(windows, target_vendor = "apple")) => ".init_array",
}
