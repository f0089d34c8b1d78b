//! Whether a pattern matches the same way again after its bindings may have been changed.
//!
//! Tests of a pattern are not repeated (`parts`), except for which of several alternatives matched: in `(x, None) |
//! (None, x)`, a change of `x` may make the other one match.

use syn::punctuated::Punctuated;
use syn::visit::Visit;
use syn::{Expr, Ident, Member, Pat, PatOr, Token};

use crate::lower::Lower;
use crate::rematerialize::patterns;
use crate::syntax::alternatives::{is_rest, may_match_twice};
use crate::syntax::binding_modes::Bindings;
use crate::syntax::patterns::is_binding;

impl Lower<'_> {
    /// Whether the alternatives in a pattern find again what they have bound of a `value` by reference.
    pub(crate) fn finds_again(&self, pat: &Pat, value: &Expr) -> bool {
        let Bindings { all, by_ref, are_by_ref, has_mutable, .. } = Bindings::of(pat);
        // Of what is borrowed for the pattern nothing else is changed meanwhile.
        let is_whole = !self.is_place(value);
        let is_shared = !has_mutable && !by_ref.is_empty();
        let idents = if by_ref.is_empty() || are_by_ref { all } else { by_ref };
        let pat = patterns::only(pat, &idents);
        let mut alternatives = Vec::new();
        find_alternatives(&pat, &mut alternatives);
        alternatives.iter().all(|cases| {
            let mut paths = Paths { idents: &idents, cases: Vec::new(), is_known: true };
            for case in *cases {
                paths.cases.push(Case::default());
                paths.follow(case, &mut Vec::new());
            }
            paths.is_known
                && (is_shared || paths.tests_none_of_bound())
                && (is_whole || paths.tests_only_above())
        })
    }
}

/// Whether a guard has to do with which alternative it was.
pub(crate) fn depends_on_guard(pat: &Pat) -> bool {
    matches!(pat, Pat::Guard(guarded) if may_match_twice(&guarded.pat))
}

type Cases<'p> = &'p Punctuated<Pat, Token![|]>;

/// The alternatives in a pattern, without those in others.
fn find_alternatives<'p>(pat: &'p Pat, out: &mut Vec<Cases<'p>>) {
    struct Search<'s, 'p>(&'s mut Vec<Cases<'p>>);
    impl<'p> Visit<'p> for Search<'_, 'p> {
        fn visit_pat_or(&mut self, pat: &'p PatOr) {
            self.0.push(&pat.cases);
        }
        fn visit_expr(&mut self, _: &'p Expr) {}
    }
    Visit::visit_pat(&mut Search(out), pat);
}

/// The way to a part of what is matched, by the names and numbers of fields.
type Path = Vec<String>;

/// What an alternative tests, and what it binds.
#[derive(Default)]
struct Case {
    tested: Vec<Path>,
    bound: Vec<Path>,
}

struct Paths<'i> {
    /// The bindings that matter.
    idents: &'i [Ident],
    cases: Vec<Case>,
    /// Whether two ways to the same part are the same.
    is_known: bool,
}

impl Paths<'_> {
    /// Whether nothing is tested that can be changed through what is bound.
    fn tests_none_of_bound(&self) -> bool {
        let mut tested = self.cases.iter().flat_map(|case| &case.tested);
        let bound = || self.cases.iter().flat_map(|case| &case.bound);
        tested.all(|tested| !bound().any(|bound| tested.starts_with(bound)))
    }

    /// Whether each alternative tests only what holds something that it binds, and so is borrowed with that.
    fn tests_only_above(&self) -> bool {
        self.cases.iter().all(|case| {
            let is_above = |tested: &Path| case.bound.iter().any(|bound| bound.starts_with(tested));
            case.tested.iter().all(is_above)
        })
    }

    fn follow(&mut self, pat: &Pat, path: &mut Path) {
        match pat {
            Pat::Wild(_) | Pat::Rest(_) => {}
            Pat::Paren(pat) => self.follow(&pat.pat, path),
            Pat::Or(pat) => {
                let bound = self.bound();
                pat.cases.iter().for_each(|case| self.follow(case, path));
                self.is_known &= self.bound() == bound;
            }
            Pat::Ident(pat) => {
                if !is_binding(pat) {
                    self.note(path, false);
                } else if self.idents.contains(&pat.ident) {
                    self.note(path, true);
                }
                if let Some((_, inner)) = &pat.subpat {
                    self.follow(inner, path);
                }
            }
            Pat::Const(_) | Pat::Lit(_) | Pat::Path(_) | Pat::Range(_) => self.note(path, false),
            Pat::Reference(pat) => self.follow_into("&", &pat.pat, path),
            Pat::Tuple(pat) => self.follow_all(&pat.elems, path),
            Pat::TupleStruct(pat) => {
                self.note(path, false);
                self.follow_all(&pat.elems, path);
            }
            Pat::Slice(pat) => {
                self.note(path, false);
                self.follow_all(&pat.elems, path);
            }
            Pat::Struct(pat) => {
                self.note(path, false);
                for field in &pat.fields {
                    let name = match &field.member {
                        Member::Named(name) => name.to_string(),
                        Member::Unnamed(index) => index.index.to_string(),
                    };
                    self.follow_into(&name, &field.pat, path);
                }
            }
            _ => self.is_known = false,
        }
    }

    fn follow_all(&mut self, pats: &Punctuated<Pat, Token![,]>, path: &mut Path) {
        for (index, pat) in pats.iter().enumerate() {
            let is_last = index + 1 == pats.len() && matches!(pat, Pat::Rest(_));
            self.is_known &= is_last || !is_rest(pat);
            self.follow_into(&index.to_string(), pat, path);
        }
    }

    fn follow_into(&mut self, part: &str, pat: &Pat, path: &mut Path) {
        path.push(part.to_owned());
        self.follow(pat, path);
        path.pop();
    }

    /// How many parts are bound by the alternative so far.
    fn bound(&self) -> usize {
        self.cases.last().map_or(0, |case| case.bound.len())
    }

    fn note(&mut self, path: &Path, is_bound: bool) {
        let Some(case) = self.cases.last_mut() else { return };
        let paths = if is_bound { &mut case.bound } else { &mut case.tested };
        paths.push(path.clone());
    }
}
