//! Borrows of locals that are used across awaits.

use crate::generate::scope::{Hold, Use};
use crate::generate::{Generator, Node, Ty};

impl Generator {
    /// A borrow of a local that is used until the end of the block.
    pub(super) fn kept_borrow(&mut self) -> Node {
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
