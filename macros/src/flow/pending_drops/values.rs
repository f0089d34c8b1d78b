//! What code puts into the locals, and whether it holds a borrow of another local.
//!
//! The code is gone through in its order: what is bound, assigned or given to a method shows whether it
//! holds a borrow. Where that cannot be seen, it is taken for one of what else the code names.

use syn::{Expr, Macro, Pat};

use super::bindings::Bindings;
use super::blocks::Target;
use super::ends::taken_by;
use super::jump_dest;
use crate::collections::sets::Set;
use crate::ir::locals::local_of;
use crate::ir::usage::{Jump, Usage};
use crate::ir::{Graph, LocalId, LocalKind, Locals, RegionId};
use crate::syntax::macros;
use crate::syntax::macros::Piece;
use crate::syntax::operators::{is_assignment, is_comparison};

/// What may hold a borrow of a local.
pub(super) struct Borrowing {
    pub(super) locals: Set<LocalId>,
    /// The branches whose value may.
    pub(super) regions: Set<RegionId>,
}

/// Goes through code, and notes the locals that may hold a borrow when it is through.
pub(super) struct Values<'a> {
    pub(super) graph: &'a Graph,
    pub(super) borrowing: &'a mut Borrowing,
    pub(super) inner: Bindings,
    /// The loops and labeled blocks of the code itself.
    pub(super) targets: Vec<Target>,
    /// Where the code is.
    region: Option<RegionId>,
    /// Whether rustc has the value borrow from no temporary.
    pub(super) outlives_temporaries: bool,
}

/// A value that is bound.
#[derive(Clone, Debug, Default)]
pub(super) struct Bound {
    /// Whether it holds no borrow of a local.
    pub(super) owned: bool,
    /// What may be changed by way of it.
    pub(super) lenders: Set<LocalId>,
}

impl Bound {
    pub(super) fn owned() -> Self {
        Self { owned: true, lenders: Set::new() }
    }
}

impl<'a> Values<'a> {
    pub(super) fn new(
        graph: &'a Graph,
        borrowing: &'a mut Borrowing,
        region: Option<RegionId>,
    ) -> Self {
        let (inner, targets) = (Bindings::default(), Vec::new());
        Self { graph, borrowing, region, inner, targets, outlives_temporaries: false }
    }

    /// Goes through an expression whose value nobody keeps.
    pub(super) fn run(&mut self, expr: &Expr) {
        self.value(expr);
    }

    /// Goes through a value that is bound.
    pub(super) fn bound(&mut self, value: &Expr) -> Bound {
        let owned = self.value(value);
        let lenders = if owned { Set::new() } else { self.changed_by(value) };
        Bound { owned, lenders }
    }

    /// As [`bound`](Self::bound), for what outlives the statement, and so what is there for the statement
    /// alone.
    pub(super) fn bound_for_long(&mut self, value: &Expr) -> Bound {
        self.outlives_temporaries = true;
        let bound = self.bound(value);
        self.outlives_temporaries = false;
        bound
    }

