//! Expressions of every type, with awaits in every position.

use super::scope::{Capture, Hold, Use};
use super::{Generator, Node, Question, Ty};

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
        let node = match self.rng.below(10) {
            0..=1 => self.leaf(ty),
            2 => self.branching(ty),
            3 if self.may_await => self.awaited(ty),
            4 if self.may_await => self.helper_call(ty).unwrap_or_else(|| self.awaited(ty)),
            _ => self.of_type(ty),
        };
        self.nesting -= 1;
        node
    }

    /// A local or a literal.
    fn leaf(&mut self, ty: Ty) -> Node {
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
            Ty::Maybe => Node::expr(ty, "Some(3_i64)", vec![]),
            Ty::Shape => Node::expr(ty, "Shape::Rect(2, 3)", vec![]),
            Ty::Noisy => {
                self.names += 1;
                Node::expr(ty, &format!("Noisy::new(\"noisy {}\")", self.names), vec![])
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
            && self.rng.chance(50)
            && let Some(index) = self.scope.find(ty, Use::Move, &mut self.rng)
        {
            let name = self.scope.var(index).name.clone();
            self.scope.moved(index);
            return Some(Node::expr(ty, &name, vec![]));
        }
        if ty == Ty::Noisy {
            return None;
        }
        let index = self.scope.find(ty, Use::Read, &mut self.rng)?;
        let name = &self.scope.var(index).name;
        let template = if ty.is_copy() { name.clone() } else { format!("{name}.clone()") };
        Some(Node::expr(ty, &template, vec![]))
    }

    /// A borrow of a local of this type for as long as the statement lasts.
    fn borrowed(&mut self, ty: Ty) -> Option<String> {
        let index = self.scope.find(ty, Use::Read, &mut self.rng)?;
        self.scope.hold(index, Hold::Shared);
        Some(self.scope.var(index).name.clone())
    }

    /// An expression of type `&str` for an argument.
    pub(super) fn str_argument(&mut self) -> Node {
        match self.rng.below(4) {
            0 => {
                if let Some(name) = self.borrowed(Ty::Text) {
                    return Node::expr(Ty::Str, &format!("&{name}"), vec![]);
                }
            }
            1 => {
                if let Some(name) = self.borrowed(Ty::Order) {
                    return Node::expr(Ty::Str, &format!("&{name}.customer"), vec![]);
                }
            }
            2 => return self.leaf(Ty::Str),
            _ => {}
        }
        let text = self.expr(Ty::Text);
        Node::expr(Ty::Str, "&$", vec![text])
    }

    /// An expression of type `&[i64]` for an argument.
    fn list_argument(&mut self) -> Node {
        if self.rng.chance(50)
            && let Some(name) = self.borrowed(Ty::List)
        {
            return Node::expr(Ty::Unit, &format!("&{name}"), vec![]);
        }
        let list = self.expr(Ty::List);
        Node::expr(Ty::Unit, "&$", vec![list])
    }

    fn order_argument(&mut self) -> Node {
        if let Some(name) = self.borrowed(Ty::Order) {
            return Node::expr(Ty::Unit, &format!("&{name}"), vec![]);
        }
        let order = self.expr(Ty::Order);
        Node::expr(Ty::Unit, "&$", vec![order])
    }

    /// The call of an activity that gives this type, not awaited. `None` for types that none gives.
    pub(super) fn activity(&mut self, ty: Ty) -> Option<Node> {
        Some(match ty {
            Ty::Int => match self.rng.below(6) {
                0 => {
                    let (a, b) = (self.expr(Ty::Int), self.expr(Ty::Int));
                    Node::expr(Ty::Unit, "add($, $)", vec![a, b])
                }
                1 => {
                    let list = self.list_argument();
                    Node::expr(Ty::Unit, "total($)", vec![list])
                }
                2 => {
                    let order = self.order_argument();
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
                    let key = self.str_argument();
                    Node::expr(Ty::Unit, "fetch($)", vec![key])
                }
            }
            Ty::List => self.call_with_int("list"),
            Ty::Texts => {
                let text = self.str_argument();
                Node::expr(Ty::Unit, "words($)", vec![text])
            }
            Ty::Maybe => {
                let key = self.str_argument();
                Node::expr(Ty::Unit, "lookup($)", vec![key])
            }
            Ty::MaybeText => self.call_with_int("find"),
            Ty::Pair => self.call_with_int("pair"),
            Ty::Map => self.call_with_int("table"),
            Ty::Order => self.call_with_int("order"),
            Ty::Shape => self.call_with_int("shape"),
            Ty::Outcome => self.call_with_int("try_act"),
            Ty::Str | Ty::Noisy => return None,
        })
    }

    fn call_with_int(&mut self, name: &str) -> Node {
        let argument = self.expr(Ty::Int);
        Node::expr(Ty::Unit, &format!("{name}($)"), vec![argument])
    }

    /// An awaited activity.
    pub(super) fn awaited(&mut self, ty: Ty) -> Node {
        match self.activity(ty) {
            Some(call) => Node::expr(ty, "$.await", vec![call]),
            None => self.leaf(ty),
        }
    }

    /// An inline call of a workflow, not awaited.
    pub(super) fn inline_call(&mut self, ty: Ty) -> Option<(Node, bool)> {
        let fitting: Vec<usize> =
            (0..self.helpers.len()).filter(|index| self.helpers[*index].returns == ty).collect();
        if fitting.is_empty() || self.loops > 1 {
            return None;
        }
        let helper = self.helpers[self.rng.pick(&fitting)].clone();
        let template = vec!["$"; helper.parameters.len()];
        let arguments = helper.parameters.iter().map(|ty| self.expr(*ty)).collect();
        let call = format!("{}({})", helper.name, template.join(", "));
        Some((Node::expr(Ty::Unit, &call, arguments), helper.boxed))
    }

    fn helper_call(&mut self, ty: Ty) -> Option<Node> {
        let (call, _) = self.inline_call(ty)?;
        Some(Node::expr(ty, "$.await", vec![call]))
    }

    /// A construct that can have any type.
    fn branching(&mut self, ty: Ty) -> Node {
        match self.rng.below(12) {
            0 | 1 => {
                let condition = self.expr(Ty::Bool);
                let arms = self.alternatives(2, |this, _| this.block(ty));
                let [yes, no] = two(arms);
                Node::expr(ty, "if $ $ else $", vec![condition, yes, no])
            }
            2 | 3 => self.matching(ty),
            4 => {
                let block = self.block(ty);
                Node::expr(ty, "$", vec![block])
            }
            5 if ty != Ty::Noisy => self.loop_with_value(ty),
            6 if ty != Ty::Noisy => self.labeled_block(ty),
            7 if self.may_await => self.select_value(ty),
            8 if self.may_await => self.join_value(ty),
            9 => {
                let maybe = self.expr(Ty::Maybe);
                let arms = self.alternatives(2, |this, index| {
                    let mark = this.scope.enter();
                    if index == 0 {
                        this.scope.declare("found".into(), Ty::Int, false, true);
                    }
                    let block = this.block(ty);
                    this.scope.leave(mark);
                    block
                });
                let [some, none] = two(arms);
                Node::expr(ty, "if let Some(found) = $ $ else $", vec![maybe, some, none])
            }
            10 => {
                let value = self.expr(ty);
                Node::expr(ty, "{ let value = $; value }", vec![value])
            }
            _ if !matches!(ty, Ty::Noisy | Ty::Str) => {
                let value = self.expr(ty);
                Node::expr(ty, "note($)", vec![value])
            }
            _ => self.leaf(ty),
        }
    }

    /// A block with statements and a value.
    pub(super) fn block(&mut self, ty: Ty) -> Node {
        let mark = self.scope.enter();
        let count = self.rng.below(3);
        let statements = self.statements(count);
        let value = self.expr(ty);
        self.scope.leave(mark);
        Node::expr(ty, "{\n$$\n}", vec![statements, value])
    }

    /// An expression that only this type has.
    fn of_type(&mut self, ty: Ty) -> Node {
        match ty {
            Ty::Int => self.int(),
            Ty::Bool => self.bool(),
            Ty::Text => self.text(),
            Ty::List => self.list(),
            Ty::Texts => {
                let (a, b) = (self.expr(Ty::Text), self.expr(Ty::Text));
                Node::expr(ty, "vec![$, $]", vec![a, b])
            }
            Ty::Maybe => self.maybe(),
            Ty::MaybeText => {
                let text = self.expr(Ty::Text);
                Node::expr(ty, "Some($)", vec![text])
            }
            Ty::Pair => {
                let (a, b) = (self.expr(Ty::Int), self.expr(Ty::Text));
                Node::expr(ty, "($, $)", vec![a, b])
            }
            Ty::Map => {
                let (key, value) = (self.expr(Ty::Text), self.expr(Ty::Int));
                Node::expr(ty, "BTreeMap::from([($, $)])", vec![key, value])
            }
            Ty::Order => {
                let (customer, id) = (self.expr(Ty::Text), self.expr(Ty::Int));
                let order = self.expr(Ty::Order);
                Node::expr(ty, "(Order { customer: $, id: $, ..$ })", vec![customer, id, order])
            }
            Ty::Shape => self.shape(),
            Ty::Outcome => {
                let value = self.expr(Ty::Int);
                Node::expr(ty, "Ok::<i64, ActivityError<Refused>>($)", vec![value])
            }
            Ty::Noisy => {
                let text = self.expr(Ty::Text);
                Node::expr(ty, "Noisy::new($)", vec![text])
            }
            Ty::Char | Ty::Unit | Ty::Str => self.leaf(ty),
        }
    }

    fn int(&mut self) -> Node {
        let ty = Ty::Int;
        match self.rng.below(20) {
            0..=2 => {
                let operator = self.rng.pick(&["+", "-", "^", "|"]);
                let (a, b) = (self.expr(ty), self.expr(ty));
                Node::expr(ty, &format!("($ {operator} $)"), vec![a, b])
            }
            3 => {
                let (a, b) = (self.expr(ty), self.expr(ty));
                Node::expr(ty, "(($ % 100) * ($ % 10))", vec![a, b])
            }
            4 => {
                let a = self.expr(ty);
                Node::expr(ty, "-($)", vec![a])
            }
            5 => {
                let text = self.expr(Ty::Text);
                Node::expr(ty, "($.len() as i64)", vec![text])
            }
            6 => {
                let list = self.expr(Ty::List);
                Node::expr(ty, "$.into_iter().sum::<i64>()", vec![list])
            }
            7 => {
                let (maybe, other) = (self.expr(Ty::Maybe), self.expr(ty));
                Node::expr(ty, "$.unwrap_or($)", vec![maybe, other])
            }
            8 => {
                let (a, b, c) = (self.expr(ty), self.expr(ty), self.expr(ty));
                Node::expr(ty, "[$, $][i64::rem_euclid($, 2) as usize]", vec![a, b, c])
            }
            9 => {
                let pair = self.expr(Ty::Pair);
                Node::expr(ty, "$.0", vec![pair])
            }
            10 => {
                let order = self.expr(Ty::Order);
                let field = self.rng.pick(&["id", "lines.len() as i64"]);
                Node::expr(ty, &format!("({{ $ }}.{field})"), vec![order])
            }
            11 => {
                let (a, b) = (self.expr(ty), self.expr(ty));
                let method = self.rng.pick(&["max", "min", "wrapping_add"]);
                Node::expr(ty, &format!("i64::{method}($, $)"), vec![a, b])
            }
            12 => {
                let condition = self.expr(Ty::Bool);
                Node::expr(ty, "i64::from($)", vec![condition])
            }
            13 if self.may_exit && self.question == Question::Outcomes => {
                let outcome = self.expr(Ty::Outcome);
                Node::expr(ty, "$?", vec![outcome])
            }
            13 if self.may_exit && self.question == Question::Options => {
                let maybe = self.expr(Ty::Maybe);
                Node::expr(ty, "$?", vec![maybe])
            }
            14 => {
                let (outcome, other) = (self.expr(Ty::Outcome), self.expr(ty));
                Node::expr(ty, "$.unwrap_or($)", vec![outcome, other])
            }
            15 => self.closure_call(),
            16 => {
                if let Some(name) = self.borrowed(Ty::List) {
                    let index = self.expr(ty);
                    let template =
                        format!("{name}.get(i64::rem_euclid($, 3) as usize).copied().unwrap_or(1)");
                    return Node::expr(ty, &template, vec![index]);
                }
                self.leaf(ty)
            }
            17 => {
                if let Some(name) = self.borrowed(Ty::Map) {
                    return Node::expr(ty, &format!("{name}.values().sum::<i64>()"), vec![]);
                }
                self.leaf(ty)
            }
            18 => {
                let c = self.expr(Ty::Char);
                Node::expr(ty, "($ as i64)", vec![c])
            }
            _ => {
                let (count, sku) = (self.expr(ty), self.expr(Ty::Text));
                Node::expr(ty, "(Line { count: $, sku: $ }).count", vec![count, sku])
            }
        }
    }

    fn closure_call(&mut self) -> Node {
        let mark = self.scope.enter();
        let outer = self.scope.begin_capture(Capture::Read);
        let targets = std::mem::take(&mut self.targets);
        let returns = self.returns.take();
        self.scope.declare("x".into(), Ty::Int, false, true);
        let body = self.without_await(|this| {
            this.without_exit(|this| this.perhaps(|this| this.expr(Ty::Int)))
        });
        self.targets = targets;
        self.returns = returns;
        self.scope.leave(mark);
        self.scope.end_capture(outer);
        let argument = self.expr(Ty::Int);
        Node::expr(Ty::Int, "(|x: i64| $)($)", vec![body, argument])
    }

    fn bool(&mut self) -> Node {
        let ty = Ty::Bool;
        match self.rng.below(9) {
            0..=2 => {
                let operator = self.rng.pick(&["<", ">", "==", "<="]);
                let (a, b) = (self.expr(Ty::Int), self.expr(Ty::Int));
                Node::expr(ty, &format!("(($) {operator} ($))"), vec![a, b])
            }
            3 | 4 => {
                let operator = self.rng.pick(&["&&", "||"]);
                let a = self.expr(ty);
                let b = self.perhaps(|this| this.expr(ty));
                Node::expr(ty, &format!("($ {operator} $)"), vec![a, b])
            }
            5 => {
                let a = self.expr(ty);
                Node::expr(ty, "!($)", vec![a])
            }
            6 => {
                let shape = self.expr(Ty::Shape);
                let pattern = self.rng.pick(&[
                    "Shape::Point",
                    "Shape::Circle { .. }",
                    "Shape::Rect(2..=5, _) | Shape::Point",
                    "Shape::Circle { radius } if radius > 2",
                ]);
                Node::expr(ty, &format!("matches!($, {pattern})"), vec![shape])
            }
            7 => {
                let maybe = self.expr(Ty::MaybeText);
                let method = self.rng.pick(&["is_some", "is_none"]);
                Node::expr(ty, &format!("$.{method}()"), vec![maybe])
            }
            _ => {
                let (a, b) = (self.expr(Ty::Text), self.expr(Ty::Text));
                Node::expr(ty, "($ == $)", vec![a, b])
            }
        }
    }

    fn text(&mut self) -> Node {
        let ty = Ty::Text;
        match self.rng.below(10) {
            0 | 1 => {
                let (a, b) = (self.expr(Ty::Int), self.expr(ty));
                let template = self.rng.pick(&[
                    "format!(\"{}-{}\", { $ }, $)",
                    "format!(\"{0}{b:?}{0}\", { $ }, b = $)",
                ]);
                Node::expr(ty, template, vec![a, b])
            }
            2 => {
                if let Some(name) = self.borrowed(Ty::Int) {
                    let text = self.expr(ty);
                    return Node::expr(ty, &format!("format!(\"{{{name}}}:{{}}\", $)"), vec![text]);
                }
                self.leaf(ty)
            }
            3 => {
                let number = self.expr(Ty::Int);
                Node::expr(ty, "($).to_string()", vec![number])
            }
            4 => {
                let maybe = self.expr(Ty::MaybeText);
                Node::expr(ty, "$.unwrap_or_default()", vec![maybe])
            }
            5 => {
                let (a, b) = (self.expr(ty), self.str_argument());
                Node::expr(ty, "($ + $)", vec![a, b])
            }
            6 => {
                let pair = self.expr(Ty::Pair);
                Node::expr(ty, "$.1", vec![pair])
            }
            7 => {
                let list = self.expr(Ty::List);
                Node::expr(ty, "format!(\"{:?}\", $)", vec![list])
            }
            8 => {
                let texts = self.expr(Ty::Texts);
                Node::expr(ty, "$.concat()", vec![texts])
            }
            _ => {
                let order = self.expr(Ty::Order);
                Node::expr(ty, "({ $ }.customer)", vec![order])
            }
        }
    }

    fn list(&mut self) -> Node {
        let ty = Ty::List;
        match self.rng.below(5) {
            0 | 1 => {
                let (a, b) = (self.expr(Ty::Int), self.expr(Ty::Int));
                Node::expr(ty, "vec![$, $]", vec![a, b])
            }
            2 => {
                let list = self.expr(ty);
                Node::expr(
                    ty,
                    "$.into_iter().rev().map(|x| x % 50 + 1).collect::<Vec<i64>>()",
                    vec![list],
                )
            }
            3 => {
                let list = self.expr(ty);
                Node::expr(
                    ty,
                    "{ let mut items = $; items.sort(); items.dedup(); items }",
                    vec![list],
                )
            }
            _ => {
                let map = self.expr(Ty::Map);
                Node::expr(ty, "$.into_values().collect::<Vec<i64>>()", vec![map])
            }
        }
    }

    fn maybe(&mut self) -> Node {
        let ty = Ty::Maybe;
        match self.rng.below(4) {
            0 => {
                let number = self.expr(Ty::Int);
                Node::expr(ty, "Some($)", vec![number])
            }
            1 => {
                let list = self.expr(Ty::List);
                Node::expr(ty, "$.first().copied()", vec![list])
            }
            2 => {
                let outcome = self.expr(Ty::Outcome);
                Node::expr(ty, "$.ok()", vec![outcome])
            }
            _ => {
                let (condition, value) = (self.expr(Ty::Bool), self.expr(Ty::Int));
                Node::expr(ty, "($).then_some($)", vec![condition, value])
            }
        }
    }

    fn shape(&mut self) -> Node {
        let ty = Ty::Shape;
        match self.rng.below(3) {
            0 => {
                let radius = self.expr(Ty::Int);
                Node::expr(ty, "(Shape::Circle { radius: $ })", vec![radius])
            }
            1 => {
                let (a, b) = (self.expr(Ty::Int), self.expr(Ty::Int));
                Node::expr(ty, "Shape::Rect($, $)", vec![a, b])
            }
            _ => {
                let (name, inner) = (self.expr(Ty::Text), self.expr(ty));
                Node::expr(ty, "Shape::Named($, Box::new($))", vec![name, inner])
            }
        }
    }
}

/// The two alternatives of a choice.
pub(super) fn two(nodes: Vec<Node>) -> [Node; 2] {
    nodes.try_into().expect("two alternatives were made")
}
