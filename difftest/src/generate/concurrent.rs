//! `select!`, `join!` and their contents.

use super::conditions::Bound;
use super::scope::Capture;
use super::{Generator, Node, Question, Target, Ty};

impl Generator {
    /// An operation for a branch that gives this type, which is not that of a literal or a borrow.
    fn branch(&mut self, ty: Ty) -> Node {
        if self.rng.chance(40) && self.nesting < 5 {
            return self.async_block(ty);
        }
        let call = self.without_await(|this| {
            this.without_exit(|this| match this.rng.below(3) {
                0 => this.inline_call(ty).or_else(|| this.activity(ty)),
                _ => this.activity(ty),
            })
        });
        call.unwrap_or_else(|| self.async_block(ty))
    }

    /// A branch that may be given up.
    fn losing_branch(&mut self, ty: Ty) -> Node {
        self.scope.begin_quiet();
        let node = self.branch(ty);
        self.scope.end_quiet();
        node
    }

    /// An `async` block.
    fn async_block(&mut self, ty: Ty) -> Node {
        // What has the type of a parameter is cloned from a local that must not be moved.
        let (capture, template) = if self.rng.chance(30) && !self.has_param {
            (Capture::Move, "async move {\n$$\n}")
        } else {
            (Capture::Borrow, "async {\n$$\n}")
        };
        let mark = self.scope.enter();
        let outside = self.scope.begin_capture(capture);
        let targets: Vec<Target> = std::mem::take(&mut self.targets);
        let question = std::mem::replace(&mut self.question, Question::of(ty));
        let returns = self.returns.replace(ty);
        let may_await = std::mem::replace(&mut self.may_await, true);
        let may_exit = std::mem::replace(&mut self.may_exit, true);
        let node = self.perhaps(|this| {
            let count = this.rng.below(4);
            let statements = this.statements(count);
            let value = this.awaited(ty);
            Node::expr(Ty::Unit, template, vec![statements, value])
        });
        self.may_exit = may_exit;
        self.may_await = may_await;
        self.returns = returns;
        self.question = question;
        self.targets = targets;
        self.scope.leave(mark);
        self.scope.end_capture(outside);
        node
    }

    /// An `async` block that is awaited where it stands.
    pub(super) fn awaited_block(&mut self, ty: Ty) -> Node {
        // What a block gives borrows from nothing that it may take over.
        if matches!(ty, Ty::Str | Ty::Failing) {
            return self.block(ty);
        }
        let block = self.async_block(ty);
        Node::expr(ty, "$.await", vec![block])
    }

    /// A `select!` that gives this type.
    pub(super) fn select_value(&mut self, ty: Ty) -> Node {
        let count = 2 + self.rng.below(2);
        let mark = self.scope.enter();
        let mut operations = Vec::new();
        let mut patterns: Vec<(String, Bound)> = Vec::new();
        let mut conditions = Vec::new();
        for index in 0..count {
            // One of them must be begun.
            let condition = (index > 0 && self.rng.chance(25)).then(|| self.select_condition());
            conditions.push(condition);
            let (operation, pattern, bound) = self.arm();
            operations.push(operation);
            patterns.push((pattern, bound));
        }
        self.scope.release(mark);
        let bodies = self.alternatives(count, |this, index| {
            let mark = this.scope.enter();
            this.declare_bound(&patterns[index].1);
            // The arms of a `select!` are taken apart wherever it stands.
            let expression = this.expression.take();
            let around = this.scope.begin_awaited();
            let body = if index > 0 && this.rng.chance(10) {
                this.leaving_block(ty)
            } else {
                this.block(ty)
            };
            this.scope.end_branch(around);
            this.expression = expression;
            this.scope.leave(mark);
            body
        });
        let mut template = String::from("select! {\nbiased;\n");
        let mut nodes = Vec::new();
        let arms = operations.into_iter().zip(conditions).zip(bodies).zip(&patterns);
        for (((operation, condition), body), (pattern, _)) in arms {
            let when = if condition.is_some() { ", if $" } else { "" };
            template.push_str(&format!("{pattern} = ${when} => $\n"));
            nodes.push(operation);
            nodes.extend(condition);
            nodes.push(body);
        }
        template.push('}');
        Node::expr(ty, &template, nodes)
    }

    /// Whether a branch is begun.
    fn select_condition(&mut self) -> Node {
        self.without_await(|this| {
            this.without_exit(|this| this.perhaps(|this| this.expr(Ty::Bool)))
        })
    }

    /// The operation of an arm, its pattern and what that binds.
    fn arm(&mut self) -> (Node, String, Bound) {
        let operation = |text: &str| Node::expr(Ty::Unit, text, vec![]);
        let name = self.fresh();
        match self.rng.below(8) {
            0 if self.has_context => {
                let seconds = self.rng.below(40);
                (operation(&format!("cx.sleep(seconds({seconds}))")), "_".to_owned(), vec![])
            }
            1 if self.has_context => {
                let bound = vec![(name.clone(), Ty::Int, false)];
                (operation("cx.signal::<Bump>()"), format!("Bump({name})"), bound)
            }
            2 if self.has_context => {
                let bound = vec![(name.clone(), Ty::Text, false)];
                (operation("cx.signal()"), format!("Approve {{ by: {name} }}"), bound)
            }
            3 => {
                let branch = self.losing_branch(Ty::Pair);
                let other = self.fresh();
                let pattern = format!("({name}, mut {other})");
                (branch, pattern, vec![(name, Ty::Int, false), (other, Ty::Text, true)])
            }
            4 => {
                let branch = self.losing_branch(Ty::Order);
                let pattern = format!("Order {{ customer: {name}, .. }}");
                (branch, pattern, vec![(name, Ty::Text, false)])
            }
            5 => (self.losing_branch(Ty::Text), "_".to_owned(), vec![]),
            _ => {
                let ty = self.rng.pick(&Ty::VALUES);
                let branch = self.losing_branch(ty);
                (branch, name.clone(), vec![(name, ty, false)])
            }
        }
    }

    /// A `join!` or `try_join!` one of whose values has this type.
    pub(super) fn join_value(&mut self, ty: Ty) -> Node {
        // What a branch of `join!` gives is saved, and so no borrow.
        if matches!(ty, Ty::Str | Ty::Failing) {
            return self.block(ty);
        }
        if ty == Ty::Int
            && self.may_exit
            && matches!(self.question, Question::Outcomes | Question::Everything)
        {
            let (a, b) = (self.losing_branch(Ty::Outcome), self.losing_branch(Ty::Outcome));
            return Node::expr(ty, "try_join!($, $)?.1", vec![a, b]);
        }
        let (types, template) = match self.rng.below(3) {
            0 => (vec![ty, self.some_type()], "join!($, $).0"),
            1 => (
                vec![self.some_type(), ty, self.rng.pick(&Ty::VALUES)],
                "{ let (_, joined, _) = join!($, $, $); joined }",
            ),
            _ => (vec![self.some_type(), ty], "{ let (_, joined) = join!($, $); joined }"),
        };
        // In the order in which they stand: what one of them takes, those behind it do not have.
        let branches = types.into_iter().map(|ty| self.branch(ty)).collect();
        Node::expr(ty, template, branches)
    }
}
