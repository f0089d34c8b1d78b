//! The states as variants of the workflow's enum.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use crate::collections::by_name::NameSet;
use crate::frontend::parse::WorkflowFn;

/// Names after `Self::` in the implementations, which a variant would shadow.
const RESERVED: [&str; 18] = [
    "ALL",
    "ARGUMENTS",
    "Err",
    "Error",
    "FORMERLY",
    "GRAPH",
    "NAME",
    "OPTIONS",
    "Output",
    "REGISTERED",
    "RETURNED",
    "Return",
    "STEPS",
    "Self",
    "Shape",
    "Unit",
    "VERSION",
    "Workflow",
];

/// Whether the type of the workflow has its states as variants. Nobody can name the type of a method or of a nested
/// function, and the type of a generic workflow has parameters.
fn has_them(function: &WorkflowFn) -> bool {
    !function.is_nested && function.method.is_none() && function.parameters.is_empty()
}

/// The variants, in the order of the states.
pub(super) fn variants(function: &WorkflowFn) -> Vec<Ident> {
    if !has_them(function) {
        return Vec::new();
    }
    let mut taken = NameSet::default();
    let names = function.states.iter().map(|state| {
        let camel = in_camel_case(state);
        let mut name = camel.clone();
        let mut number = 2_usize;
        while !taken.insert(name.clone()) {
            name = format!("{camel}{number}");
            number += 1;
        }
        Ident::new(&name, function.ident.span())
    });
    names.collect()
}

/// The implementation that maps variants to stored names, where the type is in scope.
pub(super) fn named(function: &WorkflowFn, variants: &[Ident], out: &mut TokenStream) {
    if variants.is_empty() {
        return;
    }
    let (ident, names) = (&function.ident, &function.states);
    // Each further implementation would take 1 to 2 % of the compile time of a small workflow.
    let all = quote! {
        impl ::piton::machine::States for #ident {
            const ALL: &'static [(Self, &'static str)] = &[#((Self::#variants, #names)),*];
        }
    };
    all.to_tokens(out);
}

/// The name of the variant for a stored name.
fn in_camel_case(stored: &str) -> String {
    let mut name = String::with_capacity(stored.len());
    let mut begins = true;
    for c in stored.chars() {
        if !c.is_alphanumeric() {
            begins = true;
        } else if std::mem::take(&mut begins) {
            name.extend(c.to_uppercase());
        } else {
            name.push(c);
        }
    }
    if name.is_empty() || RESERVED.contains(&&*name) || syn::parse_str::<Ident>(&name).is_err() {
        name.insert_str(0, "State");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_name_becomes_that_of_a_variant() {
        for (stored, variant) in [
            ("start", "Start"),
            ("charge_card", "ChargeCard"),
            ("charge#2", "Charge2"),
            ("signal<Go>", "SignalGo"),
            ("join.0.greet", "Join0Greet"),
            ("3 days later", "State3DaysLater"),
            ("self", "StateSelf"),
            ("output", "StateOutput"),
            ("…", "State"),
            ("überweisen", "Überweisen"),
        ] {
            assert_eq!(in_camel_case(stored), variant);
        }
    }
}
