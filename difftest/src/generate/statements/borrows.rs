//! Borrows of locals that are used across awaits.

use crate::generate::scope::{Hold, Use};
use crate::generate::{Generator, Node, Ty};

/// What is borrowed of a local of a type.
struct Part {
    /// The type of the local.
    of: Ty,
    mutable: bool,
    /// `@` is the local, and each `$` an expression of the type beside it.
    template: &'static str,
    types: &'static [Ty],
    /// What is behind the borrow; of `Str`, the borrow itself.
    gives: Ty,
}

const PARTS: [Part; 7] = [
    Part {
        of: Ty::Array,
        mutable: true,
        template: "&mut @[i64::rem_euclid($, 3) as usize]",
        types: &[Ty::Int],
        gives: Ty::Int,
    },
    Part {
        of: Ty::Array,
        mutable: false,
        template: "&@[i64::rem_euclid($, 3) as usize]",
        types: &[Ty::Int],
        gives: Ty::Int,
    },
    Part {
        of: Ty::List,
        mutable: false,
        template: "@.get(i64::rem_euclid($, 3) as usize).unwrap_or(&7)",
        types: &[Ty::Int],
        gives: Ty::Int,
    },
    Part {
        of: Ty::Map,
        mutable: false,
        template: "@.get(&*$).unwrap_or(&0)",
        types: &[Ty::Text],
        gives: Ty::Int,
    },
    Part {
        of: Ty::Map,
        mutable: true,
        template: "@.entry($).or_insert($)",
        types: &[Ty::Text, Ty::Int],
        gives: Ty::Int,
    },
    Part {
        of: Ty::Texts,
        mutable: false,
        template: "@.get(i64::rem_euclid($, 3) as usize).map(|text| text.as_str()).unwrap_or(\"none\")",
        types: &[Ty::Int],
        gives: Ty::Str,
    },
    Part {
        of: Ty::Text,
        mutable: false,
        template: "@.split('e').nth(i64::rem_euclid($, 3) as usize).unwrap_or(\"none\")",
        types: &[Ty::Int],
        gives: Ty::Str,
    },
];

impl Generator {
    /// A borrow of a part of a local, which is used until the end of the block. What it is asked for may be
    /// anything.
    fn kept_part(&mut self) -> Option<Node> {
        let Part { of, mutable, template, types, gives } = &PARTS[self.rng.below(PARTS.len())];
        let usage = if *mutable { Use::Change } else { Use::Read };
        let index = self.scope.find_where(*of, usage, &mut self.rng, |var| var.is_place())?;
        let hold = if *mutable { Hold::Exclusive } else { Hold::Shared };
        self.scope.hold(index, hold);
        let borrowed = self.scope.var(index).name.clone();
        let nodes = types.iter().map(|ty| self.operand(*ty)).collect();
        let name = self.fresh();
        match gives {
            Ty::Str => self.scope.declare(&name, Ty::Str, false),
            gives => self.scope.declare_borrowed(&format!("(*{name})"), *gives, *mutable),
        }
        let value = template.replace('@', &borrowed);
        Some(Node::stmt(&format!("let {name} = {value};"), nodes))
    }

    /// A borrow of a local that is used until the end of the block.
    pub(super) fn kept_borrow(&mut self) -> Node {
        if self.rng.chance(35)
            && let Some(node) = self.kept_part()
        {
            return node;
        }
        let name = self.fresh();
        let ty = self.rng.pick(&[
            Ty::Text,
            Ty::Text,
            Ty::List,
            Ty::Texts,
            Ty::Map,
            Ty::Order,
            Ty::Shape,
            Ty::Int,
        ]);
        let mutable = self.rng.chance(40);
        if self.rng.chance(20) {
            // A value that nothing else holds.
            let value = self.expr(ty);
            let borrow = if mutable { "&mut " } else { "&" };
            let of = if value.is_path() { "{ $ }" } else { "$" };
            self.scope.declare_borrowed(&format!("(*{name})"), ty, mutable);
            return Node::stmt(&format!("let {name} = {borrow}{of};"), vec![value]);
        }
        let usage = if mutable { Use::Change } else { Use::Read };
        // What is behind a reference is borrowed from where that came from.
        let index = self.scope.find_where(ty, usage, &mut self.rng, |var| var.is_place());
        let Some(index) = index else {
            self.scope.declare(&name, Ty::Str, false);
            let template = self.rng.pick(&["\"kept\"", "concat!(\"a\", 1)", "stringify!(kept)"]);
            return Node::stmt(&format!("let {name} = {template};"), vec![]);
        };
        let borrowed = self.scope.var(index).name.clone();
        self.scope.hold(index, if mutable { Hold::Exclusive } else { Hold::Shared });
        if mutable {
            self.scope.declare_borrowed(&format!("(*{name})"), ty, true);
            return Node::stmt(&format!("let {name} = &mut {borrowed};"), vec![]);
        }
        if ty == Ty::Text && self.rng.chance(50) {
            self.scope.declare(&name, Ty::Str, false);
            return Node::stmt(&format!("let {name}: &str = &{borrowed};"), vec![]);
        }
        self.scope.declare_borrowed(&format!("(*{name})"), ty, false);
        Node::stmt(&format!("let {name} = &{borrowed};"), vec![])
    }
}
