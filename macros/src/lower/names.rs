//! Names of states and temporaries, derived from the source.
//!
//! They are stored, so they depend only on the source of the single expression; equal names are distinguished by
//! their order. A state of an `async` block is named after its branch, such as `join.0.charge`, so that branches do
//! not affect each other's names.

use std::collections::HashMap;

use proc_macro2::Span;
use quote::ToTokens;
use syn::{Attribute, Expr, Ident, Pat};

use crate::collections::by_name::NameMap;
use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::Rule;
use crate::ir::{NamedBranch, Point, PointId, PointKind};
use crate::lower::Lower;
use crate::syntax::fingerprint::Place;
use crate::syntax::names::{is_any_of, without_prefix};
use crate::syntax::patterns::collect_bindings;

/// The name and kind of the state in which an operation is awaited.
fn of_future(future: &Expr, context: Option<&Ident>) -> (String, PointKind) {
    match root_of_chain(future) {
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => (last_segment(&path.path), PointKind::Call),
            _ => ("await".to_owned(), PointKind::Other),
        },
        Expr::MethodCall(call) => {
            let method = call.method.to_string();
            let on_context = matches!(&*call.receiver, Expr::Path(path)
                if context.is_some_and(|context| path.path.is_ident(context)));
            match method.as_str() {
                // Named after what is shielded, so that a shield can be put around it later.
                "shield" if on_context && call.args.len() == 1 => of_future(&call.args[0], context),
                // So can a time limit.
                "timeout" if on_context && call.args.len() == 2 => {
                    of_future(&call.args[1], context)
                }
                "sleep" | "sleep_until" if on_context => (method, PointKind::Timer),
                "signal" if on_context => (format!("signal{}", turbofish(call)), PointKind::Signal),
                "start_child" if on_context => (child(call).unwrap_or(method), PointKind::Other),
                "update" if on_context => (format!("update{}", turbofish(call)), PointKind::Update),
                "promise" | "shared_promise" if on_context => {
                    (format!("promise{}", literal(call)), PointKind::Other)
                }
                _ => (method, PointKind::Other),
            }
        }
        Expr::Path(path) => (last_segment(&path.path), PointKind::Other),
        Expr::Field(field) => (field.member.to_token_stream().to_string(), PointKind::Other),
        _ => ("await".to_owned(), PointKind::Other),
    }
}

/// The workflow that a child runs.
fn child(call: &syn::ExprMethodCall) -> Option<String> {
    match call.args.first()? {
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => Some(last_segment(&path.path)),
            _ => None,
        },
        _ => None,
    }
}

/// Methods that await what they are called on in another way.
const MODIFIERS: [&str; 3] = ["clone", "or_cancelled", "timeout"];

/// The call at the start of a chain of methods such as `charge(…).retry(…)`, the method called on the context, or the
/// variable that holds an operation: `approval` in `approval.timeout(…)`.
fn root_of_chain(expr: &Expr) -> &Expr {
    match expr {
        Expr::MethodCall(call) => {
            let receiver = root_of_chain(&call.receiver);
            let is_call = matches!(receiver, Expr::Call(_) | Expr::MethodCall(_));
            // `cx.timeout(limit, operation)` has another argument.
            let modifies = call.args.len() < 2 && is_any_of(&call.method, &MODIFIERS);
            if is_call || modifies { receiver } else { expr }
        }
        Expr::Paren(expr) => root_of_chain(&expr.expr),
        Expr::Group(expr) => root_of_chain(&expr.expr),
        expr => expr,
    }
}

fn last_segment(path: &syn::Path) -> String {
    let name = path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
    without_prefix(&name).to_owned()
}

/// `<Approve>`
fn turbofish(call: &syn::ExprMethodCall) -> String {
    let Some(arguments) = &call.turbofish else { return String::new() };
    let names = arguments.args.iter().map(|argument| match argument {
        syn::GenericArgument::Type(syn::Type::Path(path)) => last_segment(&path.path),
        other => other.to_token_stream().to_string().replace(' ', ""),
    });
    format!("<{}>", names.collect::<Vec<_>>().join(", "))
}

/// `<approval>` for a call with this text.
fn literal(call: &syn::ExprMethodCall) -> String {
    match call.args.first() {
        Some(Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. })) => {
            format!("<{}>", text.value())
        }
        _ => String::new(),
    }
}

