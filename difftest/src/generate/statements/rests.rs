//! Struct updates from a value that has been moved out of in part.

use crate::generate::{Generator, Node, Ty};

/// The type. Every program that names it has it.
pub(in crate::generate) const ITEMS: &str = "\
#[derive(Serialize, Deserialize)]
pub struct Parcel { label: String, seal: Noisy, lid: Noisy, goods: Vec<i64> }
impl Parcel {
fn new(label: String) -> Self {
Self { label, seal: Noisy::new(\"seal\"), lid: Noisy::new(\"lid\"), goods: vec![1, 2] }
}
fn weigh(&self) -> i64 { self.goods.len() as i64 }
}
";

/// What takes parts of a parcel `~` by new names `#` and `%`, what gets the rest as `^`, and what each `$` is. No part
/// that shows its drop is taken, since a copy of it would be dropped, too. Control does not leave before all has been
/// used, since the rest may be dropped early.
type Form = ((&'static str, &'static [Ty]), (&'static str, &'static [Ty]));

const FORMS: [Form; 6] = [
    (
        ("let # = ~.goods;", &[]),
        ("let ^ = Parcel { goods: $, label: $, ..~ };", &[Ty::List, Ty::Text]),
    ),
    (
        ("let Parcel { goods: #, label: %, .. } = ~;", &[]),
        ("let ^ = Parcel { label: $, goods: note($), ..~ };", &[Ty::Text, Ty::List]),
    ),
    (
        ("for # in ~.goods {\nnote(act(#).await);\n}", &[]),
        ("~ = Parcel { label: String::new(), goods: $, ..~ };\nlet ^ = ~;", &[Ty::List]),
    ),
    (
        ("note(~.weigh());\ndrop(~.label);", &[]),
        ("let ^ = Parcel { goods: vec![$], label: $, ..~ };", &[Ty::Int, Ty::Text]),
    ),
    (
        ("let #;\nif $ {\n# = Some(~.label);\ntick().await;\n} else {\n# = None;\n}", &[Ty::Bool]),
        ("let ^ = Parcel { label: $, ..~ };", &[Ty::Text]),
    ),
    (
        (
            "match $ {\n0..=9 => drop(~.goods),\n_ => {\ntick().await;\ndrop(~.label);\n}\n}",
            &[Ty::Int],
        ),
        ("let ^ = Parcel { label: $, goods: Vec::new(), ..~ };", &[Ty::Text]),
    ),
];

impl Generator {
    /// A parcel, what is taken out of it, and what gets the rest.
    pub(super) fn rest(&mut self) -> Node {
        let names: Vec<String> = (0..4).map(|_| self.fresh()).collect();
        let ((taking, taken), (giving, given)) = self.rng.pick(&FORMS);
        let mut nodes = vec![self.expr(Ty::Text), self.body(2)];
        nodes.extend(taken.iter().map(|ty| self.operand(*ty)));
        nodes.push(self.without_exit(|this| this.body(3)));
        nodes.extend(given.iter().map(|ty| self.without_exit(|this| this.operand(*ty))));
        nodes.push(self.without_exit(|this| this.body(2)));
        let mutable = if giving.starts_with('~') || self.rng.chance(30) { "mut " } else { "" };
        let template = format!(
            "{{\nlet {mutable}~ = Parcel::new($);\n{{\n$}}\n{taking}\n{{\n$}}\n{giving}\n{{\n$}}\n\
             note((^.label.len(), ^.seal.name(), ^.goods));\n}}"
        );
        let template = template.replace('~', &names[0]).replace('#', &names[1]);
        Node::stmt(&template.replace('%', &names[2]).replace('^', &names[3]), nodes)
    }
}
