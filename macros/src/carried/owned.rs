//! What the source shows of the value of a local: whether it may hold a borrow of another local, and
//! whether it is one that nobody sees the drop of.

use std::collections::{BTreeSet, HashMap};

use syn::{Expr, Pat, Stmt, UnOp};

use super::changes::{Changes, given_by_jumps};
use super::taken_by;
use crate::cfg::let_patterns;
use crate::ir::{Block, Choice, Graph, LocalId, LocalKind, Locals, Node, PointId, Terminator};
use crate::macros::{self, Piece};
use crate::normalize::is_comparison;
use crate::usage::{Usage, bound_locals};

/// The locals whose value may hold a borrow of another local.
pub(super) fn borrowing(graph: &Graph) -> BTreeSet<LocalId> {
    let locals = &graph.locals;
    let mut borrowing: BTreeSet<LocalId> =
        locals.ids().filter(|id| locals[*id].remade.is_some()).collect();
    // Which arms of each `select!` wait for an operation.
    let arms = graph.blocks.iter().filter_map(|block| match &block.end {
        Terminator::Select { point, arms, .. } => {
            let is_operation = |arm: &Choice| arm.future.operation().is_some();
            Some((*point, arms.iter().map(is_operation).collect()))
        }
        _ => None,
    });
    let operations: HashMap<PointId, Vec<bool>> = arms.collect();
    loop {
        let count = borrowing.len();
        for block in &graph.blocks {
            for (node, usage) in block.nodes.iter().zip(&block.usages) {
                mark(graph, node, usage, &mut borrowing);
            }
            mark_end(graph, &operations, block, &mut borrowing);
        }
        if borrowing.len() == count {
            return borrowing;
        }
    }
}

fn mark(graph: &Graph, node: &Node, usage: &Usage, borrowing: &mut BTreeSet<LocalId>) {
    let locals = &graph.locals;
    let gives_by_jump = given_by_jumps(graph, usage).next().is_some();
    match node {
        Node::Code(stmt) if gives_by_jump => Changes::find(graph, borrowing, stmt),
        Node::Define { value, .. } if gives_by_jump => Changes::find_in(graph, borrowing, value),
        _ => {}
    }
    match node {
        Node::Code(Stmt::Local(local)) => {
            let Some(init) = &local.init else { return };
            if has_ref(&local.pat) || !owns_for_long(locals, borrowing, &init.expr) {
                borrowing.extend(bound_locals(locals, &local.pat));
            }
        }
        Node::Define { local, value } if !owns_for_long(locals, borrowing, value) => {
            borrowing.insert(*local);
        }
        Node::Code(Stmt::Expr(Expr::Assign(expr), _)) if local_of(locals, &expr.left).is_some() => {
            let left = local_of(locals, &expr.left);
            borrowing.extend(left.filter(|_| !owns_for_long(locals, borrowing, &expr.right)));
        }
        // What is changed may be given a borrow of what else is named.
        Node::Code(stmt) if usage.mentions.len() > 1 => Changes::find(graph, borrowing, stmt),
        _ => {}
    }
}

fn mark_end(
    graph: &Graph,
    operations: &HashMap<PointId, Vec<bool>>,
    block: &Block,
    borrowing: &mut BTreeSet<LocalId>,
) {
    let locals = &graph.locals;
    if given_by_jumps(graph, &block.end_usage).next().is_some() {
        match &block.end {
            Terminator::If { cond: value, .. }
            | Terminator::Match { scrutinee: value, .. }
            | Terminator::Return(value) => Changes::find_in(graph, borrowing, value),
            _ => borrowing.extend(given_by_jumps(graph, &block.end_usage)),
        }
    }
    let pats: Vec<(&Pat, bool)> = match &block.end {
        Terminator::If { cond, .. } => {
            let pats = let_patterns(cond);
            let owned = match cond {
                Expr::Let(expr) => owns(locals, borrowing, &expr.expr),
                _ => false,
            };
            pats.into_iter().map(|pat| (pat, owned)).collect()
        }
        Terminator::Match { scrutinee, arms, .. } => {
            let owned = owns(locals, borrowing, scrutinee);
            arms.iter().map(|(pat, _)| (pat, owned)).collect()
        }
        // The value of an `async` block is anything.
        Terminator::Chosen { point, arms, .. } => {
            let operations = operations.get(point).into_iter().flatten();
            arms.iter().map(|(pat, _)| pat).zip(operations.copied()).collect()
        }
        Terminator::LetElse { local, .. } => {
            let owned = local.init.as_ref().is_some_and(|init| owns(locals, borrowing, &init.expr));
            vec![(&local.pat, owned)]
        }
        Terminator::Await { pat, .. } | Terminator::Join { pat, .. } => vec![(pat, true)],
        _ => Vec::new(),
    };
    for (pat, owned) in pats {
        if !owned || has_ref(pat) {
            borrowing.extend(bound_locals(locals, pat));
        }
    }
    if block.end_usage.mentions.len() > 1 {
        borrowing.extend(&block.end_usage.changes);
    }
}

