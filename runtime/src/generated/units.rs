//! The types whose methods are the step functions.
//!
//! There are several, each in its own module, so that rustc distributes the step functions of a crate over several
//! codegen units: see `unit.rs` of the macros.

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
