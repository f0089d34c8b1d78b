//! Locals that hold texts or inclusive ranges. A `&str` cannot be decoded from bytes like other values, so its text is
//! saved. The source shows that a local is a text, and whether it is a literal.

use syn::visit::{self, Visit};
use syn::{Expr, Macro, Pat, Type};

use super::borrowed_texts::may_borrow_text;
use super::shapes::{Shapes, of_value, shows_no_text};
use super::static_borrows;
use super::text_types::of_type;
use crate::collections::sets::Set;
use crate::ir::usage::bound_locals;
use crate::ir::{LocalId, Locals, Shape};
use crate::syntax::macros;
use crate::syntax::methods::is_one_of;
use crate::syntax::patterns::split_type;
use crate::syntax::results::ends;
use crate::syntax::select::Select;

/// Computes the shapes of the locals from the values that the body assigns to them, and marks texts.
pub(crate) fn find(body: &syn::Block, locals: &mut Locals) -> Shapes {
    let mut search =
        Search { locals, shapes: Shapes::new(), literal: Set::new(), typed: Shapes::new() };
    for local in search.locals.ids() {
        if let Some(ty) = &search.locals[local].ty
            && of_type(ty, false) == Shape::Range
        {
            search.note(Some(local), Shape::Range);
        }
    }
    // A later assignment may turn a literal into a borrowed text, also in locals that were assigned from it.
    loop {
        let before = (search.shapes.clone(), search.literal.len());
        search.visit_block(body);
        let has_texts = search.shapes.values().any(|shape| shape.is_text() || shape.holds_text());
        if !has_texts || before == (search.shapes.clone(), search.literal.len()) {
            break;
        }
    }
    for local in search.locals.ids() {
        if let Some(typed) = search.typed.remove(&local) {
            search.shapes.entry(local).or_insert(typed);
        }
    }
    let shapes = search.shapes;
    for (local, shape) in &shapes {
        let local = &mut locals[*local];
        local.saving.kind = shape.kind(local.mutable);
        local.saving.holds_range = local.mutable && shape.holds_range();
        local.saving.shape = shape.clone();
    }
    shapes
}

/// Methods that add a value to a collection.
const ADDING: [&str; 7] =
    ["entry", "extend", "get_or_insert", "insert", "push", "push_back", "push_front"];

/// The maximum depth of types in which texts are searched.
const MAX_DEPTH: usize = 5;

struct Search<'a> {
    locals: &'a mut Locals,
    shapes: Shapes,
    /// The locals that are assigned to a variable of the declared type `&'static str`.
    literal: Set<LocalId>,
    /// The declared shapes of locals whose initializer shows none.
    typed: Shapes,
}

