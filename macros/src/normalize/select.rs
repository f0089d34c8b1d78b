//! `select!`, `join!` and `try_join!`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Ident, Macro, Pat, Token};

use super::{Dest, Lower};
use crate::check::Rule;
use crate::ir::{LocalKind, PointKind, SelectArm, Stmt};
use crate::suspend;

/// The arguments of `select!`.
#[derive(Debug)]
pub(crate) struct Select {
    pub(crate) arms: Vec<SelectSource>,
}

/// `pat = future, if cond => handler`
#[derive(Debug)]
pub(crate) struct SelectSource {
    pub(crate) pat: Pat,
    pub(crate) future: Expr,
    pub(crate) cond: Option<Expr>,
    pub(crate) handler: Expr,
}

impl Parse for Select {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        if input.peek(Ident) && input.peek2(Token![;]) {
            let word: Ident = input.parse()?;
            if word != "biased" {
                return Err(syn::Error::new(word.span(), "expected a branch or `biased;`"));
            }
            // The first branch in the source wins in any case.
            input.parse::<Token![;]>()?;
        }
        let mut arms = Vec::new();
        while !input.is_empty() {
            if let Ok(word) = input.fork().parse::<Token![else]>() {
                return Err(syn::Error::new(
                    word.span,
                    "`select!` in a workflow has no `else`\n\n  help: a branch with an `if` that \
                     is false is not awaited; test before the `select!` whether all are",
                ));
            }
            let pat = Pat::parse_multi_with_leading_vert(input)?;
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
            arms.push(SelectSource { pat, future, cond, handler });
            if input.peek(Token![,]) {
                input.parse::<Token![,]>()?;
            } else if needs_comma && !input.is_empty() {
                return Err(input.error("expected a comma"));
            }
        }
        if arms.is_empty() {
            return Err(input.error("`select!` needs at least one branch"));
        }
        Ok(Self { arms })
    }
}

impl ToTokens for Select {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        for SelectSource { pat, future, cond, handler } in &self.arms {
            let cond = cond.as_ref().map(|cond| quote!(, if #cond));
            tokens.extend(quote!(#pat = #future #cond => #handler,));
        }
    }
}

impl Lower<'_> {
    pub(super) fn select_expr(&mut self, mac: &Macro, dest: Dest) {
        let select: Select = match mac.parse_body() {
            Ok(select) => select,
            Err(error) => return self.diagnostics.push(error),
        };
        let mut operations = Vec::new();
        for arm in select.arms {
            if let Expr::Async(block) = &arm.future {
                self.unsupported_branch(block);
            }
            if let Some(cond) = &arm.cond
                && suspend::expr(cond)
            {
                let help = "await before the `select!`, into a variable";
                self.unsupported(cond.span(), "the condition of a branch", help);
            }
            let future = self.hoist(arm.future);
            let cond = arm.cond.map(|cond| self.opaque(cond));
            operations.push((arm.pat, cond, future, arm.handler));
        }
        let span = mac.path.span();
        let point = self.point("select".to_owned(), PointKind::Select, span);
        let arms = operations.into_iter().map(|(pat, cond, future, handler)| SelectArm {
            pat,
            cond,
            future,
            body: self.body(|this| this.value(handler, dest)),
        });
        let arms = arms.collect();
        self.push(Stmt::Select { point, arms });
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
        let mut operations = Vec::new();
        for branch in branches {
            if let Expr::Async(block) = &branch {
                self.unsupported_branch(block);
            }
            operations.push(self.hoist(branch));
        }
        let name = if fail_fast { "try_join" } else { "join" };
        let point = self.point(name.to_owned(), PointKind::Join, mac.path.span());
        let local = self.new_temporary(&format!("{name}!"), LocalKind::Value, mac.path.span());
        let pat = self.local_pat(local);
        self.push(Stmt::Join { point, branches: operations, pat, fail_fast });
        self.path(local)
    }

    fn unsupported_branch(&self, block: &syn::ExprAsync) {
        self.diagnostics.error(
            block.async_token.span,
            Rule::ASYNC_BRANCH,
            "an `async` block cannot be a branch yet",
            "move it to an `async fn` in the body of the workflow, and call that",
        );
    }
}
