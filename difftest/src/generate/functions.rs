//! The functions of a program: the entry, and workflows that it calls inline.

use super::scope::Scope;
use super::statements::{members, rests};
use super::{Generator, Node, Question, Ty};

/// What can be called.
#[derive(Clone, Debug)]
pub(super) struct Helper {
    /// The call, with a `$` for every argument.
    pub(super) call: String,
    /// `T` stands for any type.
    pub(super) parameters: Vec<Ty>,
    pub(super) returns: Ty,
    /// Whether a drop in it can be observed.
    pub(super) is_noisy: bool,
    /// Whether it is an ordinary function, and not a workflow.
    pub(super) is_plain: bool,
}

/// What a function is besides its name, parameters and result.
#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    /// What the body begins with.
    prologue: &'static str,
    is_nested: bool,
    generics: &'static str,
}

const GENERICS: &str =
    "<T: Serialize + serde::de::DeserializeOwned + Clone + std::fmt::Debug + 'static>";

impl Generator {
    pub(super) fn program(mut self) -> Node {
        // Generated code may do pointless things, and is often known to panic.
        let prologue = "#![allow(warnings, unconditional_panic)]\n\
             use piton::{bail, ensure};\nuse std::fmt::Write as _;";
        self.may_be_refused = self.rng.chance(12);
        let mut items = vec![Node::stmt(prologue, Vec::new())];
        for index in 0..self.rng.below(3) {
            items.push(self.helper(index));
        }
        if self.rng.chance(30) {
            items.push(self.recursive_helper());
        }
        if self.rng.chance(25) {
            items.push(self.generic_helper());
        }
        if self.rng.chance(20) {
            items.push(self.methods());
        }
        items.push(self.entry());
        for (call, declared) in [("Room::", members::ITEMS), ("Parcel::", rests::ITEMS)] {
            if items.iter().any(|item| item.to_source().contains(call)) {
                items.insert(1, Node::stmt(declared, Vec::new()));
            }
        }
        self.with_raw_names(Node::list(items))
    }

    fn entry(&mut self) -> Node {
        let returns = self.rng.pick(&[
            Ty::Int,
            Ty::Text,
            Ty::Outcome,
            Ty::Maybe,
            Ty::Pair,
            Ty::List,
            Ty::Failing,
        ]);
        self.budget = (60 + self.rng.below(120)).min(self.largest);
        self.function("program", &[Ty::Int], returns, Shape::default())
    }

    fn helper(&mut self, index: usize) -> Node {
        let count = self.rng.below(3);
        let parameters: Vec<Ty> = (0..count).map(|_| self.some_type()).collect();
        let returns = self.rng.pick(&[
            Ty::Int,
            Ty::Text,
            Ty::Outcome,
            Ty::Shape,
            Ty::Failing,
            Ty::Noisy,
            Ty::Unit,
        ]);
        let name = format!("helper{index}");
        self.budget = (20 + self.rng.below(30)).min(self.largest);
        let shape = Shape { prologue: "tick().await;", ..Shape::default() };
        let node = self.function(&name, &parameters, returns, shape);
        self.add_helper(&name, parameters, returns, &node);
        node
    }

    fn add_helper(&mut self, name: &str, parameters: Vec<Ty>, returns: Ty, node: &Node) {
        let call = format!("{name}({})", vec!["$"; parameters.len()].join(", "));
        let is_noisy = self.is_noisy(node);
        self.helpers.push(Helper { call, parameters, returns, is_noisy, is_plain: false });
    }

    fn is_noisy(&self, node: &Node) -> bool {
        let source = node.to_source();
        let calls = |helper: &Helper| {
            source.contains(helper.call.split('(').next().unwrap_or(&helper.call))
        };
        ["Noisy", "Parcel"].iter().any(|ty| source.contains(ty))
            || self.helpers.iter().any(|h| h.is_noisy && calls(h))
    }

    /// A workflow that calls itself with a smaller first parameter.
    fn recursive_helper(&mut self) -> Node {
        self.budget = 15 + self.rng.below(20);
        let returns = self.rng.pick(&[Ty::Int, Ty::Text]);
        let prologue = match returns {
            Ty::Int => {
                "if depth <= 0 { return act(7).await; }\n\
                 let below = Box::pin(recursive(depth.min(3) - 1, n)).await;"
            }
            _ => {
                "if depth <= 0 { return fetch(\"floor\").await; }\n\
                 let below = Box::pin(recursive(depth.min(3) - 1, n)).await;"
            }
        };
        self.scope = Scope::default();
        self.has_context = false;
        self.scope.declare("n", Ty::Int, false);
        self.scope.declare("below", returns, false);
        let shape = Shape { prologue, ..Shape::default() };
        let node = self.function_with("recursive", "depth: i64, n: i64", returns, shape);
        self.add_helper("recursive", vec![Ty::Int, Ty::Int], returns, &node);
        node
    }

    /// A workflow with a type parameter.
    fn generic_helper(&mut self) -> Node {
        self.budget = 20 + self.rng.below(30);
        self.has_param = true;
        self.has_context = false;
        let returns = self.rng.pick(&[Ty::Param, Ty::Param, Ty::Int, Ty::Text]);
        self.scope = Scope::default();
        self.scope.declare("n", Ty::Int, false);
        self.scope.declare("other", Ty::Param, true);
        let shape = Shape { prologue: "tick().await;", generics: GENERICS, ..Shape::default() };
        let node = self.function_with("generic", "given: T, mut other: T, n: i64", returns, shape);
        self.has_param = false;
        self.add_helper("generic", vec![Ty::Param, Ty::Param, Ty::Int], returns, &node);
        node
    }