impl Search<'_> {
    fn shape(&self, expr: &Expr) -> Shape {
        of_value(self.locals, &self.shapes, expr)
    }

    /// Whether the initializer shows no shape, such as `None` or an empty list, so that later assignments decide.
    fn is_decided_later(&mut self, pat: &Pat) -> bool {
        let (Pat::Ident(pat), ty) = split_type(pat) else { return false };
        let shape = ty.map(|ty| of_type(ty, false));
        if !shape.as_ref().is_none_or(Shape::holds_text) {
            return false;
        }
        let local = self.locals.find(&pat.ident);
        self.typed.extend(local.zip(shape));
        true
    }

    /// The shape of an assigned value, combined with the declared type.
    fn over_type(&self, local: LocalId, shape: Shape) -> Shape {
        match self.typed.get(&local) {
            Some(typed) => typed.clone().over(shape),
            None => shape,
        }
    }

    fn local(&self, expr: &Expr) -> Option<LocalId> {
        let Expr::Path(path) = expr else { return None };
        self.locals.of_path(&path.path)
    }

    /// The local of a place.
    fn root(&self, place: &Expr) -> Option<LocalId> {
        match place {
            Expr::Field(expr) => self.root(&expr.base),
            Expr::Index(expr) => self.root(&expr.expr),
            place => self.local(place),
        }
    }

    fn note(&mut self, local: Option<LocalId>, shape: Shape) {
        // A value that contains itself, which rustc refuses, would grow without end.
        let Some(local) = local.filter(|_| shape.depth() <= MAX_DEPTH) else { return };
        let shape = match self.shapes.remove(&local) {
            Some(known) => known.or(shape),
            None => shape,
        };
        let is_literal = shape.is_text() && self.literal.contains(&local);
        self.shapes.insert(local, if is_literal { Shape::Text } else { shape });
    }

    /// Assigns the shapes of the bindings of patterns from a value.
    fn bind_value<'p>(&mut self, pats: impl IntoIterator<Item = &'p Pat>, value: &Expr) {
        let shape = self.shape(value);
        let may_be_text = !shape.is_text() && may_borrow_text(self.locals, value);
        for pat in pats {
            if may_be_text {
                static_borrows::note(self.locals, pat, value);
                for local in bound_locals(self.locals, pat) {
                    self.locals[local].saving.may_be_text = true;
                }
            }
            let shows_no_text = shape == Shape::Unknown && shows_no_text(self.locals, value);
            if !shows_no_text || !self.is_decided_later(pat) {
                self.bind(pat, shape.clone());
            }
            if let Pat::Ident(pat) = split_type(pat).0 {
                self.pass_on(self.locals.find(&pat.ident), value);
            }
        }
    }

    /// A value assigned to a local that accepts only literals must be a literal, too.
    fn pass_on(&mut self, local: Option<LocalId>, value: &Expr) {
        if local.is_some_and(|local| self.literal.contains(&local)) {
            let given = ends(value).into_iter().filter_map(|value| self.local(value));
            let given: Vec<_> = given.collect();
            self.literal.extend(given);
        }
    }

    /// Records the declared type of a local without an initializer.
    fn declare(&mut self, pat: &Pat) {
        if split_type(pat).1.is_some() && !self.is_decided_later(pat) {
            self.bind(pat, Shape::Unknown);
        }
    }

    fn bind(&mut self, pat: &Pat, shape: Shape) {
        let (pat, ty) = split_type(pat);
        let ty = ty.filter(|ty| !matches!(ty, Type::Infer(_))).map(|ty| of_type(ty, false));
        // An unknown type may be an alias of `&'static str`.
        let is_literal = match ty {
            Some(Shape::Unknown) => shape.is_text(),
            Some(Shape::Text) => true,
            _ => false,
        };
        let shape = match ty {
            _ if is_literal => Shape::Text,
            Some(ty) => ty.over(shape),
            None => shape,
        };
        match (pat, shape) {
            (Pat::Ident(pat), shape) if pat.by_ref.is_none() => {
                let local = self.locals.find(&pat.ident);
                if is_literal {
                    self.literal.extend(local);
                }
                self.note(local, shape);
            }
            (Pat::Tuple(pat), Shape::Tuple(shapes)) if pat.elems.len() == shapes.len() => {
                for (pat, shape) in pat.elems.iter().zip(shapes) {
                    if matches!(pat, Pat::Rest(_)) {
                        break;
                    }
                    self.bind(pat, shape);
                }
            }
            (Pat::Slice(pat), Shape::List(shape)) => {
                for pat in &pat.elems {
                    self.bind(pat, (*shape).clone());
                }
            }
            (Pat::TupleStruct(pat), Shape::Wrapped(shape)) if pat.elems.len() == 1 => {
                pat.elems.iter().for_each(|pat| self.bind(pat, (*shape).clone()));
            }
            (Pat::Or(pat), shape) => {
                pat.cases.iter().for_each(|pat| self.bind(pat, shape.clone()));
            }
            (Pat::Paren(pat), shape) => self.bind(&pat.pat, shape),
            (Pat::Guard(pat), shape) => self.bind(&pat.pat, shape),
            (pat, _) => {
                for local in bound_locals(self.locals, pat) {
                    self.note(Some(local), Shape::Unknown);
                }
            }
        }
    }

    /// Assigns the shape of an added value to a list of texts, or to an empty one.
    fn add(&mut self, call: &syn::ExprMethodCall) {
        let (Some(local), Some(item)) = (self.local(&call.receiver), call.args.last()) else {
            return;
        };
        let item = self.shape(item);
        let is_list = |shape: &Shape| matches!(shape, Shape::List(_)) && shape.holds_text();
        let has_texts = match self.shapes.get(&local) {
            Some(known) => is_list(known),
            None => {
                item.is_text()
                    || item.holds_text()
                    || is_list(&self.over_type(local, Shape::Unknown))
            }
        };
        let list = match &*call.method.to_string() {
            "push" | "push_back" | "push_front" => Shape::List(Box::new(item)),
            "insert" if self.shapes.contains_key(&local) => Shape::List(Box::new(item)),
            "append" | "extend" if matches!(item, Shape::List(_)) => item,
            "append" | "extend" | "resize" => Shape::List(Box::new(Shape::Unknown)),
            _ => return,
        };
        if has_texts {
            let list = self.over_type(local, list);
            self.note(Some(local), list);
        }
    }

    /// Assigns the shape of a value to a local whose declaration shows none.
    fn assign(&mut self, left: &Expr, shape: Shape) {
        match (left, shape) {
            (Expr::Path(_), shape) => {
                let local = self.local(left);
                let shape = local.map_or(Shape::Unknown, |local| self.over_type(local, shape));
                self.note(local, shape);
            }
            (Expr::Tuple(left), Shape::Tuple(shapes)) => {
                left.elems.iter().zip(shapes).for_each(|(left, shape)| self.assign(left, shape));
            }
            (Expr::Tuple(left), _) => {
                left.elems.iter().for_each(|left| self.assign(left, Shape::Unknown));
            }
            // A text of unknown origin replaces one in a larger value.
            (Expr::Field(_) | Expr::Index(_), shape) if shape != Shape::Text => {
                let is_text = self.shape(left).is_text();
                self.note(self.root(left).filter(|_| is_text), Shape::Unknown);
            }
            _ => {}
        }
    }
}

