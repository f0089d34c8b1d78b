//! Which locals hold string literals. A `&'static str` cannot be read back from bytes as other
//! values are, so it is saved as its text; that it is one is seen from the source.

use std::collections::HashMap;

use syn::visit::{self, Visit};
use syn::{Expr, Lit, Macro, Member, Pat, Stmt};

use super::branches::gives;
use super::lending::is_one_of;
use super::select::Select;
use super::text_types::{of_constant, of_type};
use super::{collect_bindings, split_type};
use crate::ir::{LocalId, LocalKind, Locals};
use crate::macros;

/// What is known of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Unknown,
    /// A `&'static str`.
    Text,
    Tuple(Vec<Shape>),
    /// An array or a vector.
    List(Box<Shape>),
    /// A `Some`, `Ok` or `Err` of it.
    Wrapped(Box<Shape>),
}

impl Shape {
    /// Whether a text is in it, beside other things.
    pub(super) fn holds_text(&self) -> bool {
        let has_text = |shape: &Self| *shape == Self::Text || shape.holds_text();
        match self {
            Self::Unknown | Self::Text => false,
            Self::Tuple(shapes) => shapes.iter().any(has_text),
            Self::List(shape) | Self::Wrapped(shape) => has_text(shape),
        }
    }

    /// What is known if either is known of the same type.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, other) => other,
            (Self::Tuple(one), Self::Tuple(other)) if one.len() == other.len() => {
                Self::Tuple(one.into_iter().zip(other).map(|(one, other)| one.or(other)).collect())
            }
            (Self::List(one), Self::List(other)) => Self::List(Box::new(one.or(*other))),
            (Self::Wrapped(one), Self::Wrapped(other)) => Self::Wrapped(Box::new(one.or(*other))),
            (one, _) => one,
        }
    }
}

/// What is known of the locals.
pub(super) type Shapes = HashMap<LocalId, Shape>;

/// Finds out what the body gives its locals, and marks those that are texts.
pub(super) fn find(body: &syn::Block, locals: &mut Locals) -> Shapes {
    let mut search = Search { locals, shapes: Shapes::new() };
    search.visit_block(body);
    let shapes = search.shapes;
    for (local, shape) in &shapes {
        if *shape == Shape::Text {
            locals[*local].kind = LocalKind::Text;
        }
        locals[*local].holds_text = shape.holds_text();
    }
    shapes
}

/// What the source says of the value of an expression.
pub(super) fn of_value(locals: &Locals, shapes: &Shapes, expr: &Expr) -> Shape {
    let of = |expr: &Expr| of_value(locals, shapes, expr);
    let all = |exprs: &mut dyn Iterator<Item = &Expr>| {
        exprs.fold(Shape::Unknown, |shape, expr| shape.or(of(expr)))
    };
    match expr {
        Expr::Lit(literal) if matches!(literal.lit, Lit::Str(_)) => Shape::Text,
        Expr::Paren(expr) => of(&expr.expr),
        Expr::Group(expr) => of(&expr.expr),
        Expr::Path(path) => match path.path.get_ident() {
            Some(ident) => match locals.find(ident) {
                Some(local) => shapes.get(&local).cloned().unwrap_or(Shape::Unknown),
                None => of_constant(ident),
            },
            None => Shape::Unknown,
        },
        Expr::Reference(expr) if matches!(*expr.expr, Expr::Array(_)) => of(&expr.expr),
        Expr::Tuple(expr) => Shape::Tuple(expr.elems.iter().map(of).collect()),
        Expr::Index(expr) => match of(&expr.expr) {
            list @ Shape::List(_) if matches!(*expr.index, Expr::Range(_)) => list,
            Shape::List(item) => *item,
            _ => Shape::Unknown,
        },
        Expr::Field(expr) => match (of(&expr.base), &expr.member) {
            (Shape::Tuple(shapes), Member::Unnamed(index)) => {
                shapes.into_iter().nth(index.index as usize).unwrap_or(Shape::Unknown)
            }
            _ => Shape::Unknown,
        },
        Expr::Array(expr) => Shape::List(Box::new(all(&mut expr.elems.iter()))),
        Expr::Block(expr) => match expr.block.stmts.last() {
            Some(Stmt::Expr(expr, None)) => of(expr),
            _ => Shape::Unknown,
        },
        Expr::If(expr) => {
            let then = match expr.then_branch.stmts.last() {
                Some(Stmt::Expr(expr, None)) => of(expr),
                _ => Shape::Unknown,
            };
            match &expr.else_branch {
                Some((_, otherwise)) => then.or(of(otherwise)),
                None => Shape::Unknown,
            }
        }
        Expr::Match(expr) => all(&mut expr.arms.iter().map(|arm| &*arm.body)),
        Expr::Call(call) if is_wrapper(&call.func) => match call.args.first().map(of) {
            Some(shape) if shape != Shape::Unknown => Shape::Wrapped(Box::new(shape)),
            _ => Shape::Unknown,
        },
        Expr::MethodCall(call) if is_same_items(call) => match of(&call.receiver) {
            list @ Shape::List(_) => list,
            _ => Shape::Unknown,
        },
        Expr::MethodCall(call) if is_one_of(&["copied", "cloned"], call) => copied(call, &of),
        Expr::MethodCall(call) if is_one_of(&OPENED, call) => match of(&call.receiver) {
            Shape::Wrapped(shape) => *shape,
            _ => Shape::Unknown,
        },
        Expr::MethodCall(call) if call.method == "zip" => {
            beside(of(&call.receiver), call.args.first().map_or(Shape::Unknown, of))
        }
        Expr::MethodCall(call) if call.method == "enumerate" => {
            beside(Shape::Unknown, of(&call.receiver))
        }
        Expr::Macro(call) => of_macro(&call.mac, &of),
        _ => Shape::Unknown,
    }
}