/// Whether the value of an expression holds no borrow of a local, as far as the source shows it.
fn owns(locals: &Locals, borrowing: &BTreeSet<LocalId>, expr: &Expr) -> bool {
    Values { locals, borrowing, inner: &[], outlive_temporaries: false }.own(expr)
}

/// As [`owns`], for a value that outlives the statement, and so what is there for the statement alone.
fn owns_for_long(locals: &Locals, borrowing: &BTreeSet<LocalId>, expr: &Expr) -> bool {
    Values { locals, borrowing, inner: &[], outlive_temporaries: true }.own(expr)
}

/// What is known of values.
#[derive(Clone, Copy)]
pub(super) struct Values<'a> {
    pub(super) locals: &'a Locals,
    pub(super) borrowing: &'a BTreeSet<LocalId>,
    /// The bindings of the code around them, and whether their values hold no borrow of a local.
    pub(super) inner: &'a [(String, bool)],
    /// Whether rustc has them borrow from no temporary.
    pub(super) outlive_temporaries: bool,
}

impl Values<'_> {
    pub(super) fn own(self, expr: &Expr) -> bool {
        let Self { locals, borrowing, inner, outlive_temporaries } = self;
        let owns = |expr: &Expr| self.own(expr);
        let lends = |receiver: &Expr| {
            let is_temporary = |local: LocalId| locals[local].is_temporary && outlive_temporaries;
            local_of(locals, receiver).is_some_and(|local| !is_temporary(local))
        };
        match expr {
            Expr::Lit(_) => true,
            Expr::Path(path) => match path.path.get_ident() {
                // What is no local may be a binding of the code around it.
                Some(ident) => match inner.iter().rev().find(|(name, _)| ident == name) {
                    Some((_, own)) => *own,
                    None => match locals.find(ident) {
                        Some(local) => !borrowing.contains(&local),
                        None => ident.to_string().starts_with(char::is_uppercase),
                    },
                },
                None => true,
            },
            Expr::Field(expr) => owns(&expr.base),
            Expr::Paren(expr) => owns(&expr.expr),
            Expr::Group(expr) => owns(&expr.expr),
            Expr::Cast(expr) => owns(&expr.expr),
            Expr::Try(expr) => owns(&expr.expr),
            Expr::Unary(expr) => !matches!(expr.op, UnOp::Deref(_)) && owns(&expr.expr),
            Expr::Binary(expr) if is_comparison(&expr.op) => true,
            Expr::Binary(expr) => owns(&expr.left) && owns(&expr.right),
            Expr::Tuple(expr) => expr.elems.iter().all(owns),
            Expr::Array(expr) => expr.elems.iter().all(owns),
            Expr::Repeat(expr) => owns(&expr.expr),
            Expr::Struct(expr) => {
                expr.fields.iter().all(|field| owns(&field.expr))
                    && expr.rest.as_deref().is_none_or(owns)
            }
            Expr::Call(call) => {
                let is_function = match &*call.func {
                    Expr::Path(path) => {
                        path.path.get_ident().is_none_or(|ident| locals.find(ident).is_none())
                    }
                    Expr::Verbatim(_) => true,
                    _ => false,
                };
                is_function && call.args.iter().all(owns)
            }
            Expr::MethodCall(call) if lends(&call.receiver) => {
                gives_own(call) && owns(&call.receiver)
            }
            Expr::MethodCall(call) => owns(&call.receiver) && call.args.iter().all(owns),
            Expr::If(expr) => {
                let Some((_, otherwise)) = &expr.else_branch else { return true };
                block_value(&expr.then_branch).is_some_and(owns) && owns(otherwise)
            }
            Expr::Block(expr) if let Some(value) = block_value(&expr.block) => owns(value),
            Expr::Macro(call) => match macros::name(&call.mac).as_str() {
                "format" => true,
                "vec" => macros::parse(&call.mac).is_some_and(|pieces| {
                    pieces.iter().all(|piece| match piece {
                        Piece::Expr(expr, _) => owns(expr),
                        Piece::Tokens(_) => true,
                    })
                }),
                _ => false,
            },
            // The items of a loop are its own as long as what is left of them is.
            Expr::Reference(expr) if is_items(locals, &expr.expr) => owns(&expr.expr),
            expr => taken_by(locals, expr).is_empty(),
        }
    }
}

