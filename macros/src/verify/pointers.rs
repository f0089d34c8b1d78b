//! Saved locals with shared ownership.
//!
//! ```text
//! let count = Arc::new(Mutex::new(0));
//! let other = Arc::clone(&count);
//! step().await;
//! *other.lock().unwrap() += 1;
//! ```
//!
//! After the await, `count` and `other` would own separate values. serde implements its traits for these pointers only
//! if a dependency enables its feature `rc`, which then applies to all crates. So the rule searches the source:
//! declared types and initializers.

use syn::visit::{self, Visit};
use syn::{Expr, ExprCall, Pat, Path, Stmt, Type, TypePath};

use crate::collections::sets::Set;
use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::Rule;
use crate::ir::usage::bound_locals;
use crate::ir::{Graph, LocalId, Node};
use crate::layout::Layout;
use crate::syntax::macros;
use crate::syntax::macros::Piece;
use crate::syntax::names::is_any_of;
use crate::syntax::source::imports::path_in_file;

/// The full names of the pointer types.
const POINTERS: [&str; 4] = ["std::rc::Rc", "std::rc::Weak", "std::sync::Arc", "std::sync::Weak"];

/// The full name of a pointer type.
type Pointer = &'static str;

/// Reports each local at the first await that it is held across.
pub(crate) fn report(graph: &Graph, layout: &Layout, diagnostics: &Diagnostics) {
    let pointers = find(graph);
    if pointers.is_empty() {
        return;
    }
    let mut seen = Set::new();
    for state in &layout.states {
        for id in &state.fields {
            let local = layout.variable(*id).place.local;
            let Some((_, pointer)) = pointers.iter().find(|(known, _)| *known == local) else {
                continue;
            };
            if seen.insert(local) {
                let local = &graph.locals[local];
                diagnostics.error(
                    local.ident.span(),
                    Rule::SAVED_LOCALS,
                    format!(
                        "`{}` contains an `{pointer}` and is held across the await of `{}`, after which two pointers \
                         no longer share a value",
                        local.name(),
                        state.name
                    ),
                    "store the value itself, such as a `String` for an `Arc<str>`, in one variable; nobody else has \
                     access to the data of a run, so it needs no lock",
                );
            }
        }
    }
}

/// The locals that contain a pointer, as far as the source shows.
fn find(graph: &Graph) -> Vec<(LocalId, Pointer)> {
    let mut found = Vec::new();
    for id in graph.locals.ids() {
        if let Some(pointer) = graph.locals[id].ty.as_ref().and_then(in_type) {
            found.push((id, pointer));
        }
    }
    let mut lets = Vec::new();
    for node in graph.blocks.iter().flat_map(|block| &block.nodes) {
        match node {
            Node::Code(Stmt::Local(syn::Local { pat, init: Some(init), .. })) => {
                let value = &*init.expr;
                if matches!(whole(pat), Pat::Ident(_)) {
                    let bound = bound_locals(&graph.locals, pat).into_iter();
                    lets.extend(bound.map(|local| (local, value)));
                }
            }
            Node::Define { local, value } => lets.push((*local, value)),
            _ => {}
        }
    }
    for (local, value) in lets {
        let known = |path: &Path| {
            let local = graph.locals.of_path(path)?;
            found.iter().find(|(known, _)| *known == local).map(|(_, pointer)| *pointer)
        };
        if let Some(pointer) = in_value(value, &known) {
            found.push((local, pointer));
        }
    }
    found
}

/// The pattern without its type.
fn whole(pat: &Pat) -> &Pat {
    match pat {
        Pat::Type(pat) => &pat.pat,
        pat => pat,
    }
}

/// The pointer type within a type.
fn in_type(ty: &Type) -> Option<Pointer> {
    struct Search(Option<Pointer>);
    impl<'ast> Visit<'ast> for Search {
        fn visit_type_path(&mut self, ty: &'ast TypePath) {
            self.0 = self.0.or_else(|| pointer(&ty.path, ty.path.segments.len()));
            visit::visit_type_path(self, ty);
        }
    }
    let mut search = Search(None);
    search.visit_type(ty);
    search.0
}

/// The pointer type within the value of an expression. `known` has the locals that contain one.
fn in_value(value: &Expr, known: &impl Fn(&Path) -> Option<Pointer>) -> Option<Pointer> {
    let among = |values: Vec<&Expr>| values.into_iter().find_map(|value| in_value(value, known));
    match value {
        Expr::Path(path) => known(&path.path),
        Expr::Paren(expr) => in_value(&expr.expr, known),
        Expr::Group(expr) => in_value(&expr.expr, known),
        Expr::MethodCall(call) if call.method == "clone" => in_value(&call.receiver, known),
        Expr::Tuple(expr) => among(expr.elems.iter().collect()),
        Expr::Array(expr) => among(expr.elems.iter().collect()),
        Expr::Call(call) => made_by(call)
            .or_else(|| wraps(call).then(|| among(call.args.iter().collect())).flatten()),
        Expr::Macro(call) if macros::name(&call.mac) == "vec" => {
            let pieces = macros::parse(&call.mac)?;
            let values = pieces.iter().filter_map(|piece| match piece {
                Piece::Expr(value, _) => Some(&**value),
                Piece::Tokens(_) => None,
            });
            among(values.collect())
        }
        _ => None,
    }
}

/// The pointer type that `Arc::new(…)`, `Rc::clone(&other)` and the like return.
fn made_by(call: &ExprCall) -> Option<Pointer> {
    const MAKERS: [&str; 6] = ["clone", "default", "downgrade", "from", "new", "new_cyclic"];
    let Expr::Path(function) = &*call.func else { return None };
    let segments = &function.path.segments;
    let is_maker = |name: &syn::Ident| is_any_of(name, &MAKERS);
    if segments.len() < 2 || !is_maker(&segments.last()?.ident) {
        return None;
    }
    pointer(&function.path, segments.len() - 1)
}

/// Whether the result of a call contains its arguments, as that of `Some(…)` does.
fn wraps(call: &ExprCall) -> bool {
    let Expr::Path(function) = &*call.func else { return false };
    ["Some", "Ok", "Err"].iter().any(|name| function.path.is_ident(name))
}

/// The pointer type that the first `count` segments of a path name.
fn pointer(path: &Path, count: usize) -> Option<Pointer> {
    let full = path_in_file(path, count).join("::");
    let found = POINTERS.iter().find(|pointer| **pointer == full)?;
    found.rsplit("::").next()
}
