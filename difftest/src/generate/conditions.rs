//! Conditions, and patterns that may not match.

use super::{Generator, Node, Ty};

/// What a pattern binds: a name or the expression for what is lent, its type, whether it is mutable.
pub(super) type Bound = Vec<(String, Ty, bool)>;

impl Generator {
    /// A pattern that may not match, what is matched, and what it binds.
    fn refutable(&mut self) -> (String, Node, Bound) {
        if self.rng.chance(30)
            && let Some(lent) = self.lent()
        {
            return lent;
        }
        self.refutable_value()
    }

    /// The same by value.
    pub(super) fn refutable_value(&mut self) -> (String, Node, Bound) {
        let (a, b) = (self.fresh(), self.fresh());
        match self.rng.below(12) {
            0 | 1 => (format!("Some({a})"), self.expr(Ty::Maybe), vec![(a, Ty::Int, false)]),
            2 => {
                let bound = vec![(a.clone(), Ty::Text, true)];
                (format!("Some(mut {a})"), self.expr(Ty::MaybeText), bound)
            }
            3 => {
                let pattern = format!("Shape::Rect({a}, {b} @ ..=4)");
                (pattern, self.expr(Ty::Shape), vec![(a, Ty::Int, false), (b, Ty::Int, false)])
            }
            4 => {
                let pattern = format!("Shape::Named({a}, {b})");
                (pattern, self.expr(Ty::Shape), vec![(a, Ty::Text, false), (b, Ty::Boxed, false)])
            }
            5 => {
                let pattern = format!("(Shape::Circle {{ radius: {a} }} | Shape::Rect(_, {a}))");
                (pattern, self.expr(Ty::Shape), vec![(a, Ty::Int, false)])
            }
            6 => (format!("Ok({a})"), self.expr(Ty::Outcome), vec![(a, Ty::Int, false)]),
            7 => {
                let pattern = format!("Err(ActivityError::Failed(Refused {{ code: {a} }}))");
                (pattern, self.expr(Ty::Outcome), vec![(a, Ty::Int, false)])
            }
            8 => {
                let bound = vec![(a.clone(), Ty::Int, false), (b.clone(), Ty::Text, true)];
                (format!("({a} @ ..=40, mut {b})"), self.expr(Ty::Pair), bound)
            }
            9 => {
                let pattern = format!("[{a} @ (0..=9 | 50..), .., {b}]");
                (pattern, self.expr(Ty::Array), vec![(a, Ty::Int, false), (b, Ty::Int, false)])
            }
            10 => (format!("Ok({a})"), self.expr(Ty::Fetched), vec![(a, Ty::Text, false)]),
            _ if !self.scope.is_quiet() => {
                let bound = vec![(a.clone(), Ty::Noisy, false)];
                (format!("Some({a})"), self.expr(Ty::MaybeNoisy), bound)
            }
            _ => (format!("Some({a})"), self.expr(Ty::Maybe), vec![(a, Ty::Int, false)]),
        }
    }

    pub(super) fn declare_bound(&mut self, bound: &[(String, Ty, bool)]) {
        for (name, ty, mutable) in bound {
            self.scope.bind(name, *ty, *mutable);
        }
    }

    /// A condition, which may bind. What it binds is declared.
    pub(super) fn condition(&mut self) -> (String, Vec<Node>) {
        let count = match self.rng.below(10) {
            0..=5 => 1,
            6..=8 => 2,
            _ => 3,
        };
        let mut template = String::new();
        let mut nodes = Vec::new();
        for index in 0..count {
            let part = |this: &mut Self| {
                if this.rng.chance(50) {
                    return (None, this.expr(Ty::Bool));
                }
                let (pattern, value, bound) = this.refutable();
                (Some((pattern, bound)), value)
            };
            // What is before it may not hold.
            let (pattern, value) = if index == 0 {
                part(self)
            } else {
                self.within_expression(|this| this.perhaps(part))
            };
            if index > 0 {
                template.push_str(" && ");
            }
            match pattern {
                None => template.push('$'),
                Some((pattern, bound)) => {
                    self.declare_bound(&bound);
                    template.push_str(&format!("let {pattern} = $"));
                }
            }
            nodes.push(value);
        }
        (template, nodes)
    }

    /// `if`, perhaps with bindings, `else if` and `else`, around what `body` writes.
    pub(super) fn chain(
        &mut self,
        needs_else: bool,
        body: &mut dyn FnMut(&mut Self) -> Node,
    ) -> (String, Vec<Node>) {
        let mark = self.scope.enter();
        let (condition, mut nodes) = self.condition();
        let goes_on = self.rng.chance(25);
        let has_else = needs_else || goes_on || self.rng.chance(50);
        let mut template = format!("if {condition} $");
        if !has_else {
            nodes.push(self.perhaps(|this| body(this)));
            self.scope.leave(mark);
            return (template, nodes);
        }
        let arms = self.alternatives(2, |this, index| {
            if index == 0 {
                let node = body(this);
                // What the condition binds is not there otherwise.
                this.scope.leave(mark);
                return ("$".to_owned(), vec![node]);
            }
            if goes_on {
                return this.chain(needs_else, body);
            }
            ("$".to_owned(), vec![body(this)])
        });
        for (index, (text, more)) in arms.into_iter().enumerate() {
            if index == 1 {
                template.push_str(&format!(" else {text}"));
            }
            nodes.extend(more);
        }
        (template, nodes)
    }
}
