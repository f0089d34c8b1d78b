//! The types that step functions are methods of.
//!
//! There are several, each in a module of its own, for the step functions of a crate to be several units of compilation:
//! see `unit.rs` of the macros.

macro_rules! units {
    ($($module:ident $unit:ident;)*) => {$(
        mod $module {
            /// The step functions of some workflows.
            #[derive(Debug)]
            pub enum $unit {}
        }

        pub use self::$module::$unit;
    )*};
}

units! {
    unit_0 Unit0;
    unit_1 Unit1;
    unit_2 Unit2;
    unit_3 Unit3;
}
