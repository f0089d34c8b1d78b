//! `select!`, `join!` and `try_join!`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::token::Paren;
use syn::visit_mut::VisitMut;
use syn::{Attribute, Expr, Ident, Macro, Pat, PatParen, Token};

use super::refusal::refusal;
use super::{Dest, Lower};
use crate::ir::{AsyncBlock, Branch, LocalKind, PointId, PointKind, SelectArm, Stmt};
use crate::{macros, shields, suspend, time_limits};

/// The arguments of `select!`.
#[derive(Debug)]
pub(crate) struct Select {
    pub(crate) arms: Vec<SelectSource>,
    /// Whether it begins with `biased;`.
    is_biased: bool,
}

/// `pat = future, if cond => handler`, or, as the last one, `else => handler`.
#[derive(Debug)]
pub(crate) struct SelectSource {
    /// `#[state("…")]`
    attrs: Vec<Attribute>,
    pub(crate) pat: Pat,
    pub(crate) future: Expr,
    pub(crate) cond: Option<Expr>,
    pub(crate) handler: Expr,
    /// Whether it is the `else`, which has `_` for a pattern and `()` for a future.
    pub(crate) is_else: bool,
}

impl Select {
    /// What a macro is, if it is a `select!`.
    pub(crate) fn of(mac: &Macro) -> Option<Self> {
        match suspend::awaiting(mac) {
            Some(suspend::Awaiting::Select) => mac.parse_body().ok(),
            _ => None,
        }
    }

    /// Goes through its parts in the order of the source.
    pub(crate) fn visit_mut(&mut self, visitor: &mut impl VisitMut) {
        for SelectSource { pat, future, cond, handler, .. } in &mut self.arms {
            visitor.visit_pat_mut(pat);
            visitor.visit_expr_mut(future);
            cond.iter_mut().for_each(|cond| visitor.visit_expr_mut(cond));
            visitor.visit_expr_mut(handler);
        }
    }
}

/// Visits the code that a macro is given, as far as that is known.
pub(crate) fn visit_code_mut(mac: &mut Macro, visitor: &mut impl VisitMut) {
    match Select::of(mac) {
        Some(mut select) => {
            select.visit_mut(visitor);
            mac.tokens = select.into_token_stream();
        }
        None => {
            macros::visit_exprs_mut(mac, |expr| visitor.visit_expr_mut(expr));
        }
    }
}

impl Parse for Select {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let is_biased = input.peek(Ident) && input.peek2(Token![;]);
        if is_biased {
            let word: Ident = input.parse()?;
            if word != "biased" {
                return Err(syn::Error::new(word.span(), "expected a branch or `biased;`"));
            }
            input.parse::<Token![;]>()?;
        }
        let mut arms = Vec::new();
        while !input.is_empty() {
            if input.peek(Token![else]) && !arms.is_empty() {
                arms.push(otherwise(input)?);
                break;
            }
            let attrs = input.call(Attribute::parse_outer)?;
            let pat = for_a_let(Pat::parse_multi_with_leading_vert(input)?);
            input.parse::<Token![=]>()?;
            let future: Expr = input.parse()?;
            let cond = if input.peek(Token![,]) {
                input.parse::<Token![,]>()?;
                input.parse::<Token![if]>()?;
                Some(input.parse()?)
            } else {
                None
            };
            input.parse::<Token![=>]>()?;
            let handler = Expr::parse_with_earlier_boundary_rule(input)?;
            let needs_comma = !matches!(handler, Expr::Block(_));
            arms.push(SelectSource { attrs, pat, future, cond, handler, is_else: false });
            if input.peek(Token![,]) {
                input.parse::<Token![,]>()?;
            } else if needs_comma && !input.is_empty() {
                return Err(input.error("expected a comma"));
            }
        }
        if arms.is_empty() {
            return Err(input.error("`select!` needs at least one branch"));
        }
        Ok(Self { arms, is_biased })
    }
}

/// `else => handler`, with which a `select!` ends.
fn otherwise(input: ParseStream) -> syn::Result<SelectSource> {
    input.parse::<Token![else]>()?;
    input.parse::<Token![=>]>()?;
    let handler = Expr::parse_with_earlier_boundary_rule(input)?;
    input.parse::<Option<Token![,]>>()?;
    if !input.is_empty() {
        return Err(input.error("`else` must be the last branch of a `select!`"));
    }
    let (pat, future) = (syn::parse_quote!(_), syn::parse_quote!(()));
    Ok(SelectSource { attrs: Vec::new(), pat, future, cond: None, handler, is_else: true })
}

/// The pattern as a `let` can have it, which has alternatives in parentheses only.
fn for_a_let(pat: Pat) -> Pat {
    match pat {
        Pat::Or(_) => Pat::Paren(PatParen {
            attrs: Vec::new(),
            paren_token: Paren(pat.span()),
            pat: Box::new(pat),
        }),
        pat => pat,
    }
}

