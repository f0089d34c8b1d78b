//! Parts that a branch captures become locals before it. See [`crate::flow::captured_parts`].

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, Ident, Macro};

use crate::ir::usage::Place;
use crate::ir::{CapturedPart, LocalKind, PointId};
use crate::lower::Lower;
use crate::syntax::build::{ident_expr, ident_pat, let_stmt};
use crate::syntax::names::is_plain;
use crate::syntax::select::visit_code_mut;

impl Lower<'_> {
    /// Moves the parts that a branch takes over into locals, and has its block use those.
    pub(crate) fn take_parts(&mut self, point: PointId, index: usize, block: &mut Block) {
        let refinement = self.refinement;
        for part in
            refinement.captured.iter().filter(|part| (part.point, part.index) == (point, index))
        {
            self.take_part(part, block);
        }
    }

    fn take_part(&mut self, part: &CapturedPart, block: &mut Block) {
        let plain = format!("{}_{}", part.local, part.fields.join("_")).replace("r#", "");
        let new = Ident::new(&self.free_name(&plain), part.local.span());
        let mut uses = Uses { part, new: &new, first: None };
        let mut changed = block.clone();
        uses.visit_block_mut(&mut changed);
        let Some(value) = uses.first.filter(|_| !names(changed.to_token_stream(), part)) else {
            return;
        };
        *block = changed;
        let local = self.locals.add(new.clone(), &new.to_string(), true, LocalKind::Value);
        self.locals.note_copy(local, &part.local);
        self.code(let_stmt(ident_pat(new, true), value));
    }

    /// A name that is not used, made of `plain`.
    pub(crate) fn free_name(&self, plain: &str) -> String {
        let others = (2..).map(|number| format!("{plain}_{number}"));
        let mut names = std::iter::once(plain.to_owned()).chain(others);
        let is_free = |name: &String| {
            is_plain(name) && !self.source.names(name) && self.locals.find_name(name).is_none()
        };
        names.find(is_free).unwrap_or_default()
    }
}

/// Replaces the uses of a part.
struct Uses<'a> {
    part: &'a CapturedPart,
    new: &'a Ident,
    /// The first of them.
    first: Option<Expr>,
}

impl VisitMut for Uses<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if !is_part(expr, self.part) {
            return visit_mut::visit_expr_mut(self, expr);
        }
        let mut new = self.new.clone();
        new.set_span(new.span().located_at(expr.span()));
        let used = std::mem::replace(expr, ident_expr(new));
        self.first.get_or_insert(used);
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        visit_code_mut(mac, self);
    }
}

fn is_part(expr: &Expr, part: &CapturedPart) -> bool {
    // A local that is looked for by its name stands for any.
    let find = |ident: &Ident| (*ident == part.local).then_some(crate::ir::LocalId(0));
    matches!(expr, Expr::Field(_))
        && Place::of(expr, &find).is_some_and(|place| place.fields == part.fields)
}

/// Whether the tokens name the part, or what it is a part of.
fn names(tokens: TokenStream, part: &CapturedPart) -> bool {
    let mut trees = tokens.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Group(group) if names(group.stream(), part) => return true,
            TokenTree::Ident(ident) if ident == part.local => {
                let mut fields = Vec::new();
                while trees
                    .next_if(|it| matches!(it, TokenTree::Punct(dot) if dot.as_char() == '.'))
                    .is_some()
                {
                    let member = trees.next().map(|member| member.to_string());
                    // `.0.1` may be one literal.
                    fields
                        .extend(member.iter().flat_map(|it| it.split('.')).map(ToOwned::to_owned));
                }
                if fields.iter().zip(&part.fields).all(|(a, b)| *a == **b) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}