/// Methods that give what is in an `Option` or `Result`, or something of its type.
const OPENED: [&str; 5] = ["expect", "unwrap", "unwrap_or", "unwrap_or_default", "unwrap_or_else"];

/// What is known of copies of what a list lends: `names.get(n).copied()`.
fn copied(call: &syn::ExprMethodCall, of: &dyn Fn(&Expr) -> Shape) -> Shape {
    let Expr::MethodCall(lent) = &*call.receiver else { return Shape::Unknown };
    match of(&lent.receiver) {
        Shape::List(item) if is_one_of(&["first", "get", "last"], lent) => Shape::Wrapped(item),
        list @ Shape::List(_) if lent.method == "iter" => list,
        _ => Shape::Unknown,
    }
}

/// What is known of pairs of items, of which texts are of one kind or the other.
fn beside(left: Shape, right: Shape) -> Shape {
    let item = |list| match list {
        Shape::List(item) => *item,
        _ => Shape::Unknown,
    };
    match [item(left), item(right)] {
        [Shape::Unknown, Shape::Unknown] => Shape::Unknown,
        pair => Shape::List(Box::new(Shape::Tuple(pair.into()))),
    }
}

fn of_macro(mac: &Macro, of: &dyn Fn(&Expr) -> Shape) -> Shape {
    if let Some(select) = Select::of(mac) {
        let arms = select.arms.iter().map(|arm| of(&arm.handler));
        return arms.fold(Shape::Unknown, Shape::or);
    }
    match macros::name(mac).as_str() {
        "concat" | "env" | "file" | "include_str" | "module_path" | "stringify" => Shape::Text,
        "option_env" => Shape::Wrapped(Box::new(Shape::Text)),
        "vec" => {
            let pieces = macros::parse(mac).unwrap_or_default();
            let items = pieces.iter().filter_map(|piece| match piece {
                macros::Piece::Expr(expr, _) => Some(of(expr)),
                macros::Piece::Tokens(_) => None,
            });
            Shape::List(Box::new(items.fold(Shape::Unknown, Shape::or)))
        }
        _ => Shape::Unknown,
    }
}

/// `Some`, `Ok` or `Err`
fn is_wrapper(path: &Expr) -> bool {
    let Expr::Path(path) = path else { return false };
    path.path
        .segments
        .last()
        .is_some_and(|last| ["Some", "Ok", "Err"].iter().any(|name| last.ident == name))
}

/// Whether the method gives an iterator over the same items.
fn is_same_items(call: &syn::ExprMethodCall) -> bool {
    ["into_iter", "rev", "skip", "take", "chain", "cycle"].iter().any(|name| call.method == name)
}

/// Methods whose value is not borrowed.
const OWNING: [&str; 16] = [
    "clone",
    "cloned",
    "contains",
    "copied",
    "count",
    "drain",
    "into_iter",
    "is_empty",
    "is_none",
    "is_some",
    "len",
    "pop",
    "remove",
    "sum",
    "to_owned",
    "to_string",
];

/// Whether the value may be a `&str`, or have one in it, as far as its source shows.
pub(super) fn may_lend(locals: &Locals, expr: &Expr) -> bool {
    let may_lend = |expr: &Expr| may_lend(locals, expr);
    match expr {
        Expr::Paren(expr) => may_lend(&expr.expr),
        Expr::Try(expr) => may_lend(&expr.expr),
        Expr::Block(_) | Expr::If(_) | Expr::Match(_) => gives(expr, &may_lend),
        Expr::Reference(expr) => expr.mutability.is_none(),
        Expr::Tuple(expr) => expr.elems.iter().any(may_lend),
        // An element or a field of what is not known to own its parts.
        Expr::Index(_) | Expr::Field(_) => true,
        Expr::Path(path) => {
            let local = path.path.get_ident().and_then(|ident| locals.find(ident));
            local.is_none_or(|local| locals[local].may_be_text)
        }
        Expr::MethodCall(call) => {
            let owns = OWNING.iter().any(|name| call.method == name);
            !owns && !matches!(*call.receiver, Expr::Await(_))
        }
        Expr::Call(call) => match &*call.func {
            // `String::from(…)`, `Line { … }`
            Expr::Path(path) => match path.path.segments.iter().rev().nth(1) {
                // `BTreeMap::from([("a", 1)])`, of texts
                Some(_) if matches!(call.args.first(), Some(Expr::Array(_))) => true,
                Some(ty) => ty.ident.to_string().starts_with(char::is_lowercase),
                None if is_wrapper(&call.func) => call.args.iter().any(may_lend),
                None => path.path.segments[0].ident.to_string().starts_with(char::is_lowercase),
            },
            _ => true,
        },
        _ => false,
    }
}

