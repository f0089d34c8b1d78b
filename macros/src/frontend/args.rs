//! Attribute arguments: the syntax that the attributes share, and the arguments of `#[workflow]`.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Ident, LitInt, LitStr, Token};

use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::{Level, Levels, Rule};
use crate::frontend::id_pattern::parse_id;
use crate::syntax::root::parse_crate;

/// The options of an attribute, each with an example.
pub(crate) type Known = &'static [(&'static str, &'static str)];

const WORKFLOW: Known = &[
    ("name", "name = \"order.fulfill\""),
    ("formerly", "formerly = \"order.ship\""),
    ("version", "version = 2"),
    ("allow", "allow(output)"),
    ("warn", "warn(output)"),
    ("deny", "deny(repeated_state)"),
    ("strict", "strict"),
    ("durability", "durability = \"relaxed\""),
    ("max_steps_ahead", "max_steps_ahead = 16"),
    ("history", "history = 10"),
    ("id", "id = \"order-{order.id}\""),
    CRATE,
];

const LEVELS: Known = &[
    ("allow", "allow(output)"),
    ("warn", "warn(output)"),
    ("deny", "deny(repeated_state)"),
    CRATE,
];

/// See [`Root`](crate::syntax::root::Root).
pub(crate) const CRATE: (&str, &str) = ("crate", "crate = \"framework::piton\"");

/// The arguments of `#[workflow(…)]`.
#[derive(Debug, Default)]
pub(crate) struct WorkflowArgs {
    /// `name = "…"`: the stored name, instead of the function's name.
    pub(crate) name: Option<LitStr>,
    /// `formerly = "…"`: former stored names, without repetitions.
    pub(crate) formerly: Vec<LitStr>,
    /// `version = 2`.
    pub(crate) version: Option<LitInt>,
    /// `allow(…)`, `warn(…)`, `deny(…)`.
    pub(crate) levels: Levels,
    /// `durability = "relaxed"`, with `max_steps_ahead = 16`.
    pub(crate) durability: Durability,
    /// `history = 10`: the number of past states to keep per run.
    pub(crate) history: Option<LitInt>,
    /// `id = "order-{order.id}"`: the default workflow id of a run.
    pub(crate) id: Option<LitStr>,
    /// `strict`: called free functions must be `#[deterministic]`.
    pub(crate) strict: bool,
}

impl WorkflowArgs {
    /// Parses the arguments. Reports errors, and uses the arguments without errors.
    pub(crate) fn parse(tokens: TokenStream, diagnostics: &Diagnostics) -> Self {
        let mut args = Self::default();
        let mut max_steps = None;
        parse_options(tokens, diagnostics, WORKFLOW, |key, input| {
            match key.to_string().as_str() {
                "name" => args.name = Some(parse_name(input)?),
                "formerly" => args.formerly.push(parse_name(input)?),
                "version" => {
                    args.version =
                        Some(parse_count(input, "version", "without the option, the version is 1")?)
                }
                "strict" => args.strict = true,
                "durability" => args.durability = Durability::parse(input)?,
                "max_steps_ahead" => {
                    let help = "write `durability = \"strict\"` for a workflow that commits every step before the \
                                next one";
                    max_steps = Some(parse_count(input, "max_steps_ahead", help)?);
                }
                "history" => {
                    let help = "without the option, no past states are kept";
                    args.history = Some(parse_count(input, "history", help)?);
                }
                "id" => args.id = Some(parse_id(input)?),
                "crate" => parse_crate(input)?,
                _ => args.levels.parse_list(key, input, diagnostics)?,
            }
            Ok(())
        });
        args.check_former_names(diagnostics);
        match (&mut args.durability, max_steps) {
            (Durability::Relaxed { max_steps }, given) => *max_steps = given,
            (Durability::Strict, Some(given)) => diagnostics.malformed(
                given,
                "`max_steps_ahead` needs `durability = \"relaxed\"`",
                "add `durability = \"relaxed\"`, or remove `max_steps_ahead`: a strict workflow commits every step \
                 before the next one",
            ),
            (Durability::Strict, None) => {}
        }
        args
    }

    /// Reports repeated former names.
    fn check_former_names(&self, diagnostics: &Diagnostics) {
        for (index, former) in self.formerly.iter().enumerate() {
            let name = former.value();
            if self.formerly[..index].iter().any(|other| other.value() == name) {
                let message = format!("the former name `{name}` is given twice");
                diagnostics.malformed(former, message, "remove one of them");
            }
        }
    }

    /// Reports a former name that equals the `stored` one.
    pub(crate) fn check_stored_name(&self, stored: &str, diagnostics: &Diagnostics) {
        for former in self.formerly.iter().filter(|former| former.value() == stored) {
            let message = format!("the former name `{stored}` is the present name of the workflow");
            diagnostics.malformed(
                former,
                message,
                "write a name that the workflow had before, or remove the option",
            );
        }
    }
}

