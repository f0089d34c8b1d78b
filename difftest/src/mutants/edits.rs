//! The edits of mutants: one value, word or statement is replaced, removed or inserted.

use std::collections::BTreeMap;

use super::words::edited_texts;
use crate::generate::{Kind, Node, Path, Piece, Ty};
use crate::script::Rng;

/// What turns rustc's warnings off, and what leaves it at that.
const SILENT: &str = "#![allow(warnings, unconditional_panic)]";
const WARNED: &str = "#![allow(dead_code, unconditional_panic, unused_labels)]";

/// What is wrong with a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mistake {
    /// A function gives a value of a wrong type.
    Returned,
    /// A branch of an `if` or `match` does.
    Branch,
    /// A `break` does.
    Broken,
    /// An argument is of a wrong type.
    Argument,
    /// What is assigned is.
    Assigned,
    /// What a variable begins with is.
    Bound,
    /// A part of another expression is.
    Operand,
    /// A `?` is missing.
    Question,
    /// A `mut` is.
    Mutability,
    /// A `.clone()` is, so a value is moved that is used again.
    Clone,
    /// A `&` is.
    Borrow,
    /// A variable is called by a name that nothing has.
    Name,
    /// A declaration is missing.
    Declaration,
    /// A value is moved between its uses.
    Moved,
    /// A variable is given another value between its uses.
    Changed,
    /// A variable is borrowed, and the borrow is used after the code in between.
    Lent,
    /// As `Lent`, to be changed.
    LentMut,
    /// A variable has no value where it is declared.
    Unset,
    /// A function or method is called by a name that nothing has.
    Called,
    /// It is called with an argument too many.
    Arity,
    /// A field is called by a name that it does not have.
    Field,
    /// A pattern or a value has a part too many.
    Part,
    /// A `match` has no arm for all that is left.
    Arms,
    /// A value is taken for a reference.
    Deref,
    /// No mistake: rustc warns of what it warns of.
    Warned,
}

/// A mistake that can be made, and the program with it.
pub(super) type Edit<'a> = (Mistake, Box<dyn Fn(&mut Rng) -> Node + 'a>);

/// Everything that can be broken.
pub(super) fn edits(program: &Node) -> Vec<Edit<'_>> {
    let pieces = program.pieces();
    let texts: BTreeMap<&Path, &str> = pieces
        .iter()
        .filter_map(|(path, piece)| match piece {
            Piece::Text(text) => Some((path, *text)),
            Piece::Node(_) => None,
        })
        .collect();
    let mut edits = Vec::new();
    for (path, piece) in &pieces {
        match piece {
            Piece::Text(text) if text.contains(SILENT) => {
                let warned = text.replacen(SILENT, WARNED, 1);
                edits.push(in_place(program, path, Mistake::Warned, warned));
            }
            Piece::Text(text) if text.contains("pub struct") => {}
            Piece::Text(text) => {
                let edited = edited_texts(text).into_iter();
                edits.extend(edited.map(|(mistake, text)| in_place(program, path, mistake, text)));
            }
            Piece::Node(node) => match node.kind {
                Kind::Expr(ty) => edits.extend(wrong_value(program, path, ty, &texts)),
                Kind::Stmt if node.to_source().starts_with("let ") => {
                    edits.push(without(program, path));
                    edits.extend(without_value(program, path, node));
                }
                Kind::Stmt => {}
                Kind::List => edits.extend(put_in(program, path, node)),
            },
        }
    }
    edits
}

/// Another text in place of one.
fn in_place<'a>(program: &'a Node, path: &Path, mistake: Mistake, text: String) -> Edit<'a> {
    let path = path.clone();
    (mistake, Box::new(move |_| program.with_piece(&path, Piece::Text(&text))))
}

/// No statement in place of one.
fn without<'a>(program: &'a Node, path: &Path) -> Edit<'a> {
    let (path, none) = (path.clone(), Node::stmt("", vec![]));
    let edit = move |_: &mut Rng| program.with_piece(&path, Piece::Node(&none));
    (Mistake::Declaration, Box::new(edit))
}

/// A declaration without a value in place of one.
fn without_value<'a>(program: &'a Node, path: &Path, statement: &Node) -> Option<Edit<'a>> {
    let (name, _) = declaration(statement)?;
    let (path, unset) = (path.clone(), Node::stmt(&format!("let {name};"), vec![]));
    Some((Mistake::Unset, Box::new(move |_| program.with_piece(&path, Piece::Node(&unset)))))
}

