//! A function as a tree of statements.

use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, Pat, Type};

use super::ids::{LocalId, PointId, TargetId};
use super::locals::Locals;
use crate::syntax::fingerprint::{Fingerprint, Place};

/// A function after `anf`.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) locals: Locals,
    pub(crate) points: Vec<Point>,
    /// Items of the body, in source order.
    pub(crate) items: Vec<syn::Item>,
    /// The parameters' bindings, then the statements.
    pub(crate) body: Body,
}

/// A suspension point.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// The stored name of its state, unique in the workflow.
    pub(crate) name: String,
    pub(crate) kind: PointKind,
    /// The span of the `await`, or of the macro's name.
    pub(crate) span: Span,
    /// If the point is in an `async` block: the point that awaits the block, and the index of the block among its
    /// branches.
    pub(crate) within: Option<(PointId, usize)>,
    /// The name without its number, if points before it have the same name.
    pub(crate) repeats: Option<String>,
    /// Its place among the points of the same name.
    pub(crate) place: Place,
    /// The fingerprint of the patterns and conditions around it, and of the pattern of its `let`.
    pub(crate) around: Fingerprint,
    /// The branches of a `join!` or `select!`.
    pub(crate) branches: Vec<NamedBranch>,
}

/// A branch of a suspension point, as it is stored.
#[derive(Clone, Debug)]
pub(crate) struct NamedBranch {
    pub(crate) name: String,
    /// Whether it is an `async` block.
    pub(crate) is_block: bool,
    /// Its place among the branches of the same name.
    pub(crate) place: Place,
}

/// The kind of the awaited operation, as far as the source shows it. The variants are those of
/// `piton::model::AwaitKind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointKind {
    Call,
    Timer,
    Signal,
    Select,
    Join,
    Update,
    Other,
}

/// Statements in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub(crate) stmts: Vec<Stmt>,
}

/// A statement of the tree in A-normal form.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a function has few statements, and they move little"
)]
pub(crate) enum Stmt {
    /// A statement without suspension points. It may jump to targets by their rewritten labels. An expression without a
    /// semicolon must be `()`.
    Code(syn::Stmt),
    /// Declares a local that is assigned later.
    Declare(LocalId),
    /// Initializes a declared local.
    Define {
        local: LocalId,
        value: Expr,
    },
    /// Awaits and binds the result. See [`discarded`] for an await whose result is not bound: with a type, the result
    /// must be `()`.
    Await {
        point: PointId,
        future: Expr,
        pat: Pat,
        ty: Option<Type>,
    },
    /// `select!`.
    Select {
        point: PointId,
        arms: Vec<SelectArm>,
        /// The `else` branch, taken if all branches are disabled.
        otherwise: Option<Body>,
        /// Whether the first ready branch in source order wins.
        is_biased: bool,
    },
    /// `join!`; with `fail_fast`, `try_join!`.
    Join {
        point: PointId,
        branches: Vec<Branch<AsyncBlock>>,
        pat: Pat,
        fail_fast: bool,
    },
    /// A lexical scope.
    Scope(Body),
    /// `cond` may contain `let`.
    If {
        cond: Expr,
        then: Body,
        otherwise: Body,
    },
    Match {
        scrutinee: Expr,
        arms: Vec<Arm>,
    },
    /// `let … else` whose `else` block suspends.
    LetElse {
        local: syn::Local,
        otherwise: Body,
    },
    /// `dest` is the local that `break` assigns its value to.
    Loop {
        target: TargetId,
        dest: Option<LocalId>,
        body: Body,
    },
    /// A block that `Break` leaves.
    Labeled {
        target: TargetId,
        dest: Option<LocalId>,
        body: Body,
    },
    Break(TargetId),
    Continue(TargetId),
    Return(Expr),
}

/// An arm of a `match` with suspension points.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    /// Includes the guard, which does not suspend.
    pub(crate) pat: Pat,
    pub(crate) body: Body,
    /// The end of the arm in the source, behind which rustc suggests missing arms.
    pub(crate) end: Span,
}

