//! The borrows that a state rematerializes. A run saves a position or a key and repeats the borrow, so its definition
//! contains a hash of the code that borrows, and the constants in this code.
//!
//! ```text
//! for stage in &STAGES { pack(stage).await; }      2f0c9d11/0 position of stage
//! ```

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;
use syn::ExprPath;
use syn::visit::{self, Visit};

use super::variables::context;
use crate::ir::{Graph, Local, LocalId};
use crate::layout::{Layout, State, borrowed_by};
use crate::syntax::calls::names_constant;
use crate::syntax::fingerprint::Fingerprint;

/// The borrows of all states.
pub(super) struct Borrows {
    /// The constants in the code of the borrows, each once.
    constants: Vec<ExprPath>,
    /// By borrow: the hash of its code, the numbers of its constants, and its name.
    texts: BTreeMap<LocalId, String>,
}

impl Borrows {
    pub(super) fn of(graph: &Graph, layout: &Layout) -> Self {
        let mut borrows = Self { constants: Vec::new(), texts: BTreeMap::new() };
        for borrow in layout.states.iter().flat_map(|state| &state.borrows) {
            if !borrows.texts.contains_key(borrow) {
                let text = borrows.text(graph, *borrow);
                borrows.texts.insert(*borrow, text);
            }
        }
        borrows
    }

    fn text(&mut self, graph: &Graph, borrow: LocalId) -> String {
        let (mut source, mut constants) = (Fingerprint::NONE, Constants(Vec::new()));
        for local in sources_of(graph, borrow) {
            source = source.around(local.identity.bound_by);
            let made = local.loop_borrow.iter().chain(local.rematerialized_by());
            made.for_each(|made| constants.visit_expr(made));
        }
        // The order of this code does not depend on the rest of the function.
        let numbers = constants.0.into_iter().map(|constant| self.number(constant).to_string());
        let numbers: Vec<_> = numbers.collect();
        format!("{source}/{} {}", numbers.join(","), graph.locals[borrow].identity.name)
    }

    /// The number of a constant. A new constant is added.
    fn number(&mut self, constant: ExprPath) -> usize {
        self.constants.iter().position(|known| *known == constant).unwrap_or_else(|| {
            self.constants.push(constant);
            self.constants.len() - 1
        })
    }

    /// The text for the borrows of a state, in the graph.
    pub(super) fn text_of(&self, state: &State) -> String {
        let texts = state.borrows.iter().map(|borrow| self.texts[borrow].as_str());
        texts.collect::<Vec<_>>().join("\x1f")
    }

    /// Describes the values of the constants, if the step only describes the machine.
    pub(super) fn describe(&self) -> TokenStream {
        let (constants, cx) = (&self.constants, context());
        if constants.is_empty() {
            return TokenStream::new();
        }
        quote!({
            use __piton::{ContentByDebug as _, ContentBySerde as _, NoContent as _};
            __piton::describe_constants(#cx, || {
                [#((&&&__piton::Constant(&#constants)).piton_content()),*]
            });
        })
    }
}

/// The local and the rematerialized locals that it takes.
fn sources_of(graph: &Graph, borrow: LocalId) -> impl Iterator<Item = &Local> {
    let mut of = graph.sources_of(borrow).clone();
    of.add(&borrowed_by(graph, borrow));
    let is_rematerialized =
        move |id: &LocalId| *id != borrow && graph.locals[*id].is_rematerialized();
    let of = of.into_iter().filter(is_rematerialized);
    std::iter::once(borrow).chain(of).map(|id| &graph.locals[id])
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
