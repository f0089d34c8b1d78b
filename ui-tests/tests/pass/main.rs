//! Programs that compile, warnings counted as errors.

#![deny(warnings)]
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

mod allowed_rule;
mod borrows_that_end;
mod branches;
mod closure_made_again;
mod conditions;
mod exposed;
mod fragments;
mod generics;
mod graph;
mod inference;
mod keys;
mod logging;
mod methods;
mod names;
mod names_in_scope;
mod parts_assigned_back;
mod rewrites;
mod strict;
mod strict_lints;
mod transaction;
