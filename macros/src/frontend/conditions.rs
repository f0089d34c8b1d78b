//! `#[cfg(…)]` and `#[cfg_attr(…)]` on and in a workflow or `#[deterministic]` function.
//!
//! Only rustc can evaluate them, and it does so after the macro has run. So the macro returns the function twice,
//! under opposite conditions and with that one condition resolved; rustc keeps one copy and expands it again. The
//! final function has conditions only in code that is not lowered: fields of types, unknown macros.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Expr, Item, ItemFn, ItemImpl, Macro, Meta, Stmt, Token};

use crate::syntax::macros::Piece;
use crate::syntax::select::Select;
use crate::syntax::{macros, suspend};

/// The item twice: with its first condition true and false, each under that condition. `None` if the item has no
/// condition. `attribute` is the attribute that expands the copies again.
pub(crate) fn split<T: Conditioned>(item: &mut T, attribute: &TokenStream) -> Option<TokenStream> {
    // Without `wanted`, nothing is changed.
    let mut find = Decide { wanted: None, found: None, stuck: None };
    item.visit(&mut find);
    let condition = find.found?;
    let decided = [true, false].map(|holds| {
        let mut item = item.clone();
        let wanted = Some((condition.to_string(), holds));
        let mut decide = Decide { wanted, found: None, stuck: None };
        let stays = decide.keeps(&mut item);
        item.visit(&mut decide);
        let stuck = decide.stuck.filter(|_| stays).map(|span| {
            let message = "`#[cfg]` is not supported here\n\n  help: put the `#[cfg]` on a statement\n  note: rule \
                           `attributes`";
            quote_spanned!(span=> ::core::compile_error!(#message);)
        });
        stuck.or_else(|| stays.then(|| quote!(#[#attribute] #item)))
    });
    let [holds, fails] = decided;
    let holds = holds.map(|item| quote!(#[cfg(#condition)] #item));
    let fails = fails.map(|item| quote!(#[cfg(not(#condition))] #item));
    Some(quote!(#holds #fails))
}

/// The items that the attributes accept.
pub(crate) trait Conditioned: Clone + ToTokens + Conditional {
    fn visit(&mut self, decide: &mut Decide);
}

impl Conditioned for ItemFn {
    fn visit(&mut self, decide: &mut Decide) {
        decide.visit_item_fn_mut(self);
    }
}

impl Conditioned for ItemImpl {
    fn visit(&mut self, decide: &mut Decide) {
        decide.visit_item_impl_mut(self);
    }
}

/// Resolves one condition, or finds the first one.
pub(crate) struct Decide {
    /// The condition to resolve, and its value.
    wanted: Option<(String, bool)>,
    found: Option<TokenStream>,
    /// The span of a node that must be removed and cannot be.
    stuck: Option<Span>,
}

/// The condition of a `#[cfg]` or `#[cfg_attr]`, and the attributes that it guards.
fn condition(attr: &Attribute) -> Option<(TokenStream, Vec<Meta>)> {
    let Meta::List(list) = &attr.meta else { return None };
    if attr.path().is_ident("cfg") {
        return Some((list.tokens.clone(), Vec::new()));
    }
    if !attr.path().is_ident("cfg_attr") {
        return None;
    }
    let parts = attr.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
    let mut parts = parts.into_iter();
    let condition = parts.next()?;
    Some((condition.to_token_stream(), parts.collect()))
}

impl Decide {
    /// Whether no attribute of `node` removes it.
    fn keeps(&mut self, node: &mut impl Conditional) -> bool {
        let Some((wanted, false)) = &self.wanted else { return true };
        !node.own_attributes().iter().any(|attr| {
            attr.path().is_ident("cfg")
                && condition(attr).is_some_and(|(condition, _)| condition.to_string() == *wanted)
        })
    }

    fn retain<T: Conditional, P: Default>(&mut self, list: &mut Punctuated<T, P>) {
        if list.iter_mut().any(|node| !self.keeps(node)) {
            let all = std::mem::take(list).into_iter();
            *list = all.filter_map(|mut node| self.keeps(&mut node).then_some(node)).collect();
        }
    }
}

impl VisitMut for Decide {
    fn visit_attributes_mut(&mut self, attrs: &mut Vec<Attribute>) {
        if attrs.is_empty() {
            return;
        }
        let mut left = Vec::with_capacity(attrs.len());
        for attr in attrs.drain(..) {
            let Some((condition, under)) = condition(&attr) else {
                left.push(attr);
                continue;
            };
            match &self.wanted {
                None => {
                    self.found.get_or_insert(condition);
                    left.push(attr);
                }
                Some((wanted, holds)) if condition.to_string() == *wanted => {
                    if *holds {
                        left.extend(
                            under.into_iter().map(|meta| Attribute { meta, ..attr.clone() }),
                        );
                    } else if attr.path().is_ident("cfg") {
                        self.stuck.get_or_insert(attr.span());
                    }
                }
                Some(_) => left.push(attr),
            }
        }
        *attrs = left;
    }

    fn visit_item_fn_mut(&mut self, function: &mut ItemFn) {
        self.retain(&mut function.sig.inputs);
        visit_mut::visit_item_fn_mut(self, function);
    }

    fn visit_item_impl_mut(&mut self, block: &mut ItemImpl) {
        block.items.retain_mut(|item| self.keeps(item));
        visit_mut::visit_item_impl_mut(self, block);
    }

    fn visit_impl_item_fn_mut(&mut self, function: &mut syn::ImplItemFn) {
        self.retain(&mut function.sig.inputs);
        visit_mut::visit_impl_item_fn_mut(self, function);
    }

    fn visit_generics_mut(&mut self, generics: &mut syn::Generics) {
        self.retain(&mut generics.params);
        visit_mut::visit_generics_mut(self, generics);
    }

    /// rustc evaluates the conditions in types, traits and modules.
    fn visit_item_mut(&mut self, item: &mut Item) {
        match item {
            Item::Fn(function) => self.visit_item_fn_mut(function),
            Item::Impl(block) => self.visit_item_impl_mut(block),
            item => OnItself(Some(self)).visit_item_mut(item),
        }
    }

    fn visit_expr_array_mut(&mut self, expr: &mut syn::ExprArray) {
        self.retain(&mut expr.elems);
        visit_mut::visit_expr_array_mut(self, expr);
    }

    fn visit_expr_call_mut(&mut self, expr: &mut syn::ExprCall) {
        self.retain(&mut expr.args);
        visit_mut::visit_expr_call_mut(self, expr);
    }

    fn visit_expr_closure_mut(&mut self, expr: &mut syn::ExprClosure) {
        self.retain(&mut expr.inputs);
        visit_mut::visit_expr_closure_mut(self, expr);
    }

    fn visit_expr_method_call_mut(&mut self, expr: &mut syn::ExprMethodCall) {
        self.retain(&mut expr.args);
        visit_mut::visit_expr_method_call_mut(self, expr);
    }

    fn visit_expr_tuple_mut(&mut self, expr: &mut syn::ExprTuple) {
        self.retain(&mut expr.elems);
        visit_mut::visit_expr_tuple_mut(self, expr);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        block.stmts.retain_mut(|stmt| self.keeps(stmt));
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_expr_match_mut(&mut self, expr: &mut syn::ExprMatch) {
        expr.arms.retain_mut(|arm| self.keeps(arm));
        visit_mut::visit_expr_match_mut(self, expr);
    }

    fn visit_expr_struct_mut(&mut self, expr: &mut syn::ExprStruct) {
        self.retain(&mut expr.fields);
        visit_mut::visit_expr_struct_mut(self, expr);
    }

    fn visit_pat_struct_mut(&mut self, pat: &mut syn::PatStruct) {
        self.retain(&mut pat.fields);
        visit_mut::visit_pat_struct_mut(self, pat);
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        if let Some(mut select) = Select::of(mac) {
            select.visit_mut(self);
            if self.wanted.is_some() {
                mac.tokens = select.into_token_stream();
            }
            return;
        }
        let Some(mut pieces) = macros::parse(mac) else { return };
        for piece in &mut pieces {
            if let Piece::Expr(expr, _) = piece {
                self.visit_expr_mut(expr);
            }
        }
        if self.wanted.is_some() {
            mac.tokens = macros::unparse(&pieces);
        }
    }
}

/// Nodes with attributes of their own.
pub(crate) trait Conditional {
    fn own_attributes(&mut self) -> Vec<Attribute>;
}

macro_rules! conditional {
    ($($ty:ty: $visit:ident,)*) => {
        $(impl Conditional for $ty {
            fn own_attributes(&mut self) -> Vec<Attribute> {
                let mut first = First(None);
                first.$visit(self);
                first.0.unwrap_or_default()
            }
        })*
    };
}

conditional! {
    ItemFn: visit_item_fn_mut,
    ItemImpl: visit_item_impl_mut,
    syn::ImplItem: visit_impl_item_mut,
    syn::Arm: visit_arm_mut,
    syn::FieldValue: visit_field_value_mut,
    syn::FieldPat: visit_field_pat_mut,
    syn::FnArg: visit_fn_arg_mut,
    syn::GenericParam: visit_generic_param_mut,
    syn::Pat: visit_pat_mut,
    Expr: visit_expr_mut,
    Stmt: visit_stmt_mut,
}

/// Resolves the conditions on an item itself, and not those within it. A visitor reaches the item's own attributes
/// first.
struct OnItself<'a>(Option<&'a mut Decide>);

impl VisitMut for OnItself<'_> {
    fn visit_attributes_mut(&mut self, attrs: &mut Vec<Attribute>) {
        if let Some(decide) = self.0.take() {
            decide.visit_attributes_mut(attrs);
        }
    }
}

/// The attributes that are visited first: those of the node itself.
struct First(Option<Vec<Attribute>>);

impl VisitMut for First {
    fn visit_attributes_mut(&mut self, attrs: &mut Vec<Attribute>) {
        self.0.get_or_insert_with(|| attrs.clone());
    }

    // The attributes at the start of these belong to the left operand.
    fn visit_expr_assign_mut(&mut self, _: &mut syn::ExprAssign) {}

    fn visit_expr_binary_mut(&mut self, _: &mut syn::ExprBinary) {}

    fn visit_expr_cast_mut(&mut self, _: &mut syn::ExprCast) {}
}

/// The lints allowed on statements that suspend. These statements are split into blocks, so the whole machine allows
/// the lints.
pub(crate) fn lints(block: &syn::Block) -> Vec<TokenStream> {
    let mut lints = Lints(Vec::new());
    lints.visit_block(block);
    lints.0
}

/// The lints that attributes allow. `#[expect]` counts as `#[allow]`, because generated code may not cause the lint.
pub(crate) fn lints_of(attrs: &[Attribute]) -> Vec<TokenStream> {
    let off = attrs.iter().filter_map(|attr| match &attr.meta {
        Meta::List(list) if list.path.is_ident("allow") || list.path.is_ident("expect") => {
            Some(list.tokens.clone())
        }
        _ => None,
    });
    off.collect()
}

/// Replaces `#[expect]` by `#[allow]`, because only a part of the generated code may cause the lint.
pub(crate) fn expect_nothing(attr: &mut Attribute) {
    if let Meta::List(list) = &mut attr.meta
        && list.path.is_ident("expect")
    {
        list.path = syn::Ident::new("allow", list.path.span()).into();
    }
}

struct Lints(Vec<TokenStream>);

impl<'ast> Visit<'ast> for Lints {
    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        if suspend::stmt(stmt) {
            visit::visit_stmt(self, stmt);
        }
    }

    fn visit_attribute(&mut self, attr: &'ast Attribute) {
        self.0.extend(lints_of(std::slice::from_ref(attr)));
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        if suspend::expr(expr) {
            visit::visit_expr(self, expr);
        }
    }

    fn visit_item(&mut self, _: &'ast Item) {}
}