    /// A type with workflows among its methods.
    fn methods(&mut self) -> Node {
        let returns = self.rng.pick(&[Ty::Int, Ty::Text, Ty::Maybe]);
        let shape = Shape { prologue: "tick().await;", ..Shape::default() };
        self.budget = 20 + self.rng.below(20);
        self.scope = Scope::default();
        self.has_context = false;
        self.scope.declare("n", Ty::Int, false);
        self.scope.declare("self.owner", Ty::Text, true);
        self.scope.declare("self.balance", Ty::Int, true);
        let settle = self.function_with("settle", "mut self, n: i64", returns, shape);
        self.budget = 10 + self.rng.below(10);
        self.scope = Scope::default();
        self.scope.declare("n", Ty::Int, false);
        let open = self.function_with("open", "n: i64", Ty::Int, shape);
        for (call, parameters, returns, node) in [
            (
                "(Account { owner: $, balance: $ }).settle($)",
                vec![Ty::Text, Ty::Int, Ty::Int],
                returns,
                &settle,
            ),
            ("Account::open($)", vec![Ty::Int], Ty::Int, &open),
        ] {
            let is_noisy = self.is_noisy(node);
            let call = call.to_owned();
            self.helpers.push(Helper { call, parameters, returns, is_noisy, is_plain: false });
        }
        let template = "#[derive(Clone, Debug, Serialize, Deserialize)]\n\
             pub struct Account { owner: String, balance: i64 }\n\
             impl Account {\n$}\n";
        Node::stmt(template, vec![Node::list(vec![settle, open])])
    }

    fn function(&mut self, name: &str, parameters: &[Ty], returns: Ty, shape: Shape) -> Node {
        self.scope = Scope::default();
        self.has_context = !shape.is_nested && self.rng.chance(45);
        let mut list = Vec::new();
        if self.has_context {
            list.push("cx: &Context".to_owned());
        }
        let mut has_n = false;
        for ty in parameters {
            let mutable = self.rng.chance(30);
            let is_n = *ty == Ty::Int && !has_n;
            has_n |= is_n;
            let parameter = if is_n { "n".to_owned() } else { self.fresh() };
            let mutability = if mutable { "mut " } else { "" };
            list.push(format!("{mutability}{parameter}: {}", ty.name()));
            self.scope.declare(&parameter, *ty, mutable);
        }
        self.function_with(name, &list.join(", "), returns, shape)
    }

    /// A function whose parameters are in scope already.
    fn function_with(&mut self, name: &str, parameters: &str, returns: Ty, shape: Shape) -> Node {
        self.question = Question::of(returns);
        self.returns = Some(returns);
        self.targets.clear();
        let helpers = self.helpers.len();
        // Items of the body are visible in all of it, wherever they stand.
        let item = (!shape.is_nested && self.rng.chance(25)).then(|| self.nested_item());
        let count = 3 + self.rng.below(6);
        let (outside, parameters_end) = (Scope::default().enter(), self.scope.enter());
        let mut body = vec![self.statements(count)];
        body.extend(self.reads_of_changed(outside, parameters_end));
        if let Some(item) = item {
            body.insert(self.rng.below(2), item);
        }
        let value = self.expr(returns);
        self.helpers.truncate(helpers);
        let Shape { prologue, generics, is_nested, .. } = shape;
        let attribute = if is_nested { "" } else { "#[workflow]\n" };
        let template = format!(
            "{attribute}async fn {name}{generics}({parameters}) -> {} {{\n{prologue}\n$$\n}}\n",
            returns.name()
        );
        Node::stmt(&template, vec![Node::list(body), value])
    }

    /// A function within the body of another one, which is then a helper.
    fn nested_item(&mut self) -> Node {
        let mut inner =
            Self { rng: self.rng.clone(), names: self.names, ..Self::new(self.rng.clone()) };
        inner.helpers.clone_from(&self.helpers);
        inner.may_be_refused = self.may_be_refused;
        let name = format!("inner{}", inner.fresh());
        let returns = self.rng.pick(&[Ty::Int, Ty::Text, Ty::Shape]);
        let is_plain = inner.rng.chance(30);
        inner.budget = 8 + inner.rng.below(15);
        let node = if is_plain {
            inner.scope.declare("n", Ty::Int, false);
            inner.scope.declare("text", Ty::Text, true);
            inner.may_await = false;
            inner.may_exit = false;
            let statements = inner.statements(2);
            let value = inner.expr(returns);
            let template =
                format!("fn {name}(n: i64, mut text: String) -> {} {{\n$$\n}}\n", returns.name());
            Node::stmt(&template, vec![statements, value])
        } else {
            let shape = Shape { is_nested: true, ..Shape::default() };
            if inner.rng.chance(30) {
                return self.nested_generic(inner, &name);
            }
            inner.function(&name, &[Ty::Int, Ty::Text], returns, shape)
        };
        self.rng = inner.rng;
        self.names = inner.names;
        self.add_helper(&name, vec![Ty::Int, Ty::Text], returns, &node);
        if let Some(helper) = self.helpers.last_mut() {
            helper.is_plain = is_plain;
        }
        node
    }

    /// A workflow with a type parameter within the body of another one.
    fn nested_generic(&mut self, mut inner: Self, name: &str) -> Node {
        inner.has_param = true;
        inner.scope.declare("other", Ty::Param, false);
        inner.scope.declare("n", Ty::Int, true);
        let shape = Shape { is_nested: true, generics: GENERICS, ..Shape::default() };
        let node = inner.function_with(name, "given: T, other: T, mut n: i64", Ty::Param, shape);
        self.rng = inner.rng;
        self.names = inner.names;
        self.add_helper(name, vec![Ty::Param, Ty::Param, Ty::Int], Ty::Param, &node);
        node
    }
}
