//! `select!`, `join!` and what may stand in them.

use super::scope::Capture;
use super::{Generator, Node, Question, Target, Ty};

impl Generator {
    /// An operation for a branch that gives this type, which is not that of a literal or a borrow.
    fn branch(&mut self, ty: Ty) -> Node {
        if self.rng.chance(35) && self.nesting < 4 {
            return self.async_block(ty);
        }
        let call = self.without_await(|this| {
            this.without_exit(|this| match this.rng.below(3) {
                0 => this.inline_call(ty).map(|(call, _)| call).or_else(|| this.activity(ty)),
                _ => this.activity(ty),
            })
        });
        call.unwrap_or_else(|| self.async_block(ty))
    }

    /// An `async` block.
    fn async_block(&mut self, ty: Ty) -> Node {
        let (capture, template) = if self.rng.chance(30) {
            (Capture::Move, "async move {\n$$\n}")
        } else {
            (Capture::Borrow, "async {\n$$\n}")
        };
        let mark = self.scope.enter();
        let outside = self.scope.begin_capture(capture);
        let targets: Vec<Target> = std::mem::take(&mut self.targets);
        let question = match ty {
            Ty::Outcome => Question::Outcomes,
            Ty::Maybe => Question::Options,
            _ => Question::Nothing,
        };
        let question = std::mem::replace(&mut self.question, question);
        let returns = self.returns.replace(ty);
        let may_await = std::mem::replace(&mut self.may_await, true);
        let may_exit = std::mem::replace(&mut self.may_exit, true);
        let node = self.perhaps(|this| {
            let count = this.rng.below(3);
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

    /// A `select!` that gives this type.
    pub(super) fn select_value(&mut self, ty: Ty) -> Node {
        let count = 2 + self.rng.below(2);
        let mark = self.scope.enter();
        let mut operations = Vec::new();
        let mut patterns: Vec<(String, Vec<(String, Ty)>)> = Vec::new();
        for _ in 0..count {
            let (operation, pattern, bound) = self.arm();
            operations.push(operation);
            patterns.push((pattern, bound));
        }
        self.scope.release(mark);
        let bodies = self.alternatives(count, |this, index| {
            let mark = this.scope.enter();
            for (name, ty) in &patterns[index].1 {
                this.scope.declare(name.clone(), *ty, false, true);
            }
            let body = this.block(ty);
            this.scope.leave(mark);
            body
        });
        let mut template = String::from("select! {\n");
        let mut nodes = Vec::new();
        for ((operation, body), (pattern, _)) in operations.into_iter().zip(bodies).zip(&patterns) {
            template.push_str(&format!("{pattern} = $ => $\n"));
            nodes.extend([operation, body]);
        }
        template.push('}');
        Node::expr(ty, &template, nodes)
    }

    /// The operation of an arm, its pattern and what that binds.
    fn arm(&mut self) -> (Node, String, Vec<(String, Ty)>) {
        let operation = |text: &str| Node::expr(Ty::Unit, text, vec![]);
        match self.rng.below(7) {
            0 if self.has_context => {
                let seconds = self.rng.below(40);
                (operation(&format!("cx.sleep(seconds({seconds}))")), "_".to_owned(), vec![])
            }
            1 if self.has_context => {
                let name = self.fresh();
                let bound = vec![(name.clone(), Ty::Int)];
                (operation("cx.signal::<Bump>()"), format!("Bump({name})"), bound)
            }
            2 if self.has_context => {
                let name = self.fresh();
                let bound = vec![(name.clone(), Ty::Text)];
                (operation("cx.signal()"), format!("Approve {{ by: {name} }}"), bound)
            }
            3 => {
                let branch = self.branch(Ty::Pair);
                let (a, b) = (self.fresh(), self.fresh());
                (branch, format!("({a}, {b})"), vec![(a, Ty::Int), (b, Ty::Text)])
            }
            _ => {
                let ty = self.rng.pick(&Ty::VALUES);
                let branch = self.branch(ty);
                let name = self.fresh();
                (branch, name.clone(), vec![(name, ty)])
            }
        }
    }

    /// A `join!` or `try_join!` one of whose values has this type.
    pub(super) fn join_value(&mut self, ty: Ty) -> Node {
        // What a branch of `join!` gives is saved, and so no borrow.
        if ty == Ty::Str {
            return self.block(ty);
        }
        if ty == Ty::Int && self.may_exit && self.question == Question::Outcomes {
            let (a, b) = (self.branch(Ty::Outcome), self.branch(Ty::Outcome));
            return Node::expr(ty, "try_join!($, $)?.1", vec![a, b]);
        }
        let other = self.rng.pick(&Ty::VALUES);
        let (a, b) = (self.branch(ty), self.branch(other));
        if self.rng.chance(50) {
            Node::expr(ty, "join!($, $).0", vec![a, b])
        } else {
            Node::expr(ty, "{ let (_, joined) = join!($, $); joined }", vec![b, a])
        }
    }
}
