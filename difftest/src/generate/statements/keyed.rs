//! What is looked up with a key that is a variable, and held across awaits while the key stays. Behind the last
//! use of what was found the key changes.

use crate::generate::refusals::marker;
use crate::generate::scope::{Hold, Use};
use crate::generate::{Generator, Node, Ty};

/// A look-up that gives an `Option` of a reference.
#[derive(Clone, Copy)]
struct Keyed {
    of: Ty,
    mutable: bool,
    /// `@` is the local, `~` the key.
    value: &'static str,
    key: Ty,
    /// What is found is used by this, where `#` is bound to it.
    found: &'static str,
    gives: Ty,
}

const fn reads(of: Ty, value: &'static str, key: Ty, found: &'static str, gives: Ty) -> Keyed {
    Keyed { of, mutable: false, value, key, found, gives }
}

const fn changes(of: Ty, value: &'static str, key: Ty, found: &'static str, gives: Ty) -> Keyed {
    Keyed { of, mutable: true, value, key, found, gives }
}

const KEYED: [Keyed; 24] = [
    reads(Ty::List, "@.get(i64::rem_euclid(~, 3) as usize)", Ty::Int, "(*#)", Ty::Int),
    reads(Ty::List, "@.iter().find(|x| **x > ~)", Ty::Int, "(*#)", Ty::Int),
    reads(Ty::List, "@.iter().rfind(|x| **x != ~)", Ty::Int, "(*#)", Ty::Int),
    reads(Ty::List, "@.iter().nth(i64::rem_euclid(~, 3) as usize)", Ty::Int, "(*#)", Ty::Int),
    reads(Ty::List, "@.iter().max_by_key(|x| **x ^ ~)", Ty::Int, "(*#)", Ty::Int),
    reads(Ty::List, "@.iter().filter(|x| **x < ~).last()", Ty::Int, "(*#)", Ty::Int),
    reads(Ty::Map, "@.get(&~)", Ty::Text, "(*#)", Ty::Int),
    reads(Ty::Map, "@.get(~.as_str())", Ty::Text, "(*#)", Ty::Int),
    reads(Ty::Map, "@.values().find(|x| **x != ~)", Ty::Int, "(*#)", Ty::Int),
    reads(Ty::Map, "@.keys().find(|key| **key >= ~)", Ty::Text, "(*#)", Ty::Text),
    reads(Ty::Map, "@.range(~.clone()..).next()", Ty::Text, "(*#.1)", Ty::Int),
    reads(Ty::Texts, "@.get(i64::rem_euclid(~, 3) as usize)", Ty::Int, "(*#)", Ty::Text),
    reads(Ty::Texts, "@.iter().find(|text| **text != ~)", Ty::Text, "(*#)", Ty::Text),
    reads(Ty::Order, "@.lines.iter().find(|line| line.sku != ~)", Ty::Text, "#.count", Ty::Int),
    reads(Ty::Order, "@.lines.get(i64::rem_euclid(~, 2) as usize)", Ty::Int, "#.sku", Ty::Text),
    reads(Ty::Text, "@.split('e').nth(i64::rem_euclid(~, 3) as usize)", Ty::Int, "#", Ty::Str),
    changes(Ty::List, "@.get_mut(i64::rem_euclid(~, 3) as usize)", Ty::Int, "(*#)", Ty::Int),
    changes(Ty::List, "@.iter_mut().find(|x| **x != ~)", Ty::Int, "(*#)", Ty::Int),
    changes(Ty::Array, "@.get_mut(i64::rem_euclid(~, 4) as usize)", Ty::Int, "(*#)", Ty::Int),
    changes(Ty::Map, "@.get_mut(&~)", Ty::Text, "(*#)", Ty::Int),
    changes(Ty::Map, "@.values_mut().find(|x| **x > ~)", Ty::Int, "(*#)", Ty::Int),
    changes(Ty::Texts, "@.iter_mut().find(|text| **text != ~)", Ty::Text, "(*#)", Ty::Text),
    changes(Ty::Order, "@.lines.iter_mut().find(|l| l.count > ~)", Ty::Int, "#.count", Ty::Int),
    changes(
        Ty::Order,
        "@.lines.get_mut(i64::rem_euclid(~, 2) as usize)",
        Ty::Int,
        "#.sku",
        Ty::Text,
    ),
];

