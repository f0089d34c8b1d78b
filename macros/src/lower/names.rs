//! Names of states and temporaries, and the [`PointKind`] of an awaited operation, derived from the source.
//!
//! The names are stored, so they depend only on the source of one expression. [`points`](super::points) numbers equal
//! names.

use quote::{ToTokens, quote};
use syn::{Attribute, Expr, Ident, Pat};

use crate::diagnostics::rules::Rule;
use crate::ir::{LocalId, NamedBranch, PointKind};
use crate::lower::Lower;
use crate::lower::points::{BranchName, Pin};
use crate::syntax::fingerprint::{Fingerprint, Place};
use crate::syntax::names::{is_any_of, without_prefix};
use crate::syntax::patterns::bindings;

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
                // The state is named after the shielded operation, so that the name stays if a shield is added later.
                "shield" if on_context && call.args.len() == 1 => of_future(&call.args[0], context),
                // Likewise for a time limit.
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

/// The name of the workflow that a child runs.
fn child(call: &syn::ExprMethodCall) -> Option<String> {
    match call.args.first()? {
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => Some(last_segment(&path.path)),
            _ => None,
        },
        _ => None,
    }
}

/// Methods that return the same operation, awaited in another way.
const MODIFIERS: [&str; 4] = ["clone", "or_cancelled", "result", "timeout"];

/// The call at the start of a chain of methods such as `charge(…).retry(…)`, the method called on the context, or the
/// variable that holds an operation: `approval` in `approval.timeout(…)`.
fn root_of_chain(expr: &Expr) -> &Expr {
    match expr {
        Expr::MethodCall(call) => {
            let receiver = root_of_chain(&call.receiver);
            let is_call = matches!(receiver, Expr::Call(_) | Expr::MethodCall(_));
            // `cx.timeout(limit, operation)` has a second argument.
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

/// The name of a temporary for the value of an expression.
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

/// The attributes of an expression that can have `#[state]`.
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
    /// Takes `#[state("…")]` off an expression.
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

    /// The name of a temporary for the value of an expression. A temporary for the value of another temporary has the
    /// same source name, because identifiers of temporaries have numbers that other code changes. A temporary for the
    /// value of a source local has a name of its own.
    pub(crate) fn name_of_value(&self, value: &Expr) -> String {
        let name = of_value(value);
        match self.locals.find_name(&name) {
            Some(local) if self.locals[local].is_temporary => self.locals[local].name().to_owned(),
            Some(local) => format!("value of {}", self.locals[local].name()),
            None => name,
        }
    }

    /// The source name of the first binding of a pattern.
    pub(crate) fn name_of_pattern(&self, pat: &Pat) -> String {
        let idents = bindings(pat);
        let Some(first) = idents.first() else { return "loop".to_owned() };
        match self.locals.find(first) {
            Some(local) => self.locals[local].name().to_owned(),
            None => first.to_string(),
        }
    }

    /// The name and kind of the state in which an operation is awaited. An operation in a local has the source name of
    /// the local.
    pub(crate) fn name_of_future(&self, future: &Expr) -> (String, PointKind) {
        let (name, kind) = of_future(future, self.context.as_ref());
        match self.holder_of_future(future) {
            Some(local) => (without_prefix(self.locals[local].name()).to_owned(), kind),
            None => (name, kind),
        }
    }

    /// The place of an await of the operation. If a local holds the operation, the code that binds the local tells it from
    /// another.
    pub(crate) fn place_of_future(&self, future: &Expr) -> Place {
        let holder = self.holder_of_future(future);
        let others = holder.map_or(Fingerprint::NONE, |local| self.locals[local].identity.bound_by);
        let operation = self.operation(root_of_chain(future));
        Place { others, operation, ..Place::only(self.locals.fingerprint(future)) }
    }

    /// The fingerprint of a call without its path and options: `charge(id)` of `bank::charge(id).start_to_close(limit)`.
    fn operation(&self, call: &Expr) -> Fingerprint {
        match call {
            Expr::Call(call) => {
                let Expr::Path(function) = &*call.func else { return Fingerprint::NONE };
                let (name, args) = (last_segment(&function.path), &call.args);
                self.locals.fingerprint_by_bindings(&quote!(#name(#args)))
            }
            Expr::MethodCall(call) => self.locals.fingerprint_by_bindings(call),
            _ => Fingerprint::NONE,
        }
    }

    /// The local that holds the operation.
    fn holder_of_future(&self, future: &Expr) -> Option<LocalId> {
        match root_of_chain(future) {
            Expr::Path(path) => self.locals.find_name(&path.path.get_ident()?.to_string()),
            _ => None,
        }
    }

    /// The name of a branch, and whether it is an `async` block.
    pub(crate) fn name_branch(&self, future: &Expr, pin: Option<Pin>) -> BranchName {
        let (name, is_block) = match future {
            Expr::Paren(expr) => return self.name_branch(&expr.expr, pin),
            Expr::Group(expr) => return self.name_branch(&expr.expr, pin),
            Expr::Async(_) => ("async".to_owned(), true),
            operation => (self.name_of_future(operation).0, false),
        };
        let branch = NamedBranch { name, is_block, place: self.place_of_future(future) };
        BranchName { branch, pin, condition: Fingerprint::NONE }
    }
}