/// The name of a temporary that holds the value of an expression.
pub(crate) fn of_value(value: &Expr) -> String {
    match value {
        Expr::Await(expr) => of_value(&expr.base),
        Expr::Try(expr) => of_value(&expr.expr),
        Expr::Paren(expr) => of_value(&expr.expr),
        Expr::Reference(expr) => of_value(&expr.expr),
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => format!("{}()", last_segment(&path.path)),
            _ => "call".to_owned(),
        },
        Expr::MethodCall(call) => format!("{}()", call.method),
        Expr::Macro(call) => format!("{}!", last_segment(&call.mac.path)),
        Expr::Path(path) if !path.path.segments.is_empty() => last_segment(&path.path),
        Expr::Field(expr) => expr.member.to_token_stream().to_string(),
        Expr::If(_) => "if".to_owned(),
        Expr::Match(_) => "match".to_owned(),
        Expr::Index(_) => "index".to_owned(),
        _ => "value".to_owned(),
    }
}

/// The name of what a pattern binds first.
pub(crate) fn of_pattern(pat: &Pat) -> String {
    let mut idents = Vec::new();
    collect_bindings(pat, &mut idents);
    idents.first().map_or_else(|| "loop".to_owned(), ToString::to_string)
}

/// `#[state("…")]`
pub(crate) struct Pin {
    name: String,
    span: Span,
}

/// A branch, with the name that an attribute gives it.
pub(crate) struct BranchName {
    branch: NamedBranch,
    pin: Option<Pin>,
}

/// The attributes of an expression, but for what is no expression by itself.
fn attributes(expr: &mut Expr) -> Option<&mut Vec<Attribute>> {
    macro_rules! of {
        ($($kind:ident)*) => {
            match expr {
                $(Expr::$kind(expr) => Some(&mut expr.attrs),)*
                _ => None,
            }
        };
    }
    of! {
        Array Assign Async Await Binary Block Break Call Cast Field ForLoop Group If Index Let Loop Macro Match
        MethodCall Paren Path Range Reference Repeat Return Struct Try Tuple Unary While
    }
}

impl Lower<'_> {
    /// Takes the attribute off an expression.
    pub(crate) fn take_pin(&mut self, expr: &mut Expr) -> Option<Pin> {
        let mut attrs = std::mem::take(attributes(expr)?);
        let pin = self.take_pin_attrs(&mut attrs);
        *attributes(expr)? = attrs;
        pin
    }

    /// Takes `#[state("…")]` out of attributes.
    pub(crate) fn take_pin_attrs(&mut self, attrs: &mut Vec<Attribute>) -> Option<Pin> {
        let mut named = attrs.extract_if(.., |attr| attr.path().is_ident("state"));
        let attr = named.next()?;
        if let Some(second) = named.next() {
            let message = "this state is named twice";
            let help = "remove one of the attributes";
            self.diagnostics.error_at(second, Rule::STATE_NAME, message, help);
        }
        drop(named);
        match attr.parse_args::<syn::LitStr>() {
            Ok(name) if name.value().contains(char::is_control) => {
                let message = "the name of a state must be one line of text without tabs";
                let help = "remove the control characters";
                self.diagnostics.error(name.span(), Rule::STATE_NAME, message, help);
                None
            }
            Ok(name) if !name.value().trim().is_empty() => {
                Some(Pin { name: name.value(), span: name.span() })
            }
            _ => {
                self.diagnostics.malformed(
                    attr,
                    "the name of a state is missing",
                    "write `#[state(\"awaiting_payment\")]`",
                );
                None
            }
        }
    }

    /// The name of a temporary that holds the value of an expression. What holds that of another is called like it: the
    /// name of its own has a number, which other code changes. What holds that of a local of the source must not be taken
    /// for the local.
    pub(crate) fn name_of_value(&self, value: &Expr) -> String {
        let name = of_value(value);
        match self.locals.find_name(&name) {
            Some(local) if self.locals[local].is_temporary => self.locals[local].name().to_owned(),
            Some(local) => format!("value of {}", self.locals[local].name()),
            None => name,
        }
    }

    /// The name and kind of the state in which an operation is awaited. A local goes by its name in the source.
    pub(crate) fn name_of_future(&self, future: &Expr) -> (String, PointKind) {
        let (name, kind) = of_future(future, self.context.as_ref());
        match root_of_chain(future) {
            Expr::Path(path) => {
                let local = path.path.get_ident().map(ToString::to_string);
                let local = local.and_then(|local| self.locals.find_name(&local));
                (
                    local
                        .map_or(name, |local| without_prefix(self.locals[local].name()).to_owned()),
                    kind,
                )
            }
            _ => (name, kind),
        }
    }

    /// What a branch of a point is called, and whether it is an `async` block.
    pub(crate) fn name_branch(&self, future: &Expr, pin: Option<Pin>) -> BranchName {
        let (name, is_block) = match future {
            Expr::Paren(expr) => return self.name_branch(&expr.expr, pin),
            Expr::Group(expr) => return self.name_branch(&expr.expr, pin),
            Expr::Async(_) => ("async".to_owned(), true),
            operation => (self.name_of_future(operation).0, false),
        };
        let fingerprint = self.locals.fingerprint(future);
        let branch = NamedBranch { name, is_block, place: Place::only(fingerprint) };
        BranchName { branch, pin }
    }

    /// Gives a point its branches.
    pub(crate) fn set_branches(&mut self, point: PointId, names: Vec<BranchName>) {
        let pins: Vec<_> = names.iter().filter_map(|name| name.pin.as_ref()).collect();
        let mut seen: NameMap<Vec<usize>> = NameMap::default();
        for (index, BranchName { branch, pin }) in names.iter().enumerate() {
            let name = pin.as_ref().map_or(&branch.name, |pin| &pin.name);
            seen.get_or_insert(name.clone(), Vec::new()).push(index);
        }
        for pin in pins {
            if seen.get(&pin.name).is_some_and(|alike| alike.len() > 1) {
                self.diagnostics.error(
                    pin.span,
                    Rule::STATE_NAME,
                    format!("another branch is named `{}`", pin.name),
                    "give each branch a different name",
                );
            }
        }
        let branches = names.into_iter().enumerate().map(|(index, BranchName { branch, pin })| {
            let name = pin.map_or(branch.name, |pin| pin.name);
            let alike = seen.get(&name).map_or(&[][..], |alike| alike);
            let place = Place {
                index: alike.iter().take_while(|other| **other <= index).count(),
                count: alike.len(),
                ..branch.place
            };
            NamedBranch { name, place, ..branch }
        });
        self.points[point.0].branches = branches.collect();
    }

    /// Names the point that has been added since there were `first`.
    pub(crate) fn pin(&mut self, pin: Option<Pin>, first: usize) {
        let Some(pin) = pin else { return };
        let is_select = |point: &Point| point.kind == PointKind::Select;
        let within = self.within;
        match &mut self.points[first..] {
            // The handlers of a `select!` and the blocks of branches have states of their own.
            [point, rest @ ..]
                if is_select(point) || rest.iter().all(|point| point.within != within) =>
            {
                point.name = pin.name;
            }
            points => {
                let message = if points.is_empty() {
                    "`#[state]` names the state of an `.await`, and there is none here"
                } else {
                    "`#[state]` names one state, and there are several here"
                };
                self.diagnostics.error(
                    pin.span,
                    Rule::STATE_NAME,
                    message,
                    "put `#[state(\"…\")]` on a statement with one `.await`",
                );
                return;
            }
        }
        self.pinned.push((PointId(first), pin.span));
    }
}