/// How what is found is bound: `#` by the look-up `@`, in a block with the label `~`. The `$` are what is done
/// with it, and what is done behind its last use. `^` is where it is said that this may be refused.
const SHAPES: [&str; 4] = [
    "^if let Some(#) = @ {\n$$\n}",
    "~: {\n^let Some(#) = @ else { break ~ };\n$$\n}",
    "match @ {\n^Some(#) => {\n$$\n}\nNone => {}\n}",
    "~: {\nif @.is_none() { break ~ }\n^let # = @.unwrap();\n$$\n}",
];

impl Generator {
    /// A look-up with a key that is declared for it, and what is found in use while the key stays.
    pub(super) fn keyed(&mut self) -> Node {
        let mark = self.scope.enter();
        let Some((keyed, local)) = self.lender_for(&KEYED, |keyed| (keyed.of, keyed.mutable))
        else {
            return self.declaration();
        };
        let first = self.expr(keyed.key);
        let (key, name, label) = (self.fresh(), self.fresh(), self.label());
        self.scope.declare(&key, keyed.key, true);
        let found = keyed.found.replace('#', &name);
        let is_refusable = self.may_be_refused && self.may_await && self.rng.chance(60);
        let body = self.perhaps(|this| {
            let body = this.with_found(&keyed, &key, &found, is_refusable);
            this.scope.release(mark);
            [body, this.key_given_anew(&keyed, &key)]
        });
        let value = keyed.value.replace('@', &local).replace('~', &key);
        let shape = self.rng.pick(&SHAPES).replace('^', marker(is_refusable));
        let shape = shape.replace('~', &label).replace('@', &value).replace('#', &name);
        let template = format!("let mut {key} = $;\n{shape}");
        Node::stmt(&template, [first].into_iter().chain(body).collect())
    }

    /// What is done with what has been found. If it may be refused, the key changes before the last use.
    fn with_found(&mut self, keyed: &Keyed, key: &str, found: &str, is_refusable: bool) -> Node {
        let read = format!("note(format!(\"{{:?}}\", {found}));\n");
        self.scoped(|this| {
            let mark = this.scope.enter();
            let index = this.local_named(key, keyed.key, Use::Read);
            this.scope.hold(index, Hold::Shared);
            this.scope.bind(found, keyed.gives, keyed.mutable);
            let body = this.body(3);
            this.scope.release(mark);
            if !is_refusable {
                return Node::stmt(&format!("{{\n$}}\n{read}"), vec![body]);
            }
            let change = this.key_given_anew(keyed, key);
            Node::stmt(&format!("{{\n$}}\n{read}$\ntick().await;\n{read}"), vec![body, change])
        })
    }

    fn key_given_anew(&mut self, keyed: &Keyed, key: &str) -> Node {
        let mark = self.scope.enter();
        let index = self.local_named(key, keyed.key, Use::Change);
        self.scope.hold(index, Hold::Exclusive);
        let value = self.without_exit(|this| this.expr(keyed.key));
        self.scope.release(mark);
        Node::stmt(&format!("{key} = $;\nnote(format!(\"{{:?}}\", {key}));"), vec![value])
    }

    /// A local that has been declared in this statement.
    pub(super) fn local_named(&mut self, name: &str, ty: Ty, usage: Use) -> usize {
        let index = self.scope.find_where(ty, usage, &mut self.rng, |var| var.name == name);
        index.expect("it has been declared, and nothing holds it")
    }
}
