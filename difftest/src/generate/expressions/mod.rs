//! Expressions of every type, with awaits in every position.

mod branching;
mod calls;
mod changed;
mod closures;
mod numbers;
mod values;

use super::scope::{Hold, Use};
use super::{Generator, Node, Ty};

/// How deep expressions nest.
const MAX_NESTING: usize = 6;

impl Generator {
    /// An expression of this type.
    pub(super) fn expr(&mut self, ty: Ty) -> Node {
        if self.budget == 0 || self.nesting >= MAX_NESTING {
            return self.leaf(ty);
        }
        self.budget -= 1;
        self.nesting += 1;
        let is_bound = std::mem::take(&mut self.is_bound);
        let node = match self.rng.below(10) {
            2 if is_bound => self.branching(ty),
            choice => self.within_expression(|this| this.of_choice(ty, choice)),
        };
        self.nesting -= 1;
        node
    }

    fn of_choice(&mut self, ty: Ty, choice: usize) -> Node {
        match choice {
            0..=1 => self.leaf(ty),
            2 => self.branching(ty),
            3 if self.may_await => self.awaited(ty),
            4 => self.helper_call(ty).unwrap_or_else(|| self.awaited(ty)),
            _ => self.of_type(ty),
        }
    }

    /// Runs `body` as what writes a part of an expression.
    pub(in crate::generate) fn within_expression<T>(
        &mut self,
        body: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = self.expression;
        self.expression = Some(outer.unwrap_or_else(|| self.scope.enter()));
        let value = body(self);
        self.expression = outer;
        value
    }

    /// A local or a literal.
    pub(super) fn leaf(&mut self, ty: Ty) -> Node {
        if self.rng.chance(75)
            && let Some(node) = self.local(ty)
        {
            return node;
        }
        match ty {
            Ty::Int => {
                let number = self.rng.below(20).to_string();
                Node::expr(ty, &number, vec![])
            }
            Ty::Text => {
                let text = self.word();
                Node::expr(ty, &format!("String::from(\"{text}\")"), vec![])
            }
            Ty::Str => {
                let text = self.word();
                Node::expr(ty, &format!("\"{text}\""), vec![])
            }
            Ty::List => Node::expr(ty, "vec![4, 5]", vec![]),
            Ty::Array => Node::expr(ty, "[3, 1, 2]", vec![]),
            Ty::Maybe => Node::expr(ty, "Some(3_i64)", vec![]),
            Ty::Shape => Node::expr(ty, "Shape::Rect(2, 3)", vec![]),
            Ty::Noisy => {
                self.names += 1;
                Node::expr(ty, &format!("Noisy::new(\"noisy {}\")", self.names), vec![])
            }
            Ty::Noisies => {
                let a = self.leaf(Ty::Noisy);
                Node::expr(ty, "vec![$, Noisy::new(\"last\")]", vec![a])
            }
            Ty::Duo => {
                let a = self.leaf(Ty::Noisy);
                Node::expr(ty, "($, Noisy::new(\"second\"))", vec![a])
            }
            _ => Node::expr(ty, ty.literal(), vec![]),
        }
    }

    fn word(&mut self) -> &'static str {
        self.rng.pick(&["a", "bc", "def", "1", "42", "long text", "Upper", ""])
    }

    /// A use of a local: a copy, a move or a clone.
    fn local(&mut self, ty: Ty) -> Option<Node> {
        if !ty.is_copy()
            && (!ty.is_clone() || self.rng.chance(50))
            && let Some(index) = self.scope.find(ty, Use::Move, &mut self.rng)
        {
            let name = self.scope.var(index).name.clone();
            self.scope.moved(index);
            return Some(Node::expr(ty, &name, vec![]));
        }
        if !ty.is_clone() {
            return None;
        }
        let index = self.scope.find(ty, Use::Read, &mut self.rng)?;
        let name = &self.scope.var(index).name;
        let template = if ty.is_copy() { name.clone() } else { format!("{name}.clone()") };
        Some(Node::expr(ty, &template, vec![]))
    }

    /// A borrow of a local of this type for as long as the statement lasts.
    pub(super) fn borrowed(&mut self, ty: Ty) -> Option<String> {
        let index = self.scope.find(ty, Use::Read, &mut self.rng)?;
        self.scope.hold(index, Hold::Shared);
        Some(self.scope.var(index).name.clone())
    }

    /// A block with statements and a value.
    pub(super) fn block(&mut self, ty: Ty) -> Node {
        self.scoped(|this| {
            let count = this.rng.below(3);
            let statements = this.statements(count);
            let value = this.expr(ty);
            Node::expr(ty, "{\n$$\n}", vec![statements, value])
        })
    }

    /// An expression that only this type has.
    fn of_type(&mut self, ty: Ty) -> Node {
        match ty {
            Ty::Int => self.int(),
            Ty::Bool => self.bool(),
            Ty::Char => self.char(),
            Ty::Text => self.text(),
            Ty::List => self.list(),
            Ty::Texts => self.texts(),
            Ty::Array => self.array(),
            Ty::Maybe => self.maybe(),
            Ty::MaybeText => self.maybe_text(),
            Ty::Pair => self.pair(),
            Ty::Map => self.map(),
            Ty::Order => self.order(),
            Ty::Shape => self.shape(),
            Ty::Boxed => self.boxed(),
            Ty::Outcome => self.outcome(),
            Ty::Fetched => self.fetched(),
            Ty::Failing => self.failing(),
            Ty::Noisy => self.noisy_value(),
            Ty::Noisies => self.noisies(),
            Ty::MaybeNoisy => self.maybe_noisy(),
            Ty::Duo => self.duo(),
            Ty::Unit | Ty::Str | Ty::Param => self.leaf(ty),
        }
    }

    /// An expression of this type with these in it.
    pub(super) fn of(&mut self, ty: Ty, template: &str, types: &[Ty]) -> Node {
        let nodes = types
            .iter()
            .map(|ty| if *ty == Ty::Str { self.str_argument() } else { self.expr(*ty) })
            .collect();
        Node::expr(ty, template, nodes)
    }

    /// One of several such expressions.
    fn one_of(&mut self, ty: Ty, choices: &[(&str, &[Ty])]) -> Node {
        let (template, types) = self.rng.pick(choices);
        self.of(ty, template, types)
    }
}

/// The two alternatives of a choice.
pub(super) fn two(nodes: Vec<Node>) -> [Node; 2] {
    nodes.try_into().expect("two alternatives were made")
}