/// When the state of a step is on disk.
#[derive(Clone, Debug, Default)]
pub(crate) enum Durability {
    /// Before the operations of the step start.
    #[default]
    Strict,
    /// Up to some steps later.
    Relaxed {
        /// The maximum number of steps, if the workflow has one.
        max_steps: Option<LitInt>,
    },
}

impl Durability {
    /// Parses `= "relaxed"`.
    fn parse(input: ParseStream) -> syn::Result<Self> {
        input.parse::<Token![=]>()?;
        let word: LitStr = input.parse()?;
        match word.value().as_str() {
            "strict" => Ok(Self::Strict),
            "relaxed" => Ok(Self::Relaxed { max_steps: None }),
            other => {
                let message = format!(
                    "unknown durability `{}`\n\n  help: write `\"strict\"` or `\"relaxed\"`",
                    other.escape_debug()
                );
                Err(syn::Error::new(word.span(), message))
            }
        }
    }
}

/// The methods to call on `WorkflowOptions`.
impl ToTokens for Durability {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            // The default.
            Self::Strict => TokenStream::new(),
            Self::Relaxed { max_steps } => {
                let max_steps = max_steps.as_ref().map_or_else(
                    || quote!(::piton::__private::Durability::DEFAULT_MAX_STEPS),
                    ToTokens::to_token_stream,
                );
                quote! {
                    .with_durability(
                        ::piton::__private::Durability::Relaxed { max_steps: #max_steps },
                    )
                }
            }
        });
    }
}

/// Parses `= 5`, a number of at least 1. `help` completes the error for 0.
pub(crate) fn parse_count(input: ParseStream, name: &str, help: &str) -> syn::Result<LitInt> {
    input.parse::<Token![=]>()?;
    let count: LitInt = input.parse()?;
    if count.base10_parse::<u32>()? == 0 {
        let message = format!("`{name}` must be at least 1\n\n  help: {help}");
        return Err(syn::Error::new(count.span(), message));
    }
    Ok(count)
}

/// The arguments of `#[deterministic(…)]`.
#[derive(Debug, Default)]
pub(crate) struct DeterministicArgs {
    /// `allow(…)`, `warn(…)`, `deny(…)`.
    pub(crate) levels: Levels,
}

impl DeterministicArgs {
    /// Parses the arguments. Reports errors, and uses the arguments without errors.
    pub(crate) fn parse(tokens: TokenStream, diagnostics: &Diagnostics) -> Self {
        let mut args = Self::default();
        parse_options(tokens, diagnostics, LEVELS, |key, input| match key.to_string().as_str() {
            "crate" => parse_crate(input),
            _ => args.levels.parse_list(key, input, diagnostics),
        });
        args
    }
}

impl Levels {
    /// Parses `(rule, rule)` after `level`.
    fn parse_list(
        &mut self,
        level: &Ident,
        input: ParseStream,
        diagnostics: &Diagnostics,
    ) -> syn::Result<()> {
        let content;
        syn::parenthesized!(content in input);
        let names: TokenStream = content.parse()?;
        let list = Punctuated::<Ident, Token![,]>::parse_terminated_with;
        let names = (|input: ParseStream| list(input, Ident::parse_any)).parse2(names);
        let names = names.map_err(|error| syn::Error::new(error.span(), "expected names of rules"));
        for name in names? {
            let Some(rule) = Rule::find(&name.to_string()) else {
                let known = Rule::all().filter(|rule| rule.has_levels()).map(Rule::name);
                let help = suggestion(&name.to_string(), "rules", known);
                diagnostics.malformed(&name, format!("unknown rule `{name}`"), &help);
                continue;
            };
            let level = match level.to_string().as_str() {
                "allow" => Level::Allow,
                "warn" => Level::Warn,
                _ => Level::Deny,
            };
            if level != Level::Deny && !rule.has_levels() {
                diagnostics.malformed(
                    &name,
                    format!("the rule `{name}` cannot be relaxed"),
                    "remove it from the list: code that breaks this rule cannot be compiled into a state machine",
                );
                continue;
            }
            self.set(rule, level);
        }
        Ok(())
    }
}

/// The longest stored name, in bytes: databases index names, and Postgres indexes no more than 2,704 bytes.
const MAX_NAME: usize = 1_000;

/// Parses `= "…"`, a stored name that every database can index.
pub(crate) fn parse_name(input: ParseStream) -> syn::Result<LitStr> {
    input.parse::<Token![=]>()?;
    let name: LitStr = input.parse()?;
    let text = name.value();
    let (message, help) = if text.trim().is_empty() {
        ("a name must not be empty".to_owned(), "write the name, or remove the option".to_owned())
    } else if let Some(control) = text.chars().find(|c| c.is_control()) {
        let message =
            format!("a name cannot contain the control character `{}`", control.escape_debug());
        (message, "remove the character: a name is stored as one line of text".to_owned())
    } else if text.len() > MAX_NAME {
        let message = format!("a name of {} bytes is too long", text.len());
        (message, format!("shorten it to at most {MAX_NAME} bytes"))
    } else {
        return Ok(name);
    };
    Err(syn::Error::new(name.span(), format!("{message}\n\n  help: {help}")))
}

