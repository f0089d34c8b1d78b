//! Locals that are empty at first, and that one branch of a loop fills while others look into them.

use crate::generate::{Generator, Node, Ty};

/// How such a local begins, how it is filled, and how that is looked into.
struct Told {
    ty: Ty,
    /// The type. The branches are blocks of their own, so rustc could not infer it.
    written: &'static str,
    first: &'static str,
    item: Ty,
    tell: &'static str,
    look: &'static str,
}

const TOLD: [Told; 5] = [
    Told {
        ty: Ty::MaybeText,
        written: "Option<String>",
        first: "None",
        item: Ty::Text,
        tell: " = Some($)",
        look: ".as_ref().is_some_and(|it| it.len() > 2)",
    },
    Told {
        ty: Ty::Maybe,
        written: "Option<i64>",
        first: "None",
        item: Ty::Int,
        tell: " = Some($)",
        look: ".is_some_and(|it| it % 2 == 0)",
    },
    Told {
        ty: Ty::Texts,
        written: "Vec<String>",
        first: "Vec::new()",
        item: Ty::Text,
        tell: ".push($)",
        look: ".last().is_some_and(|it| it.len() > 2)",
    },
    Told {
        ty: Ty::List,
        written: "Vec<i64>",
        first: "vec![]",
        item: Ty::Int,
        tell: ".push($)",
        look: ".iter().any(|it| it % 2 == 0)",
    },
    Told {
        ty: Ty::MaybeNoisy,
        written: "Option<Noisy>",
        first: "None",
        item: Ty::Noisy,
        tell: " = Some($)",
        look: ".as_ref().is_some_and(|it| it.name().len() > 2)",
    },
];

impl Generator {
    /// A local that one branch of a loop fills, and the branches after it look into.
    pub(super) fn told_in_a_branch(&mut self) -> Node {
        let most = if self.scope.is_quiet() { 4 } else { 5 };
        let Told { ty, written, first, item, tell, look } = &TOLD[self.rng.below(most)];
        let (label, name, counter) = (self.label(), self.fresh(), self.fresh());
        let branches = self.in_loop(&label, Ty::Unit, |this| {
            this.alternatives(3, |this, index| {
                this.scoped(|this| {
                    // It is not moved, because the loop goes on.
                    if index > 0 {
                        this.scope.declare_borrowed(&name, *ty, true);
                    }
                    let body = this.body(2);
                    if index > 0 {
                        return Node::stmt("{\n$}", vec![body]);
                    }
                    let told = this.expr(*item);
                    Node::stmt(&format!("{{\n{{\n$}}\n{name}{tell};\n}}"), vec![body, told])
                })
            })
        });
        self.scope.declare(&name, *ty, true);
        let looks = format!("{name}{look}");
        let choice = match self.rng.below(3) {
            0 => format!("if {counter} % 2 == 0 $ else if {looks} $ else $"),
            1 => format!("if !{counter}.is_positive() $ else if let true = {looks} $ else $"),
            _ => format!("match {counter} % 3 {{ 0 => $ 1 if {looks} => $ _ => $ }}"),
        };
        // What branches change is read after them.
        let template = format!(
            "let mut {name}: {written} = {first};\n{label}: for {counter} in 0_i64..4 {{\n{choice}\n}}\n\
             note(format!(\"{{:?}}\", {name}));"
        );
        Node::stmt(&template, branches)
    }
}