fn is_items(locals: &Locals, expr: &Expr) -> bool {
    let local = local_of(locals, expr);
    local.is_some_and(|local| matches!(locals[local].kind, LocalKind::Items | LocalKind::Texts))
}

/// The value of a block that is nothing else.
fn block_value(block: &syn::Block) -> Option<&Expr> {
    match block.stmts.as_slice() {
        [Stmt::Expr(expr, None)] => Some(expr),
        _ => None,
    }
}

pub(super) fn has_ref(pat: &Pat) -> bool {
    struct HasRef(bool);
    impl syn::visit::Visit<'_> for HasRef {
        fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
            self.0 |= pat.by_ref.is_some();
            syn::visit::visit_pat_ident(self, pat);
        }
    }
    let mut has_ref = HasRef(false);
    syn::visit::Visit::visit_pat(&mut has_ref, pat);
    has_ref.0
}

/// The locals that are numbers, truth values or literals, of which nobody sees the drop.
pub(super) fn plain(graph: &Graph) -> BTreeSet<LocalId> {
    let typed = |id: &LocalId| graph.locals[*id].ty.as_ref().is_some_and(is_plain_type);
    let mut plain: BTreeSet<LocalId> = graph.locals.ids().filter(typed).collect();
    for node in graph.blocks.iter().flat_map(|block| &block.nodes) {
        match node {
            Node::Code(Stmt::Local(local))
                if local.init.as_ref().is_some_and(|init| is_plain(&init.expr)) =>
            {
                plain.extend(bound_locals(&graph.locals, &local.pat));
            }
            Node::Define { local, value } if is_plain(value) => {
                plain.insert(*local);
            }
            _ => {}
        }
    }
    plain
}

fn is_plain(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) | Expr::Cast(_) => true,
        Expr::Binary(expr) => {
            is_comparison(&expr.op)
                || matches!(expr.op, syn::BinOp::And(_) | syn::BinOp::Or(_))
                || is_plain(&expr.left)
                || is_plain(&expr.right)
        }
        Expr::Unary(expr) => is_plain(&expr.expr),
        Expr::Paren(expr) => is_plain(&expr.expr),
        Expr::MethodCall(call) => call.method == "len" || call.method == "is_empty",
        _ => false,
    }
}

fn is_plain_type(ty: &syn::Type) -> bool {
    const PLAIN: [&str; 15] = [
        "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "u16", "u32",
        "u64", "u8", "usize",
    ];
    match ty {
        syn::Type::Path(path) => PLAIN.iter().any(|plain| path.path.is_ident(plain)),
        syn::Type::Reference(_) => true,
        _ => false,
    }
}

/// Whether the method leaves what it is called on where it is, and its value is its own. It is so by the
/// traits and types of the standard library that have these methods.
pub(crate) fn gives_own(call: &syn::ExprMethodCall) -> bool {
    call.args.is_empty()
        && ["clone", "is_empty", "len", "pop", "to_owned", "to_string"]
            .iter()
            .any(|m| call.method == m)
}

/// Whether the method changes what it is called on and leaves it where it is, if its value is not wanted.
/// It is so by the collections and strings of the standard library, and what takes itself to give a changed
/// one, as builders do, is not called for nothing.
pub(super) fn changes_in_place(call: &syn::ExprMethodCall) -> bool {
    const METHODS: [&str; 22] = [
        "append",
        "clear",
        "dedup",
        "extend",
        "extend_from_slice",
        "fill",
        "insert",
        "insert_str",
        "pop_back",
        "pop_front",
        "push",
        "push_back",
        "push_front",
        "push_str",
        "remove",
        "retain",
        "reverse",
        "sort",
        "sort_by_key",
        "sort_unstable",
        "swap",
        "truncate",
    ];
    METHODS.iter().any(|method| call.method == method)
}

/// The local that the expression is, or a field of.
pub(crate) fn local_of(locals: &Locals, expr: &Expr) -> Option<LocalId> {
    match expr {
        Expr::Path(path) => path.path.get_ident().and_then(|ident| locals.find(ident)),
        Expr::Field(expr) => local_of(locals, &expr.base),
        Expr::Paren(expr) => local_of(locals, &expr.expr),
        _ => None,
    }
}
