//! A function as a tree of statements.

use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, Pat, Type};

use super::{LocalId, Locals, PointId, TargetId};
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
    /// The `await`, or the name of the macro.
    pub(crate) span: Span,
    /// The point that waits for the `async` block that this one is in, and which of its branches
    /// the block is.
    pub(crate) within: Option<(PointId, usize)>,
    /// The name that it shares with points before it, which it is told apart from by its number.
    pub(crate) repeats: Option<String>,
    /// Which of those of its name it is.
    pub(crate) place: Place,
    /// The patterns and conditions around it, and the pattern of its `let`.
    pub(crate) around: Fingerprint,
    /// What is waited for, if that is several things.
    pub(crate) branches: Vec<NamedBranch>,
}

/// A branch of a suspension point, as it is stored.
#[derive(Clone, Debug)]
pub(crate) struct NamedBranch {
    pub(crate) name: String,
    /// Whether it is an `async` block.
    pub(crate) is_block: bool,
    /// Which of those of its name in the point it is.
    pub(crate) place: Place,
}

/// What is awaited, as far as the source shows it. The variants are those of
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
    /// A statement without suspension points. It may jump to targets by their rewritten labels. An expression
    /// without a semicolon is asked to be `()`.
    Code(syn::Stmt),
    /// Declares a local that is assigned later.
    Declare(LocalId),
    /// Gives a declared local its value.
    Define {
        local: LocalId,
        value: Expr,
    },
    /// Awaits and binds the result. See [`discarded`] for an await that is a statement: with a type, it is
    /// asked to be `()`.
    Await {
        point: PointId,
        future: Expr,
        pat: Pat,
        ty: Option<Type>,
    },
    /// Awaits the first of several.
    Select {
        point: PointId,
        arms: Vec<SelectArm>,
        /// What is done if no branch is left to wait for.
        otherwise: Option<Body>,
        /// Whether the first in the source wins of those that are ready.
        is_biased: bool,
    },
    /// Awaits all of several. With `fail_fast`, the first error ends it.
    Join {
        point: PointId,
        branches: Vec<Branch<AsyncBlock>>,
        pat: Pat,
        fail_fast: bool,
    },
    /// A block of its own.
    Scope(Body),
    /// `cond` may bind by `let`.
    If {
        cond: Expr,
        then: Body,
        otherwise: Body,
    },
    Match {
        scrutinee: Expr,
        arms: Vec<Arm>,
    },
    /// `let … else`: the `else` part suspends.
    LetElse {
        local: syn::Local,
        otherwise: Body,
    },
    /// `dest` is the local that `break` gives a value.
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

/// An arm of a `match` that is taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    /// With its guard, which does not suspend.
    pub(crate) pat: Pat,
    pub(crate) body: Body,
    /// Where it ends in the source: rustc proposes a missing arm behind it.
    pub(crate) end: Span,
}

/// An arm of `select!`.
#[derive(Clone, Debug)]
pub(crate) struct SelectArm {
    pub(crate) pat: Pat,
    /// What a value must match to be taken, if the pattern may refuse one.
    pub(crate) refusal: Option<Pat>,
    pub(crate) cond: Option<Expr>,
    pub(crate) future: Branch<AsyncBlock>,
    pub(crate) body: Body,
}

/// One of several futures that are awaited together.
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

/// An `async` block in the tree.
#[derive(Clone, Debug)]
pub(crate) struct AsyncBlock {
    pub(crate) body: Body,
    /// Whether it is `async move`.
    pub(crate) is_move: bool,
    /// Whether a request to cancel does not interrupt it.
    pub(crate) is_shielded: bool,
    /// The `async`.
    pub(crate) span: Span,
}

/// What binds the value of an await that is a statement of its own: nothing, not even `_`, because
/// rustc warns of some values that are not used.
pub(crate) fn discarded() -> Pat {
    Pat::Verbatim(TokenStream::new())
}

/// The value as a statement, for rustc to say of it what it would say of the one from `start` to `end`.
pub(crate) fn discard(value: &impl ToTokens, start: Span, end: Span) -> TokenStream {
    let path = quote_spanned!(start=> ::piton::__private::discarded);
    let mut value = Group::new(Delimiter::Parenthesis, value.to_token_stream());
    value.set_span(end);
    quote!(#path #value)
}

/// The value as an expression from `start` to `end`, for rustc to point at.
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

/// Where an expression ends.
pub(crate) fn end_of(expr: &Expr) -> Span {
    match expr {
        Expr::Block(block) => block.block.brace_token.span.close(),
        Expr::Call(call) => call.paren_token.span.close(),
        Expr::MethodCall(call) => call.paren_token.span.close(),
        Expr::Await(expr) => expr.await_token.span,
        other => span_ends(other.to_token_stream()).1,
    }
}

/// Where an expression begins. To make tokens of all of it takes time, and most of what is awaited is a call by name.
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