/// A borrow more, and a use of it behind some statements.
fn lent<'a>(program: &'a Node, path: &Path, at: usize, count: usize, name: &str) -> [Edit<'a>; 2] {
    [(Mistake::Lent, "&"), (Mistake::LentMut, "&mut ")].map(|(mistake, borrow)| {
        let path = path.clone();
        let borrow = Node::stmt(&format!("let lent = {borrow}{name};"), vec![]);
        let edit = move |rng: &mut Rng| {
            let used = Node::stmt("note(&*lent);", vec![]);
            let last = at + 1 + rng.below(count - at);
            let later = if last < count {
                program.with_node_before(&[path.as_slice(), &[last]].concat(), &used)
            } else {
                program.clone()
            };
            later.with_node_before(&[path.as_slice(), &[at]].concat(), &borrow)
        };
        (mistake, Box::new(edit) as Box<dyn Fn(&mut Rng) -> Node + 'a>)
    })
}

/// A statement more.
fn before<'a>(program: &'a Node, path: &Path, mistake: Mistake, statement: &str) -> Edit<'a> {
    let (path, statement) = (path.clone(), Node::stmt(statement, vec![]));
    (mistake, Box::new(move |_| program.with_node_before(&path, &statement)))
}

/// A value of another type in place of an expression.
fn wrong_value<'a>(
    program: &'a Node,
    path: &Path,
    ty: Ty,
    texts: &BTreeMap<&Path, &str>,
) -> Option<Edit<'a>> {
    let (index, parent) = path.split_last()?;
    let text_at = |index: usize| texts.get(&[parent, &[index]].concat()).copied();
    let before = text_at(index.checked_sub(1)?)?;
    let mistake = role(text_at(0)?, before, text_at(index + 1).unwrap_or_default());
    let path = path.clone();
    Some((
        mistake,
        Box::new(move |rng| {
            let types = [Ty::Int, Ty::Text, Ty::Bool, Ty::Maybe, Ty::List, Ty::Unit, Ty::Str];
            let others: Vec<Ty> = types.into_iter().filter(|other| *other != ty).collect();
            let other = rng.pick(&others);
            let literal = if mistake == Mistake::Branch {
                format!("{{ {} }}", other.literal())
            } else {
                other.literal().to_owned()
            };
            program.with_piece(&path, Piece::Node(&Node::expr(other, &literal, vec![])))
        }),
    ))
}

/// What an expression is to the one around it, which begins with `first`, by what stands before and after it.
fn role(first: &str, before: &str, after: &str) -> Mistake {
    let trimmed = before.trim_end();
    let words: Vec<&str> = trimmed.trim_end_matches('(').split_whitespace().collect();
    let is_label = |word: &&str| word.starts_with('\'');
    if trimmed.ends_with("return") || first.contains("async fn ") && after.starts_with("\n}") {
        return Mistake::Returned;
    }
    match words.as_slice() {
        [.., "break"] => return Mistake::Broken,
        [.., "break", label] if is_label(label) => return Mistake::Broken,
        _ => {}
    }
    let is_branch = trimmed.is_empty() && first.starts_with("if ");
    if is_branch || trimmed.ends_with("else") || trimmed.ends_with("=>") {
        return Mistake::Branch;
    }
    if let Some(place) = trimmed.strip_suffix('=').filter(|place| place.ends_with([' ', '+', '-']))
    {
        let line = place.lines().last().unwrap_or_default();
        return if line.contains("let ") { Mistake::Bound } else { Mistake::Assigned };
    }
    let called = trimmed.strip_suffix('(').is_some_and(|f| f.ends_with(char::is_alphanumeric));
    if called || trimmed == "," { Mistake::Argument } else { Mistake::Operand }
}

/// A move of a variable, or an assignment to it, behind its declaration.
fn put_in<'a>(program: &'a Node, path: &Path, list: &Node) -> Vec<Edit<'a>> {
    let mut declared: Vec<(String, Ty)> = Vec::new();
    let mut edits: Vec<Edit<'_>> = Vec::new();
    for (index, statement) in list.children().enumerate() {
        for (name, ty) in &declared {
            let at = [path.as_slice(), &[index]].concat();
            let (moved, changed) =
                (format!("drop({name});"), format!("{name} = {};", ty.literal()));
            edits.push(before(program, &at, Mistake::Moved, &moved));
            edits.push(before(program, &at, Mistake::Changed, &changed));
            edits.extend(lent(program, path, index, list.children().count(), name));
        }
        declared.extend(declaration(statement));
    }
    edits
}

/// The variable that a statement begins by declaring, and its type.
fn declaration(statement: &Node) -> Option<(String, Ty)> {
    let source = statement.to_source();
    let (name, _) = source.strip_prefix("let ")?.split_once(" = ")?;
    let name = name.trim_start_matches("mut ").split(':').next()?;
    let name_of_local = name.trim_start_matches("r#");
    let is_name = name_of_local.chars().all(|c| c.is_alphanumeric() || c == '_');
    let Kind::Expr(ty) = statement.children().next()?.kind else { return None };
    is_name.then(|| (name.to_owned(), ty))
}