/// An arm of `select!`.
#[derive(Clone, Debug)]
pub(crate) struct SelectArm {
    pub(crate) pat: Pat,
    /// The pattern that a value must match, if the pattern of the arm is refutable.
    pub(crate) refusal: Option<Pat>,
    pub(crate) cond: Option<Expr>,
    pub(crate) future: Branch<AsyncBlock>,
    pub(crate) body: Body,
}

/// A branch of a `join!` or `select!`.
#[derive(Clone, Debug)]
pub(crate) enum Branch<R> {
    /// A durable operation.
    Operation(Expr),
    /// An `async` block, compiled as a part of the same step function.
    Region(R),
}

impl<R> Branch<R> {
    /// The operation, if it is one.
    pub(crate) fn operation(&self) -> Option<&Expr> {
        match self {
            Self::Operation(expr) => Some(expr),
            Self::Region(_) => None,
        }
    }
}

impl<R: Copy> Branch<R> {
    /// The region, if it is one.
    pub(crate) fn region(&self) -> Option<R> {
        match self {
            Self::Operation(_) => None,
            Self::Region(region) => Some(*region),
        }
    }
}

/// An `async` block that is a branch.
#[derive(Clone, Debug)]
pub(crate) struct AsyncBlock {
    pub(crate) body: Body,
    /// Whether it is `async move`.
    pub(crate) is_move: bool,
    /// Whether requests to cancel leave it running.
    pub(crate) is_shielded: bool,
    /// The span of `async`.
    pub(crate) span: Span,
}

/// The pattern of an await whose value is not bound, not even by `_`: rustc warns of some unused values.
pub(crate) fn discarded() -> Pat {
    Pat::Verbatim(TokenStream::new())
}

/// A statement that discards the value. rustc reports its lints at the source from `start` to `end`.
pub(crate) fn discard(value: &impl ToTokens, start: Span, end: Span) -> TokenStream {
    let path = quote_spanned!(start=> ::piton::__private::discarded);
    let mut value = Group::new(Delimiter::Parenthesis, value.to_token_stream());
    value.set_span(end);
    quote!(#path #value)
}

/// The value as an expression with the span from `start` to `end`, where rustc reports errors.
pub(crate) fn whole(value: &impl ToTokens, start: Span, end: Span) -> TokenStream {
    let value = quote_spanned!(start=> (#value,));
    let part = quote_spanned!(end=> .0);
    quote!(#value #part)
}

/// The spans of the first and the last token.
pub(crate) fn span_ends(tokens: TokenStream) -> (Span, Span) {
    let mut tokens = tokens.into_iter().map(|token| token.span());
    let first = tokens.next().unwrap_or_else(Span::call_site);
    (first, tokens.last().unwrap_or(first))
}

/// The span of the last token of an expression.
pub(crate) fn end_of(expr: &Expr) -> Span {
    match expr {
        Expr::Block(block) => block.block.brace_token.span.close(),
        Expr::Call(call) => call.paren_token.span.close(),
        Expr::MethodCall(call) => call.paren_token.span.close(),
        Expr::Await(expr) => expr.await_token.span,
        other => span_ends(other.to_token_stream()).1,
    }
}

/// The span of the first token of an expression. Most awaited expressions are calls of a path, for which this makes no
/// tokens.
pub(crate) fn start_of(expr: &Expr) -> Span {
    match expr {
        Expr::Call(call) if call.attrs.is_empty() => start_of(&call.func),
        Expr::MethodCall(call) if call.attrs.is_empty() => start_of(&call.receiver),
        Expr::Path(path) if path.attrs.is_empty() && path.qself.is_none() => {
            match (&path.path.leading_colon, path.path.segments.first()) {
                (Some(colons), _) => colons.spans[0],
                (None, Some(first)) => first.ident.span(),
                (None, None) => Span::call_site(),
            }
        }
        other => span_ends(other.to_token_stream()).0,
    }
}
