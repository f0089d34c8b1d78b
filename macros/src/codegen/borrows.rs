//! What the borrows of a state are made of. A run keeps a position or a key and makes the borrow again, so its definition
//! says which code makes it, and of which constants.
//!
//! ```text
//! for stage in &STAGES { pack(stage).await; }      2f0c9d11/0 position of stage
//! ```

use proc_macro2::TokenStream;
use quote::quote;
use syn::ExprPath;
use syn::visit::{self, Visit};

use super::Machine;
use super::variables::context;
use crate::ir::{Local, LocalId};
use crate::layout::{State, lent_by};
use crate::syntax::calls::names_constant;
use crate::syntax::fingerprint::Fingerprint;

/// The constants that any of the borrows is made of.
pub(super) fn constants(machine: &Machine<'_>) -> Vec<ExprPath> {
    let mut constants: Vec<ExprPath> = Vec::new();
    for borrow in machine.layout.states.iter().flat_map(|state| &state.borrows) {
        for constant in constants_of(machine, *borrow) {
            if !constants.contains(&constant) {
                constants.push(constant);
            }
        }
    }
    constants
}

/// Describes the contents of the constants, if the step is to tell what the machine is made of.
pub(super) fn describe(machine: &Machine<'_>) -> TokenStream {
    let constants = constants(machine);
    if constants.is_empty() {
        return TokenStream::new();
    }
    let cx = context();
    quote!({
        use __piton::{ContentByDebug as _, ContentBySerde as _, NoContent as _};
        __piton::describe_constants(#cx, || {
            [#((&&&__piton::Constant(&#constants)).piton_content()),*]
        });
    })
}

/// The borrows of a state: of each a hash of the code, the numbers of the constants, and the name.
pub(super) fn text(machine: &Machine<'_>, state: &State, constants: &[ExprPath]) -> String {
    let borrows = state.borrows.iter().map(|borrow| {
        let of = constants_of(machine, *borrow);
        let numbers = constants.iter().enumerate().filter(|(_, constant)| of.contains(constant));
        let numbers: Vec<_> = numbers.map(|(number, _)| number.to_string()).collect();
        let name = &machine.graph.locals[*borrow].stored;
        format!("{}/{} {name}", source(machine, *borrow), numbers.join(","))
    });
    borrows.collect::<Vec<_>>().join("\x1f")
}

/// The hash of the code that makes a borrow, and those that it is made of.
fn source(machine: &Machine<'_>, borrow: LocalId) -> Fingerprint {
    let mut source = Fingerprint::NONE;
    for local in made_of(machine, borrow) {
        source = source.around(local.bound_by);
    }
    source
}

fn constants_of(machine: &Machine<'_>, borrow: LocalId) -> Vec<ExprPath> {
    let mut constants = Constants(Vec::new());
    for local in made_of(machine, borrow) {
        local.lent.iter().chain(&local.remade).for_each(|made| constants.visit_expr(made));
    }
    constants.0
}

/// The local and those that are made again for it.
fn made_of<'a>(machine: &'a Machine<'_>, borrow: LocalId) -> impl Iterator<Item = &'a Local> {
    let locals = &machine.graph.locals;
    let of_list = lent_by(machine.graph, borrow);
    let mut of = machine.graph.made_of(borrow).clone();
    of.add(&of_list);
    let of = of.into_iter().filter(move |id| *id != borrow && locals[*id].remade.is_some());
    std::iter::once(borrow).chain(of).map(move |id| &locals[id])
}

struct Constants(Vec<ExprPath>);

impl<'e> Visit<'e> for Constants {
    fn visit_expr_path(&mut self, path: &'e ExprPath) {
        if names_constant(&path.path) && !self.0.contains(path) {
            self.0.push(path.clone());
        }
        visit::visit_expr_path(self, path);
    }
}