/// Methods by which something comes into a collection.
const ADDING: [&str; 7] =
    ["entry", "extend", "get_or_insert", "insert", "push", "push_back", "push_front"];

struct Search<'a> {
    locals: &'a mut Locals,
    shapes: Shapes,
}

impl Search<'_> {
    fn shape(&self, expr: &Expr) -> Shape {
        of_value(self.locals, &self.shapes, expr)
    }

    fn note(&mut self, local: Option<LocalId>, shape: Shape) {
        let Some(local) = local.filter(|_| shape != Shape::Unknown) else { return };
        let known = self.shapes.remove(&local).unwrap_or(Shape::Unknown);
        self.shapes.insert(local, known.or(shape));
    }

    /// Notes what patterns bind of a value.
    fn bind_value<'p>(&mut self, pats: impl IntoIterator<Item = &'p Pat>, value: &Expr) {
        let shape = self.shape(value);
        let may_be_text = shape == Shape::Unknown && may_lend(self.locals, value);
        for pat in pats {
            if may_be_text {
                let mut idents = Vec::new();
                collect_bindings(pat, &mut idents);
                for ident in &idents {
                    if let Some(local) = self.locals.find(ident) {
                        self.locals[local].may_be_text = true;
                    }
                }
            }
            self.bind(pat, shape.clone());
        }
    }

    fn bind(&mut self, pat: &Pat, shape: Shape) {
        match (split_type(pat), shape) {
            ((Pat::Ident(pat), ty), shape) if pat.by_ref.is_none() => {
                let shape = shape.or(ty.map_or(Shape::Unknown, |ty| of_type(ty, false)));
                self.note(self.locals.find(&pat.ident), shape);
            }
            ((Pat::Tuple(pat), _), Shape::Tuple(shapes)) if pat.elems.len() == shapes.len() => {
                for (pat, shape) in pat.elems.iter().zip(shapes) {
                    if matches!(pat, Pat::Rest(_)) {
                        break;
                    }
                    self.bind(pat, shape);
                }
            }
            ((Pat::Slice(pat), _), Shape::List(shape)) => {
                for pat in &pat.elems {
                    self.bind(pat, (*shape).clone());
                }
            }
            ((Pat::TupleStruct(pat), _), Shape::Wrapped(shape)) if pat.elems.len() == 1 => {
                pat.elems.iter().for_each(|pat| self.bind(pat, (*shape).clone()));
            }
            ((Pat::Or(pat), _), shape) => {
                pat.cases.iter().for_each(|pat| self.bind(pat, shape.clone()));
            }
            ((Pat::Paren(pat), _), shape) => self.bind(&pat.pat, shape),
            ((Pat::Guard(pat), _), shape) => self.bind(&pat.pat, shape),
            _ => {}
        }
    }

    /// A value that is assigned to what a declaration has left open.
    fn assign(&mut self, left: &Expr, shape: Shape) {
        match (left, shape) {
            (Expr::Path(path), shape) => {
                let local = path.path.get_ident().and_then(|ident| self.locals.find(ident));
                self.note(local, shape);
            }
            (Expr::Tuple(left), Shape::Tuple(shapes)) => {
                left.elems.iter().zip(shapes).for_each(|(left, shape)| self.assign(left, shape));
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
            None => self.bind(&local.pat, Shape::Unknown),
        }
    }

    fn visit_expr_assign(&mut self, expr: &syn::ExprAssign) {
        visit::visit_expr_assign(self, expr);
        let shape = self.shape(&expr.right);
        self.assign(&expr.left, shape);
    }

    fn visit_expr_method_call(&mut self, call: &syn::ExprMethodCall) {
        visit::visit_expr_method_call(self, call);
        let is_text = |expr: &Expr| {
            let shape = self.shape(expr);
            shape == Shape::Text || shape.holds_text()
        };
        // Of a list that is begun empty this shows what is in it.
        if is_one_of(&ADDING, call)
            && call.args.iter().any(is_text)
            && let Expr::Path(list) = &*call.receiver
            && let Some(local) = list.path.get_ident().and_then(|ident| self.locals.find(ident))
        {
            self.locals[local].may_be_text = true;
        }
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
