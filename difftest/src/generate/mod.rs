//! Writes programs: typed, terminating, and over everything that must compile.
//!
//! A seed names a program for ever. Programs are ordinary enough to compile as plain async Rust;
//! that is the generator's own correctness, and is checked before anything is compared.

mod concurrent;
mod expressions;
mod node;
mod patterns;
mod scope;
mod shrink;
mod statements;
mod types;

use self::scope::Scope;
use crate::script::Rng;

pub use node::{Kind, Node};
pub use shrink::shrink;
pub use types::Ty;

/// The program that `seed` names.
pub fn program(seed: u64) -> Node {
    let mut rng = Rng::new(seed);
    let helpers = rng.below(3);
    let mut generator = Generator::new(rng);
    // Generated code may do pointless things, and is often known to panic.
    let mut items = vec![Node::stmt("#![allow(warnings, unconditional_panic)]", Vec::new())];
    for index in 0..helpers {
        items.push(generator.helper(index));
    }
    if generator.rng.chance(40) {
        items.push(generator.recursive_helper());
    }
    items.push(generator.entry());
    Node::list(items)
}

/// A workflow that can be called inline.
#[derive(Clone, Debug)]
struct Helper {
    name: String,
    parameters: Vec<Ty>,
    returns: Ty,
    boxed: bool,
}

/// What `break` and `continue` can go to.
#[derive(Clone, Debug)]
struct Target {
    label: String,
    /// A labeled block cannot be continued.
    is_loop: bool,
    /// What `break` must give.
    value: Ty,
}

/// What `?` may be applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Nothing,
    Outcomes,
    Options,
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
    /// Whether an await may stand here.
    may_await: bool,
    /// Whether control may leave from here in the middle of an expression.
    may_exit: bool,
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
            may_await: true,
            may_exit: true,
            budget: 0,
            nesting: 0,
            loops: 0,
            names: 0,
        }
    }

    fn entry(&mut self) -> Node {
        let returns =
            self.rng.pick(&[Ty::Int, Ty::Text, Ty::Outcome, Ty::Maybe, Ty::Pair, Ty::List]);
        let takes_context = self.rng.chance(60);
        self.budget = 60 + self.rng.below(120);
        self.function("program", takes_context, &[Ty::Int], returns, "")
    }

    fn helper(&mut self, index: usize) -> Node {
        let count = self.rng.below(3);
        let parameters: Vec<Ty> = (0..count).map(|_| self.rng.pick(&Ty::VALUES)).collect();
        let returns = self.rng.pick(&[Ty::Int, Ty::Text, Ty::Outcome, Ty::Shape, Ty::Int]);
        let takes_context = self.rng.chance(30);
        let name = format!("helper{index}");
        self.budget = 20 + self.rng.below(30);
        let node = self.function(&name, takes_context, &parameters, returns, "tick().await;");
        self.helpers.push(Helper { name, parameters, returns, boxed: false });
        node
    }

    /// A workflow that calls itself with a smaller first parameter.
    fn recursive_helper(&mut self) -> Node {
        let name = "recursive".to_owned();
        self.budget = 15 + self.rng.below(20);
        let returns = self.rng.pick(&[Ty::Int, Ty::Text]);
        let floor = match returns {
            Ty::Int => "act(7)",
            _ => "fetch(\"floor\")",
        };
        let guard = format!(
            "if depth <= 0 {{ return {floor}.await; }}\n\
             let below = Box::pin(recursive(depth.min(3) - 1, n)).await;"
        );
        self.scope = Scope::default();
        self.scope.declare("n".into(), Ty::Int, false, true);
        self.scope.declare("below".into(), returns, false, true);
        let node = self.function_with(&name, "depth: i64, n: i64", returns, &guard);
        let parameters = vec![Ty::Int, Ty::Int];
        self.helpers.push(Helper { name, parameters, returns, boxed: true });
        node
    }

    fn function(
        &mut self,
        name: &str,
        takes_context: bool,
        parameters: &[Ty],
        returns: Ty,
        guard: &str,
    ) -> Node {
        self.scope = Scope::default();
        self.has_context = takes_context;
        let mut list = Vec::new();
        if takes_context {
            list.push("cx: &Context".to_owned());
        }
        for ty in parameters {
            let mutable = self.rng.chance(30);
            let parameter = if *ty == Ty::Int { "n".to_owned() } else { self.fresh() };
            let parameter =
                if list.iter().any(|p| p.contains("n: ")) { self.fresh() } else { parameter };
            let mutability = if mutable { "mut " } else { "" };
            list.push(format!("{mutability}{parameter}: {}", ty.name()));
            self.scope.declare(parameter, *ty, mutable, true);
        }
        self.function_with(name, &list.join(", "), returns, guard)
    }

    /// A function whose parameters are in scope already.
    fn function_with(&mut self, name: &str, parameters: &str, returns: Ty, guard: &str) -> Node {
        self.question = match returns {
            Ty::Outcome => Question::Outcomes,
            Ty::Maybe => Question::Options,
            _ => Question::Nothing,
        };
        self.returns = Some(returns);
        self.targets.clear();
        let count = 3 + self.rng.below(6);
        let body = self.statements(count);
        let value = self.expr(returns);
        self.has_context = false;
        let template = format!(
            "#[workflow]\nasync fn {name}({parameters}) -> {} {{\n{guard}\n$$\n}}\n",
            returns.name()
        );
        Node::stmt(&template, vec![body, value])
    }

    /// A name that is not in use.
    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    /// Runs all of `bodies` as alternatives: what one of them moves is moved afterwards.
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
            out.push(body(self, index));
            for (alive, now) in after.iter_mut().zip(self.scope.alive()) {
                *alive &= now;
            }
        }
        self.scope.set_alive(&after);
        out
    }

    /// Runs `body` as something that may not happen.
    fn perhaps<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.scope.alive();
        let value = body(self);
        let merged: Vec<bool> =
            before.iter().zip(self.scope.alive()).map(|(before, now)| *before && now).collect();
        self.scope.set_alive(&merged);
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