impl Visit<'_> for Search<'_> {
    fn visit_local(&mut self, local: &syn::Local) {
        visit::visit_local(self, local);
        match &local.init {
            Some(init) => self.bind_value([&local.pat], &init.expr),
            None => self.declare(&local.pat),
        }
    }

    fn visit_expr_assign(&mut self, expr: &syn::ExprAssign) {
        visit::visit_expr_assign(self, expr);
        let shape = self.shape(&expr.right);
        if shape != Shape::Unknown || !shows_no_text(self.locals, &expr.right) {
            self.assign(&expr.left, shape);
        }
        self.pass_on(self.local(&expr.left), &expr.right);
    }

    fn visit_expr_method_call(&mut self, call: &syn::ExprMethodCall) {
        visit::visit_expr_method_call(self, call);
        let is_text = |expr: &Expr| {
            let shape = self.shape(expr);
            // A borrow may be a text by coercion: `names.push(&name)`.
            let is_borrow = matches!(expr, Expr::Reference(expr) if expr.mutability.is_none());
            shape.is_text() || shape.holds_text() || is_borrow && call.method != "extend"
        };
        // The added value shows the shape of a list that starts empty.
        if is_one_of(&ADDING, call)
            && call.args.iter().any(is_text)
            && let Expr::Path(list) = &*call.receiver
            && let Some(local) = self.locals.of_path(&list.path)
        {
            self.locals[local].saving.may_be_text = true;
        }
        self.add(call);
    }

    fn visit_expr_let(&mut self, expr: &syn::ExprLet) {
        self.visit_expr(&expr.expr);
        self.bind_value([&*expr.pat], &expr.expr);
    }

    fn visit_expr_match(&mut self, expr: &syn::ExprMatch) {
        self.visit_expr(&expr.expr);
        self.bind_value(expr.arms.iter().map(|arm| &arm.pat), &expr.expr);
        expr.arms.iter().for_each(|arm| self.visit_arm(arm));
    }

    fn visit_expr_for_loop(&mut self, expr: &syn::ExprForLoop) {
        self.visit_expr(&expr.expr);
        if let Shape::List(item) = self.shape(&expr.expr) {
            self.bind(&expr.pat, *item);
        }
        static_borrows::note(self.locals, &expr.pat, &expr.expr);
        self.visit_block(&expr.body);
    }

    fn visit_macro(&mut self, mac: &Macro) {
        if let Some(select) = Select::of(mac) {
            for arm in &select.arms {
                self.visit_expr(&arm.future);
                self.visit_expr(&arm.handler);
            }
            return;
        }
        for piece in macros::parse(mac).unwrap_or_default() {
            if let macros::Piece::Expr(expr, _) = piece {
                self.visit_expr(&expr);
            }
        }
    }

    fn visit_item(&mut self, _: &syn::Item) {}
}