impl ToTokens for Select {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        if self.is_biased {
            tokens.extend(quote!(biased;));
        }
        for SelectSource { attrs, pat, future, cond, handler, is_else } in &self.arms {
            if *is_else {
                tokens.extend(quote!(else => #handler));
                continue;
            }
            let cond = cond.as_ref().map(|cond| quote!(, if #cond));
            tokens.extend(quote!(#(#attrs)* #pat = #future #cond => #handler,));
        }
    }
}

impl Lower<'_> {
    pub(super) fn select_expr(&mut self, mac: &Macro, dest: Dest) {
        let select: Select = match mac.parse_body() {
            Ok(select) => select,
            Err(error) => return self.diagnostics.push(error),
        };
        let mut select = select;
        let otherwise = select.arms.pop_if(|arm| arm.is_else);
        let mut futures: Vec<_> = select.arms.iter_mut().map(|arm| &mut arm.future).collect();
        self.see_through(&mut futures);
        let (mut arms, mut names) = (Vec::new(), Vec::new());
        for mut arm in select.arms {
            if let Some(cond) = &arm.cond
                && suspend::expr(cond)
            {
                let help = "await before the `select!`, into a variable";
                self.unsupported(cond.span(), "the condition of a branch", help);
            }
            let pin = self.take_pin_attrs(&mut arm.attrs);
            names.push(self.name_branch(&arm.future, pin));
            let future = self.make_branch(arm.future);
            let cond = arm.cond.map(|cond| self.opaque(cond));
            arms.push((arm.pat, cond, future, arm.handler));
        }
        let name = if mac.path.is_ident(time_limits::MACRO) { "timeout" } else { "select" };
        let name = (name.to_owned(), self.locals.fingerprint(&mac.tokens));
        let point = self.point(name, PointKind::Select, mac.path.span());
        self.set_branches(point, names);
        let mut futures = Vec::new();
        for (index, (pat, cond, future, handler)) in arms.into_iter().enumerate() {
            futures.push((pat, cond, self.region(point, index, future), handler));
        }
        let arms = futures.into_iter().map(|(pat, cond, future, handler)| SelectArm {
            refusal: refusal(&pat),
            pat,
            cond,
            future,
            body: self.body(|this| this.value(handler, dest)),
        });
        let arms = arms.collect();
        let otherwise = otherwise.map(|arm| self.body(|this| this.value(arm.handler, dest)));
        self.push(Stmt::Select { point, arms, otherwise, is_biased: select.is_biased });
    }

    /// Lowers an `async` block that is awaited where it stands: a `select!` of one branch.
    pub(super) fn await_block(&mut self, block: syn::ExprAsync, span: Span, dest: Dest) {
        let start = block.async_token.span;
        // A shield changes nothing of what is saved.
        let fingerprint =
            self.locals.fingerprint(&syn::ExprAsync { attrs: Vec::new(), ..block.clone() });
        let block = Expr::Async(block);
        let name = self.name_branch(&block, None);
        let point = self.point(("async".to_owned(), fingerprint), PointKind::Select, span);
        self.set_branches(point, vec![name]);
        let Expr::Async(block) = block else { return };
        let future = self.region(point, 0, Branch::Region(block));
        let given = self.new_temporary("async", LocalKind::Value, span);
        let value = self.path(given);
        let body = self.body(|this| this.finish_from(value, start, span, dest));
        let pat = self.local_pat(given);
        let arm = SelectArm { pat, refusal: None, cond: None, future, body };
        self.push(Stmt::Select { point, arms: vec![arm], otherwise: None, is_biased: true });
    }

    pub(super) fn hoist_join(&mut self, mac: &Macro, fail_fast: bool) -> Expr {
        let branches = match mac.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            Ok(branches) => branches,
            Err(error) => {
                self.diagnostics.push(error);
                return Expr::PLACEHOLDER;
            }
        };
        if branches.is_empty() {
            self.diagnostics.push(syn::Error::new(mac.path.span(), "there is nothing to wait for"));
        }
        let mut branches = branches;
        self.see_through(&mut branches.iter_mut().collect::<Vec<_>>());
        let mut names = Vec::new();
        let branches = branches.into_iter().map(|mut branch| {
            let pin = self.take_pin(&mut branch);
            names.push(self.name_branch(&branch, pin));
            self.make_branch(branch)
        });
        let branches: Vec<_> = branches.collect();
        let name = if fail_fast { "try_join" } else { "join" };
        let fingerprint = self.locals.fingerprint(&mac.tokens);
        let point = self.point((name.to_owned(), fingerprint), PointKind::Join, mac.path.span());
        self.set_branches(point, names);
        let branches = branches
            .into_iter()
            .enumerate()
            .map(|(index, branch)| self.region(point, index, branch))
            .collect();
        let local = self.new_temporary(&format!("{name}!"), LocalKind::Value, mac.path.span());
        self.locals[local].is_temporary = true;
        self.locals[local].bound_by = fingerprint;
        let pat = self.local_pat(local);
        self.push(Stmt::Join { point, branches, pat, fail_fast });
        self.path(local)
    }

    /// Emits what makes the future of a branch. An `async` block does nothing when it is made.
    fn make_branch(&mut self, future: Expr) -> Branch<syn::ExprAsync> {
        match future {
            Expr::Async(block) => Branch::Region(block),
            Expr::Paren(expr) => self.make_branch(*expr.expr),
            Expr::Group(expr) => self.make_branch(*expr.expr),
            operation => Branch::Operation(self.hoist(operation)),
        }
    }

    /// Lowers the block of a branch. Its jumps are its own, and its value is the branch's.
    fn region(
        &mut self,
        point: PointId,
        index: usize,
        branch: Branch<syn::ExprAsync>,
    ) -> Branch<AsyncBlock> {
        let mut block = match branch {
            Branch::Operation(operation) => return Branch::Operation(operation),
            Branch::Region(block) => block,
        };
        if block.capture.is_none() {
            self.take_apart(&mut block.block);
        }
        self.take_parts(point, index, &mut block.block);
        let is_shielded = shields::take(&mut block.attrs);
        let span = block.async_token.span;
        let jumps = std::mem::take(&mut self.jumps);
        let within = self.within.replace((point, index));
        let body = self.body(|this| this.block(block.block, Dest::Return));
        self.within = within;
        self.jumps = jumps;
        let is_move = block.capture.is_some();
        Branch::Region(AsyncBlock { body, is_move, is_shielded, span })
    }
}
