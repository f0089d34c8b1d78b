//! Lower-case constants, which a pattern may name.

use syn::visit::Visit;
use syn::{Block, Item};

use crate::collections::by_name::NameSet;
use crate::syntax::source::declared_around;

/// The constants declared in the body, and those of the file that are in scope there.
pub(super) fn around(body: &Block) -> NameSet {
    let mut items = Items(declared_around(body.brace_token.span.open()).into_iter().collect());
    items.visit_block(body);
    items.0
}

struct Items(NameSet);

impl Visit<'_> for Items {
    fn visit_item(&mut self, item: &Item) {
        if let Item::Const(item) = item {
            self.0.insert(item.ident.to_string());
        }
    }
}
