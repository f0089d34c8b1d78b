//! Calls of activities and of workflows, and their arguments.

use crate::generate::{Generator, Node, Ty};

impl Generator {
    /// An expression of type `&str` for an argument.
    pub(in crate::generate) fn str_argument(&mut self) -> Node {
        match self.rng.below(6) {
            0 | 1 => {
                if let Some(name) = self.borrowed(Ty::Text) {
                    return Node::expr(Ty::Str, &format!("&{name}"), vec![]);
                }
            }
            2 => {
                if let Some(name) = self.borrowed(Ty::Order) {
                    return Node::expr(Ty::Str, &format!("&{name}.customer"), vec![]);
                }
            }
            3 | 4 => return self.leaf(Ty::Str),
            _ => {}
        }
        let text = self.expr(Ty::Text);
        // A local that is used up may be given a new value meanwhile.
        let template = if text.is_path() { "&{ $ }" } else { "&$" };
        Node::expr(Ty::Str, template, vec![text])
    }

    /// A reference to a value of this type for an argument.
    fn reference(&mut self, ty: Ty) -> Node {
        if self.rng.chance(50)
            && let Some(name) = self.borrowed(ty)
        {
            return Node::expr(Ty::Unit, &format!("&{name}"), vec![]);
        }
        let value = self.expr(ty);
        let template = if value.is_path() { "&{ $ }" } else { "&$" };
        Node::expr(Ty::Unit, template, vec![value])
    }

    /// The call of an activity that gives this type, not awaited. `None` for types that none gives.
    pub(in crate::generate) fn activity(&mut self, ty: Ty) -> Option<Node> {
        Some(match ty {
            Ty::Int => match self.rng.below(6) {
                0 => {
                    let (a, b) = (self.expr(Ty::Int), self.expr(Ty::Int));
                    Node::expr(Ty::Unit, "add($, $)", vec![a, b])
                }
                1 => {
                    let list = self.reference(Ty::List);
                    Node::expr(Ty::Unit, "total($)", vec![list])
                }
                2 => {
                    let order = self.reference(Ty::Order);
                    Node::expr(Ty::Unit, "price($)", vec![order])
                }
                3 => {
                    let shape = self.expr(Ty::Shape);
                    Node::expr(Ty::Unit, "area($)", vec![shape])
                }
                _ => self.call_with_int("act"),
            },
            Ty::Bool => self.call_with_int("flag"),
            Ty::Char => self.call_with_int("letter"),
            Ty::Unit => Node::expr(Ty::Unit, "tick()", vec![]),
            Ty::Text => {
                if self.rng.chance(40) {
                    let (a, b) = (self.str_argument(), self.str_argument());
                    Node::expr(Ty::Unit, "concat($, $)", vec![a, b])
                } else {
                    self.call_with_str("fetch")
                }
            }
            Ty::List => self.call_with_int("list"),
            Ty::Texts => self.call_with_str("words"),
            Ty::Maybe => self.call_with_str("lookup"),
            Ty::MaybeText => self.call_with_int("find"),
            Ty::Pair => self.call_with_int("pair"),
            Ty::Map => self.call_with_int("table"),
            Ty::Order => self.call_with_int("order"),
            Ty::Shape => self.call_with_int("shape"),
            Ty::Outcome => self.call_with_int("try_act"),
            Ty::Fetched => self.call_with_str("try_fetch"),
            Ty::Str
            | Ty::Array
            | Ty::Boxed
            | Ty::Failing
            | Ty::Param
            | Ty::Noisy
            | Ty::Noisies
            | Ty::MaybeNoisy
            | Ty::Duo => return None,
        })
    }

    fn call_with_int(&mut self, name: &str) -> Node {
        let argument = self.expr(Ty::Int);
        Node::expr(Ty::Unit, &format!("{name}($)"), vec![argument])
    }

    fn call_with_str(&mut self, name: &str) -> Node {
        let argument = self.str_argument();
        Node::expr(Ty::Unit, &format!("{name}($)"), vec![argument])
    }

    /// An awaited activity, or an expression of its result.
    pub(in crate::generate) fn awaited(&mut self, ty: Ty) -> Node {
        if !self.may_await {
            return self.leaf(ty);
        }
        if self.has_context && self.rng.chance(5) {
            match ty {
                Ty::Int => return Node::expr(ty, "cx.signal::<Bump>().await.0", vec![]),
                Ty::Text => return Node::expr(ty, "cx.signal::<Approve>().await.by", vec![]),
                _ => {}
            }
        }
        if let Some(call) = self.activity(ty) {
            return Node::expr(ty, "$.await", vec![call]);
        }
        match ty {
            Ty::Noisy => self.of(ty, "Noisy::new(fetch($).await)", &[Ty::Str]),
            Ty::Duo => self.of(ty, "($, Noisy::new(fetch($).await))", &[Ty::Noisy, Ty::Str]),
            Ty::Noisies => {
                self.of(ty, "vec![$, Noisy::new(fetch($).await)]", &[Ty::Noisy, Ty::Str])
            }
            Ty::MaybeNoisy => self.of(ty, "find($).await.map(Noisy::new)", &[Ty::Int]),
            Ty::Boxed => self.of(ty, "Box::new(shape($).await)", &[Ty::Int]),
            Ty::Array => self.of(ty, "[act($).await, $, act($).await]", &[Ty::Int; 3]),
            Ty::Failing => self.of(ty, "Ok::<i64, Error>(act($).await)", &[Ty::Int]),
            _ => self.leaf(ty),
        }
    }

    /// A call that gives this type, of a workflow, which is not awaited, or of a function.
    fn call(&mut self, ty: Ty, is_plain: bool) -> Option<Node> {
        if self.loops > 1 {
            return None;
        }
        let is_quiet = self.scope.is_quiet();
        let fits = |returns: Ty| {
            let instance = !matches!(ty, Ty::Str | Ty::Unit | Ty::Outcome | Ty::Fetched);
            returns == ty || (returns == Ty::Param && ty.is_clone() && instance)
        };
        let fitting: Vec<usize> = (0..self.helpers.len())
            .filter(|index| {
                let helper = &self.helpers[*index];
                fits(helper.returns)
                    && helper.is_plain == is_plain
                    && !(is_quiet && helper.is_noisy)
            })
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let helper = self.helpers[self.rng.pick(&fitting)].clone();
        // The type of a type parameter in this call.
        let param = if helper.returns == Ty::Param { ty } else { self.rng.pick(&Ty::VALUES) };
        let arguments = helper
            .parameters
            .iter()
            .map(|ty| self.expr(if *ty == Ty::Param { param } else { *ty }))
            .collect();
        Some(Node::expr(Ty::Unit, &helper.call, arguments))
    }

    /// An inline call of a workflow, not awaited.
    pub(in crate::generate) fn inline_call(&mut self, ty: Ty) -> Option<Node> {
        self.call(ty, false)
    }

    pub(super) fn helper_call(&mut self, ty: Ty) -> Option<Node> {
        if !self.may_await || self.rng.chance(20) {
            let call = self.call(ty, true)?;
            return Some(Node::expr(ty, "$", vec![call]));
        }
        let call = self.inline_call(ty)?;
        let boxed = self.rng.chance(10);
        let template = if boxed { "Box::pin($).await" } else { "$.await" };
        Some(Node::expr(ty, template, vec![call]))
    }
}