    /// Goes through an expression. Whether its value holds no borrow of a local, as far as the source shows
    /// it.
    pub(super) fn value(&mut self, expr: &Expr) -> bool {
        match expr {
            Expr::Lit(_) | Expr::Continue(_) => true,
            Expr::Path(path) => match path.path.get_ident() {
                // What is no local may be a binding of the code around it.
                Some(ident) => match self.inner.find(ident) {
                    Some(bound) => bound.owned,
                    None => match self.graph.locals.find(ident) {
                        Some(local) => !self.borrowing.locals.contains(&local),
                        None => ident.to_string().starts_with(char::is_uppercase),
                    },
                },
                None => true,
            },
            Expr::Field(expr) => self.value(&expr.base),
            Expr::Index(expr) => self.value(&expr.expr) & self.value(&expr.index),
            Expr::Paren(expr) => self.value(&expr.expr),
            Expr::Group(expr) => self.value(&expr.expr),
            Expr::Cast(expr) => self.value(&expr.expr),
            Expr::Try(expr) => {
                let owned = self.value(&expr.expr);
                self.give_back(owned);
                owned
            }
            Expr::Unary(expr) => self.value(&expr.expr),
            Expr::Binary(expr) if is_assignment(&expr.op) => {
                self.assign(&expr.left, &expr.right);
                true
            }
            Expr::Binary(expr) => {
                let owned = self.operand(&expr.left) & self.operand(&expr.right);
                owned || is_comparison(&expr.op)
            }
            Expr::Assign(expr) => {
                self.assign(&expr.left, &expr.right);
                true
            }
            Expr::Range(expr) => self.all(expr.start.iter().chain(&expr.end).map(|end| &**end)),
            Expr::Tuple(expr) => self.all(&expr.elems),
            Expr::Array(expr) => self.all(&expr.elems),
            Expr::Repeat(expr) => self.value(&expr.expr),
            Expr::Struct(expr) => {
                let fields = expr.fields.iter().map(|field| &field.expr);
                self.all(fields.chain(expr.rest.as_deref()))
            }
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method(call),
            Expr::Reference(reference) => {
                let owned = self.value(&reference.expr);
                // The items of a loop are its own as long as what is left of them is.
                owned && is_items(&self.graph.locals, &reference.expr) || self.names_nothing(expr)
            }
            Expr::Macro(call) => self.mac(&call.mac),
            Expr::Block(expr) => {
                self.target(expr.label.as_ref(), false, |this| this.block(&expr.block))
            }
            Expr::If(expr) => {
                let then = self.scoped(|this| {
                    this.cond(&expr.cond, &mut Self::bind);
                    this.block(&expr.then_branch)
                });
                let otherwise = expr.else_branch.as_ref();
                otherwise.is_none_or(|(_, otherwise)| self.value(otherwise)) & then
            }
            Expr::Match(expr) => {
                let matched = self.bound(&expr.expr);
                let arms = expr.arms.iter().map(|arm| {
                    self.scoped(|this| {
                        this.inner.bind(&arm.pat, &matched);
                        if let Pat::Guard(pat) = &arm.pat {
                            this.cond(&pat.guard, &mut Self::bind);
                        }
                        this.value(&arm.body)
                    })
                });
                arms.fold(true, |all, owned| all & owned)
            }
            Expr::Loop(expr) => self.target(expr.label.as_ref(), true, |this| {
                this.block(&expr.body);
                true
            }),
            Expr::While(expr) => self.target(expr.label.as_ref(), true, |this| {
                this.cond(&expr.cond, &mut Self::bind);
                this.block(&expr.body);
                true
            }),
            Expr::ForLoop(expr) => {
                let items = self.bound(&expr.expr);
                self.target(expr.label.as_ref(), true, |this| {
                    this.inner.bind(&expr.pat, &items);
                    this.block(&expr.body);
                    true
                })
            }
            Expr::Break(expr) => {
                let owned = expr.expr.as_ref().is_none_or(|value| self.value(value));
                self.give(expr.label.as_ref(), owned);
                true
            }
            Expr::Return(expr) => {
                let owned = expr.expr.as_ref().is_none_or(|value| self.value(value));
                self.give_back(owned);
                true
            }
            expr => {
                self.unseen(expr);
                self.names_nothing(expr)
            }
        }
    }

