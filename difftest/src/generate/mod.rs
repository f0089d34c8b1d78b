//! Writes programs: typed, terminating, and over everything that must compile.
//!
//! A seed names a program, as long as the generator does not change. Programs are ordinary enough
//! to compile as plain async Rust; that is the generator's own correctness, and is checked before
//! anything is compared.

mod concurrent;
mod conditions;
mod expressions;
mod functions;
mod lent;
mod matched;
mod node;
mod patterns;
mod raw_names;
mod refusals;
mod scope;
mod shrink;
mod statements;
mod types;

use self::functions::Helper;
use self::scope::{Mark, Scope};
use crate::script::Rng;

pub use node::{Kind, Node};
pub(crate) use node::{Path, Piece};
pub use refusals::{are_expected, may_be_refused};
pub use shrink::{failure, shrink, smallest};
pub use types::Ty;

/// The program that `seed` names.
pub fn program(seed: u64) -> Node {
    Generator::new(Rng::new(seed)).program()
}

/// A small program that `seed` names.
pub fn small_program(seed: u64) -> Node {
    Generator { largest: 24, ..Generator::new(Rng::new(seed)) }.program()
}

/// What `break` and `continue` can go to.
#[derive(Clone, Debug)]
struct Target {
    label: String,
    /// A labeled block cannot be continued.
    is_loop: bool,
    /// What `break` must give.
    value: Ty,
    /// Which locals are alive wherever control comes from there.
    alive: Vec<bool>,
}

/// What `?` may be applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Nothing,
    Outcomes,
    Options,
    /// Any error.
    Everything,
}

impl Question {
    /// In what returns this type.
    fn of(ty: Ty) -> Self {
        match ty {
            Ty::Outcome => Self::Outcomes,
            Ty::Maybe => Self::Options,
            Ty::Failing => Self::Everything,
            _ => Self::Nothing,
        }
    }
}

/// The state of writing one program.
#[derive(Clone, Debug)]
struct Generator {
    rng: Rng,
    scope: Scope,
    helpers: Vec<Helper>,
    targets: Vec<Target>,
    question: Question,
    /// What `return` gives, where there may be one.
    returns: Option<Ty>,
    has_context: bool,
    /// Whether the function is generic over `T`, and has a parameter `given` of that type.
    has_param: bool,
    /// Whether an await may stand here.
    may_await: bool,
    /// Whether control may leave from here in the middle of an expression.
    may_exit: bool,
    /// Whether the program may contain code that a rule of piton refuses.
    may_be_refused: bool,
    /// Where the expression has begun that is being written, unless it is the value of a `let`.
    expression: Option<Mark>,
    /// Whether the expression that is written next is that.
    is_bound: bool,
    /// How many expressions a function may have at most.
    largest: usize,
    /// How many more expressions the function may have.
    budget: usize,
    nesting: usize,
    loops: usize,
    names: usize,
}

impl Generator {
    fn new(rng: Rng) -> Self {
        Self {
            rng,
            scope: Scope::default(),
            helpers: Vec::new(),
            targets: Vec::new(),
            question: Question::Nothing,
            returns: None,
            has_context: false,
            has_param: false,
            may_await: true,
            may_exit: true,
            may_be_refused: false,
            expression: None,
            is_bound: false,
            largest: usize::MAX,
            budget: 0,
            nesting: 0,
            loops: 0,
            names: 0,
        }
    }

    /// A name that is not in use.
    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    /// A label that is not in use.
    fn label(&mut self) -> String {
        self.names += 1;
        format!("'l{}", self.names)
    }

    /// The type of a new value.
    fn some_type(&mut self) -> Ty {
        if self.has_param && self.rng.chance(25) {
            return Ty::Param;
        }
        if !self.scope.is_quiet() && self.rng.chance(15) {
            return self.rng.pick(&Ty::NOISY);
        }
        self.rng.pick(&Ty::VALUES)
    }

    /// Writes the content of a new scope.
    fn scoped<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.scope.enter();
        let made = body(self);
        self.scope.leave(mark);
        made
    }

    /// Runs all of `bodies` as alternatives: a value that one of them moves is moved afterwards.
    fn alternatives<T>(
        &mut self,
        count: usize,
        mut body: impl FnMut(&mut Self, usize) -> T,
    ) -> Vec<T> {
        let before = self.scope.alive();
        let mut after = vec![true; before.len()];
        let mut out = Vec::new();
        for index in 0..count {
            self.scope.set_alive(&before);
            let around = self.scope.begin_branch(self.expression);
            out.push(body(self, index));
            self.scope.end_branch(around);
            self.scope.note_moved(&mut after);
        }
        self.scope.set_alive(&after);
        out
    }

    /// Runs `body` with something that it may jump to: what has been moved before such a jump is moved
    /// afterwards.
    fn with_target<T>(
        &mut self,
        label: &str,
        is_loop: bool,
        value: Ty,
        body: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let (label, alive) = (label.to_owned(), self.scope.alive());
        self.targets.push(Target { label, is_loop, value, alive });
        let made = body(self);
        if let Some(target) = self.targets.pop() {
            self.scope.keep_alive(&target.alive);
        }
        made
    }

    /// Runs `body` as something that may not happen.
    fn perhaps<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.scope.alive();
        let around = self.scope.begin_branch(self.expression);
        let value = body(self);
        self.scope.end_branch(around);
        self.scope.keep_alive(&before);
        value
    }

    /// Runs `body` where no await may stand.
    fn without_await<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.may_await, false);
        let value = body(self);
        self.may_await = outer;
        value
    }

    /// Runs `body` where control may not leave.
    fn without_exit<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.may_exit, false);
        let value = body(self);
        self.may_exit = outer;
        value
    }
}