/// Parses `key`, `key = value` and `key(…)`, separated by commas; `read` parses the part after a key. Reports every
/// error, and continues after the next comma.
pub(crate) fn parse_options(
    tokens: TokenStream,
    diagnostics: &Diagnostics,
    known: Known,
    mut read: impl FnMut(&Ident, ParseStream) -> syn::Result<()>,
) {
    let mut seen: Vec<String> = Vec::new();
    let parser = |input: ParseStream| {
        while !input.is_empty() {
            if let Err(error) = parse_option(input, diagnostics, known, &mut seen, &mut read) {
                diagnostics.push(error);
                skip_to_comma(input)?;
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    };
    if let Err(error) = parser.parse2(tokens) {
        diagnostics.push(error);
    }
}

/// Whether the attribute is written as `#[workflow = "…"]`, if the source file is available.
fn is_key_value() -> bool {
    let text = Span::call_site().source_text().unwrap_or_default();
    text.split(['(', '"']).next().is_some_and(|head| head.trim_end().ends_with('='))
}

fn parse_option(
    input: ParseStream,
    diagnostics: &Diagnostics,
    known: Known,
    seen: &mut Vec<String>,
    read: &mut impl FnMut(&Ident, ParseStream) -> syn::Result<()>,
) -> syn::Result<()> {
    let names = || known.iter().map(|(name, _)| *name);
    let Ok(key) = input.call(Ident::parse_any) else {
        let token: Option<TokenTree> = input.parse().ok();
        // rustc reports `#[workflow = "…"]`.
        if !is_key_value() {
            let help = format!("the options are {}", list(names()));
            diagnostics.malformed(token, "expected the name of an option", &help);
        }
        return skip_to_comma(input);
    };
    let name = key.to_string();
    let Some((_, example)) = known.iter().find(|(known, _)| *known == name) else {
        let help = suggestion(&name, "options", names());
        diagnostics.malformed(&key, format!("unknown option `{name}`"), &help);
        return skip_to_comma(input);
    };
    let write = format!("write `{example}`");
    // A level may have several lists, and a workflow several former names.
    let may_repeat = matches!(name.as_str(), "allow" | "warn" | "deny" | "formerly");
    if seen.contains(&name) && !may_repeat {
        diagnostics.malformed(&key, format!("`{name}` is given twice"), "remove one of them");
        return skip_to_comma(input);
    }
    seen.push(name.clone());
    let explained = |error: syn::Error| {
        let mut message = error.to_string();
        // An unexpected end has no span of its own.
        let is_at_end = message.starts_with("unexpected end of input");
        let is_without_value = is_at_end || message == "expected `=`";
        if is_without_value {
            message = format!("the value of `{name}` is missing");
        } else if message.starts_with("invalid digit") || message.starts_with("number too") {
            message = format!("the value of `{name}` must be a whole number, and not below zero");
        }
        let span = if is_without_value { key.span() } else { error.span() };
        let (message, help) = match message.split_once("\n\n  help: ") {
            Some((message, help)) => (message.to_owned(), help.to_owned()),
            None => (message, write.clone()),
        };
        diagnostics.error(span, Rule::ATTRIBUTES, message, &help);
    };
    if let Err(error) = read(&key, input) {
        explained(error);
        return skip_to_comma(input);
    }
    if !input.is_empty() && !input.peek(Token![,]) {
        let message = format!("unexpected tokens after `{name}`");
        let token: Option<TokenTree> = input.parse().ok();
        diagnostics.malformed(token, message, &write);
        return skip_to_comma(input);
    }
    Ok(())
}

/// The help for an unknown name.
fn suggestion<'a>(name: &str, what: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    let distance = |known: &str| strsim::damerau_levenshtein(&name.to_lowercase(), known);
    let nearest = known.iter().copied().min_by_key(|known| distance(known));
    let all = list(known.into_iter());
    match nearest.filter(|nearest| distance(nearest) <= 1 + name.len() / 4) {
        Some(nearest) => format!("did you mean `{nearest}`? The {what} are {all}"),
        None => format!("the {what} are {all}"),
    }
}

fn skip_to_comma(input: ParseStream) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}

/// `` `a`, `b`, `c` ``
fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_that_every_database_keeps() {
        let error = |name: &str| {
            let parsed = parse_name.parse2(quote!(= #name));
            parsed
                .err()
                .map(|error| error.to_string().lines().next().unwrap_or_default().to_owned())
        };
        assert_eq!(error("order.fulfill"), None);
        assert_eq!(error(&"ä".repeat(500)), None);
        let expected = "a name of 1001 bytes is too long";
        assert_eq!(error(&"a".repeat(1_001)).as_deref(), Some(expected));
        assert_eq!(error(" ").as_deref(), Some("a name must not be empty"));
        let expected = "a name cannot contain the control character `\\0`";
        assert_eq!(error("order\0").as_deref(), Some(expected));
    }
}
