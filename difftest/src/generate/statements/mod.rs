//! Statements.

mod bindings;
mod borrows;
mod changes;
mod exits;
mod keyed;
mod lent_items;
mod loops;
pub(super) mod members;
mod ranges;
pub(super) mod rests;
mod told;

use super::scope::Mark;
use super::{Generator, Node, Question, Ty};

impl Generator {
    /// About `count` statements.
    pub(super) fn statements(&mut self, count: usize) -> Node {
        let mut list = Vec::new();
        let began = self.scope.enter();
        for _ in 0..count {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            self.nesting += 1;
            let mark = self.scope.enter();
            let (node, keeps) = self.statement();
            // What a statement borrows is free again after it, but for borrows that it binds.
            if !keeps {
                self.scope.release(mark);
            }
            self.nesting -= 1;
            list.push(node);
        }
        let ended = self.scope.enter();
        list.extend(self.reads_of_changed(began, ended));
        Node::list(list)
    }

    /// Reads what branches have changed of what was declared between the marks.
    pub(super) fn reads_of_changed(&self, from: Mark, to: Mark) -> Vec<Node> {
        let changed = self.scope.changed_in_branches(from, to);
        let read = |name: String| format!("note(format!(\"{{:?}}\", {name}));");
        changed.into_iter().map(|name| Node::stmt(&read(name), vec![])).collect()
    }

    /// A statement, and whether its borrow continues.
    fn statement(&mut self) -> (Node, bool) {
        let node = match self.rng.below(54) {
            0..=5 => self.declaration(),
            6 | 7 => self.destructuring(),
            8 | 9 => self.assignment(),
            10..=14 => self.change(),
            15..=18 => self.conditional(),
            19..=22 => self.repetition(),
            23 | 24 => self.leaving(),
            25 | 26 => self.deferred(),
            27 => self.move_and_refill(),
            28 | 29 => self.refill(),
            30 | 31 => return self.let_else(),
            32 | 33 => return (self.kept_borrow(), true),
            34 | 35 => self.noisy(),
            36 if self.may_await && self.has_context => {
                let seconds = self.rng.below(30);
                Node::stmt(&format!("cx.sleep(seconds({seconds})).await;"), vec![])
            }
            37 => {
                let statements = self.body(3);
                Node::stmt("{\n$}", vec![statements])
            }
            38 => self.local_item(),
            39 if self.may_await => {
                let value = self.select_value(Ty::Unit);
                Node::stmt("$", vec![value])
            }
            40 => self.assertion(),
            44 => self.gathering(),
            45 => self.held_closure(),
            46 if self.loops < loops::MAX_LOOPS => self.told_in_a_branch(),
            47 | 48 => self.keyed(),
            49 if self.loops < loops::MAX_LOOPS => self.driven_range(),
            50 if self.may_await => self.members(),
            51 | 52 if self.may_await && !self.scope.is_quiet() => self.rest(),
            41 => {
                let value = self.matching(Ty::Unit);
                Node::stmt("$", vec![value])
            }
            _ => {
                let ty = self.some_type();
                let value = self.expr(ty);
                let template = self.rng.pick(&["note($);", "note($);", "let _ = $;", "_ = $;"]);
                Node::stmt(template, vec![value])
            }
        };
        (node, false)
    }

    /// Up to `most` statements in a scope of their own.
    fn body(&mut self, most: usize) -> Node {
        self.scoped(|this| {
            let count = 1 + this.rng.below(most);
            this.statements(count)
        })
    }

    fn conditional(&mut self) -> Node {
        let (template, nodes) = self.chain(false, &mut |this| {
            let body = this.body(3);
            Node::stmt("{\n$}", vec![body])
        });
        Node::stmt(&template, nodes)
    }

    fn assertion(&mut self) -> Node {
        let may_fail = self.may_exit && self.question == Question::Everything;
        match self.rng.below(4) {
            0 | 1 if may_fail => {
                let (number, text) = (self.expr(Ty::Int), self.perhaps(|t| t.expr(Ty::Text)));
                Node::stmt("ensure!($ % 5 != 4, \"left: {}\", $);", vec![number, text])
            }
            0 => {
                let condition = self.expr(Ty::Bool);
                Node::stmt("assert!($ || true, \"never\");", vec![condition])
            }
            1 => {
                let number = self.expr(Ty::Int);
                Node::stmt(
                    "assert_eq!(i64::rem_euclid($, 1), 0, \"a whole number\");",
                    vec![number],
                )
            }
            2 => {
                let (a, b) = (self.expr(Ty::Text), self.expr(Ty::Text));
                Node::stmt("assert_ne!($ + \"a\", $ + \"b\");", vec![a, b])
            }
            _ => {
                let condition = self.expr(Ty::Bool);
                Node::stmt("debug_assert!(matches!($, true | false));", vec![condition])
            }
        }
    }
}
