//! Programs that compile, warnings counted as errors.

#![deny(warnings)]
#![allow(dead_code, missing_docs)]

mod allowed_rule;
mod borrows_that_end;
mod closure_made_again;
mod inference;
mod strict;