/// Makes the names unlike each other: the second `charge` is `charge#2`. A name that an attribute gives
/// must not be one that another state has by itself, which that would lose.
pub(crate) fn number(points: &mut [Point], pinned: &[(PointId, Span)], diagnostics: &Diagnostics) {
    let mut pins: NameMap<Span> = NameMap::default();
    let report = |span: Span, name: &str| {
        diagnostics.error(
            span,
            Rule::STATE_NAME,
            format!("another state is named `{name}`"),
            "give each state a different name",
        );
    };
    for (id, span) in pinned {
        let name = points[id.0].name.clone();
        if name == "start" || pins.contains(&name) {
            report(*span, &name);
        } else {
            pins.insert(name, *span);
        }
    }
    let mut counts = NameMap::default();
    counts.insert("start".to_owned(), 1_usize);
    let mut numbered = Vec::new();
    for index in 0..points.len() {
        if pinned.iter().any(|(id, _)| id.0 == index) {
            continue;
        }
        // A point stands before those in its branches.
        if let Some((outer, branch)) = points[index].within {
            points[index].name =
                format!("{}.{branch}.{}", points[outer.0].name, points[index].name);
        }
        let name = &mut points[index].name;
        let count = counts.get_or_insert(name.clone(), 0);
        *count += 1;
        // No await is that of the start.
        let first = if name == "start" { 2 } else { 1 };
        points[index].place.index = *count + 1 - first;
        numbered.push((index, name.clone(), first));
        if *count > 1 {
            let shared = std::mem::take(name);
            *name = format!("{shared}#{count}");
            points[index].repeats = Some(shared);
        }
        if let Some(span) = pins.remove(&points[index].name) {
            report(span, &points[index].name);
        }
    }
    // Awaits that read alike are told apart by what is around them.
    let fingerprint = |index: usize| points[index].place.fingerprint;
    let mut alike = HashMap::new();
    for (index, name, _) in &numbered {
        alike.entry((name, fingerprint(*index))).or_insert_with(Vec::new).push(*index);
    }
    for index in alike.into_values().filter(|alike| alike.len() > 1).flatten() {
        let point = &mut points[index];
        point.place.fingerprint = point.around.around(point.place.fingerprint);
    }
    for (index, name, first) in numbered {
        points[index].place.count = counts.get(&name).map_or(1, |count| *count + 1 - first);
    }
}