    /// Goes through operands. Gives those that may hold a borrow.
    pub(super) fn borrows<'e>(
        &mut self,
        operands: impl IntoIterator<Item = &'e Expr>,
    ) -> Vec<&'e Expr> {
        operands.into_iter().filter(|operand| !self.value(operand)).collect()
    }

    fn all<'e>(&mut self, operands: impl IntoIterator<Item = &'e Expr>) -> bool {
        self.borrows(operands).is_empty()
    }

    /// Goes through an operand of an operator, which makes its value of what the operand borrows.
    fn operand(&mut self, operand: &Expr) -> bool {
        match operand {
            Expr::Paren(expr) => self.operand(&expr.expr),
            Expr::Reference(expr) if expr.mutability.is_none() => {
                self.run(&expr.expr);
                true
            }
            operand => self.value(operand),
        }
    }

    pub(super) fn mac(&mut self, mac: &Macro) -> bool {
        let name = macros::name(mac);
        let known = if macros::is_known(mac) { macros::parse(mac) } else { None };
        let values = known.iter().flatten().filter_map(|piece| match piece {
            Piece::Expr(expr, _) => Some(&**expr),
            Piece::Tokens(_) => None,
        });
        let owned = self.all(values);
        // What is written to may keep what is written.
        let expr = Expr::Macro(syn::ExprMacro { attrs: Vec::new(), mac: mac.clone() });
        if known.is_none() || name.starts_with("write") {
            self.unseen(&expr);
        }
        match name.as_str() {
            "format" => true,
            "vec" if known.is_some() => owned,
            _ => self.names_nothing(&expr),
        }
    }

    /// Returns a value from where the code is.
    pub(super) fn give_back(&mut self, owned: bool) {
        self.borrowing.regions.extend(self.region.filter(|_| !owned));
    }

    /// Whether what a branch gives holds no borrow. That of an operation does not.
    pub(super) fn is_own(&self, region: Option<RegionId>) -> bool {
        region.is_none_or(|region| !self.borrowing.regions.contains(&region))
    }

    /// Whether nothing that the expression names could be borrowed by its value.
    fn names_nothing(&self, expr: &Expr) -> bool {
        taken_by(&self.graph.locals, expr).is_empty() && !self.inner.has_borrow(expr)
    }

    /// Assigns or adds a value to what stands on the left.
    fn assign(&mut self, left: &Expr, right: &Expr) {
        let owned = self.value(right);
        match left {
            Expr::Infer(_) | Expr::Path(_) | Expr::Field(_) => {}
            left => self.run(left),
        }
        if !owned {
            self.keep(left);
        }
    }

    /// Notes that a borrow may be put into what an expression names or borrows.
    pub(super) fn keep(&mut self, into: &Expr) {
        match into {
            Expr::Path(path) => {
                let Some(ident) = path.path.get_ident() else { return };
                if let Some(bound) = self.inner.find_mut(ident) {
                    bound.owned = false;
                    self.borrowing.locals.extend(&bound.lenders);
                } else if let Some(local) = self.graph.locals.find(ident) {
                    self.borrowing.locals.extend(self.graph.made_of(local));
                }
            }
            Expr::Field(expr) => self.keep(&expr.base),
            Expr::Index(expr) => self.keep(&expr.expr),
            Expr::Paren(expr) => self.keep(&expr.expr),
            Expr::Unary(expr) => self.keep(&expr.expr),
            Expr::Reference(expr) if expr.mutability.is_none() => {}
            Expr::Reference(expr) => self.keep(&expr.expr),
            Expr::Tuple(expr) => expr.elems.iter().for_each(|elem| self.keep(elem)),
            Expr::Array(expr) => expr.elems.iter().for_each(|elem| self.keep(elem)),
            expr => {
                let changed = self.changed_by(expr);
                self.borrowing.locals.extend(changed);
                self.inner.keep(expr);
            }
        }
    }

    /// What an expression changes, or lends to be changed.
    fn changed_by(&self, expr: &Expr) -> Set<LocalId> {
        let mut changed = Usage::of_expr(&self.graph.locals, expr).changes;
        changed.extend(self.inner.lenders(expr));
        changed
    }

    /// What is changed by what cannot be seen into may hold a borrow of what else that names.
    fn unseen(&mut self, expr: &Expr) {
        let usage = Usage::of_expr(&self.graph.locals, expr);
        if usage.mentions.len() > 1 || self.inner.has_borrow(expr) {
            self.borrowing.locals.extend(self.changed_by(expr));
            self.inner.keep(expr);
        }
        let jumps = usage.jumps.iter().filter_map(|jump| jump_dest(self.graph, *jump));
        self.borrowing.locals.extend(jumps);
        self.give_back(!usage.jumps.contains(&Jump::Return));
    }
}

fn is_items(locals: &Locals, expr: &Expr) -> bool {
    let local = local_of(locals, expr);
    local.is_some_and(|local| matches!(locals[local].kind, LocalKind::Items | LocalKind::Texts))
}
