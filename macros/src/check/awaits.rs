//! Awaits in places where the machine cannot suspend.

use quote::ToTokens;
use syn::visit::Visit;
use syn::{Expr, Macro};

use super::checker::Checker;
use crate::diagnostics::rules::Rule;

/// The code that an `.await` would suspend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A function that is compiled into a machine.
    Machine,
    /// A plain function. rustc reports the await.
    PlainFunction,
    Closure,
    /// `async |item| …`
    AsyncClosure,
    AsyncBlock,
    /// An `async` block in a closure. Most such closures return the block.
    BlockOfClosure,
    /// The block of `cx.spawn(async { … })`.
    SpawnedBlock,
    Constant,
    /// The guard of a `match` arm or of `matches!`.
    Guard,
}

/// A part of a body, with the kind that decides about its awaits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    kind: Kind,
    /// Whether an await in it was refused. Further awaits have the same cause.
    is_refused: bool,
}

impl Default for Region {
    fn default() -> Self {
        Self::new(Kind::Machine)
    }
}

impl Region {
    fn new(kind: Kind) -> Self {
        Self { kind, is_refused: false }
    }

    pub(super) fn of_function(is_async: bool) -> Self {
        Self::new(if is_async { Kind::Machine } else { Kind::PlainFunction })
    }

    pub(super) fn closure(is_async: bool) -> Self {
        Self::new(if is_async { Kind::AsyncClosure } else { Kind::Closure })
    }

    /// The region of an `async` block that is a value in this region.
    pub(super) fn async_block(self) -> Self {
        Self::new(if self.kind == Kind::Closure { Kind::BlockOfClosure } else { Kind::AsyncBlock })
    }

    pub(super) fn spawned_block() -> Self {
        Self::new(Kind::SpawnedBlock)
    }

    pub(super) fn constant() -> Self {
        Self::new(Kind::Constant)
    }

    pub(super) fn guard() -> Self {
        Self::new(Kind::Guard)
    }
}

impl Checker<'_> {
    /// Runs `check` in another region.
    pub(super) fn within(&mut self, region: Region, check: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.region, region);
        check(self);
        self.region = outer;
    }

    /// Whether the region is compiled into the machine.
    pub(super) fn is_machine(&self) -> bool {
        self.is_compiled && matches!(self.region.kind, Kind::Machine | Kind::Guard)
    }

    /// Whether later passes visit the region.
    pub(super) fn is_seen(&self) -> bool {
        self.is_compiled && !matches!(self.region.kind, Kind::PlainFunction | Kind::Constant)
    }

    /// Refuses an await that cannot become a state. `token` is the word `await`.
    pub(super) fn check_await(&mut self, token: &dyn ToTokens) {
        let (rule, message, help) = match self.region.kind {
            Kind::Machine | Kind::PlainFunction => return,
            Kind::Closure => (
                Rule::AWAIT_IN_CLOSURE,
                "await in a closure",
                "use a loop, or return the call from the closure and await it outside: \
                 `join_all(items.into_iter().map(|item| ship(item))).await`",
            ),
            Kind::AsyncClosure => (
                Rule::AWAIT_IN_CLOSURE,
                "await in an `async` closure",
                "declare an `async fn` in the body, with what the closure captures as arguments, and await its calls",
            ),
            Kind::AsyncBlock => (
                Rule::AWAIT_IN_ASYNC_BLOCK,
                "await in an `async` block that is a value",
                "await the block where it stands, `async { … }.await`, or declare an `async fn` in the body and \
                 await or join its calls",
            ),
            Kind::BlockOfClosure => (
                Rule::AWAIT_IN_ASYNC_BLOCK,
                "await in an `async` block of a closure",
                "return the call from the closure, `|item| ship(item)`; for several awaits, declare an `async fn` in the \
                 body and pass its calls to `join_all`",
            ),
            Kind::SpawnedBlock => (
                Rule::AWAIT_IN_ASYNC_BLOCK,
                "await in an `async` block that is spawned",
                "make the block and the code beside it branches, `join!(async { … }, async { … })`, or put the block into \
                 a workflow and start that as a child, `cx.start_child(call)`; what is spawned is one call of an \
                 activity, a timer or a signal",
            ),
            Kind::Constant => (Rule::AWAIT_IN_CONST, "await in a constant", "use a `let`"),
            Kind::Guard => (
                Rule::UNSUPPORTED_AWAIT,
                "await in the guard of a pattern",
                "await before the `match`, into a variable, or in the arm: `if in_stock(&item).await { … }`",
            ),
        };
        if !std::mem::replace(&mut self.region.is_refused, true) {
            self.report(rule, token, message, help);
        }
    }

    /// Refuses an await in an unknown macro, whose tokens may not be code.
    pub(super) fn check_await_in_unknown(&mut self, mac: &Macro, token: &dyn ToTokens) {
        if self.region.kind != Kind::Machine {
            return self.check_await(token);
        }
        let name = mac.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        self.report(
            Rule::AWAIT_IN_MACRO,
            token,
            format!("await in `{name}!`, whose expansion is not known"),
            "await before the macro: `let value = operation.await;`, and use `value` in it",
        );
    }

    /// Visits an operand of `.await`. An `async` block there is a part of the machine.
    pub(super) fn visit_operation(&mut self, operation: &Expr) {
        match operation {
            Expr::Async(block) => self.visit_block(&block.block),
            Expr::Paren(expr) => self.visit_operation(&expr.expr),
            Expr::Group(expr) => self.visit_operation(&expr.expr),
            Expr::Call(call) => self.check_call(call, true),
            other => self.visit_expr(other),
        }
    }
}
