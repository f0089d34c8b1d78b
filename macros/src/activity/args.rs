//! The arguments of `#[activity]`.

use std::ops::RangeInclusive;
use std::time::Duration;

use jiff::{Span, SpanRelativeTo};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::ParseStream;
use syn::{Ident, Lit, LitBool, LitInt, LitStr, Pat, Token};

use crate::diagnostics::Diagnostics;
use crate::frontend::args::{CRATE, Known, parse_count, parse_name, parse_options};
use crate::frontend::id_pattern::parse_id;
use crate::syntax::root::parse_crate;

/// The default of `start_to_close` with a transaction: a third of a worker's default lease.
const TRANSACTION_LIMIT: Duration = Duration::from_secs(5);

const DURATION_HELP: &str = "write it as `\"30s\"`, `\"1m\"`, `\"1h 30m\"` or `\"250ms\"`";

const ACTIVITY: Known = &[
    ("name", "name = \"shop.charge\""),
    ("start_to_close", "start_to_close = \"30s\""),
    ("schedule_to_close", "schedule_to_close = \"1h 30m\""),
    ("schedule_to_start", "schedule_to_start = \"5m\""),
    ("heartbeat", "heartbeat = \"10s\""),
    ("delay", "delay = \"10m\""),
    ("queue", "queue = \"gpu\""),
    ("priority", "priority = 5"),
    ("key", "key = \"{to}:{subject}\""),
    ("key_retention", "key_retention = \"1h\""),
    ("partition", "partition = \"{tenant}\""),
    ("retry", "retry(initial = \"1s\", max_attempts = 5)"),
    ("at_most_once", "at_most_once"),
    ("blocking", "blocking"),
    ("max_concurrent", "max_concurrent = 8"),
    ("transaction", "transaction"),
    CRATE,
];

const RETRY: Known = &[
    ("initial", "initial = \"1s\""),
    ("backoff", "backoff = 2.0"),
    ("max_interval", "max_interval = \"1m\""),
    ("max_attempts", "max_attempts = 5"),
    ("jitter", "jitter = 0.1"),
    ("non_retryable", "non_retryable = [CardError::Declined { .. }]"),
    ("panics", "panics = false"),
];

/// The arguments of `#[activity(…)]`.
#[derive(Debug, Default)]
pub(super) struct ActivityArgs {
    /// `name = "…"`: the stored name, instead of the function's name.
    pub(super) name: Option<LitStr>,
    /// `start_to_close = "…"`
    pub(super) start_to_close: Option<Duration>,
    /// `schedule_to_close = "…"`
    pub(super) schedule_to_close: Option<Duration>,
    /// `schedule_to_start = "…"`
    pub(super) schedule_to_start: Option<Duration>,
    /// `heartbeat = "…"`
    pub(super) heartbeat: Option<Duration>,
    /// `delay = "…"`
    pub(super) delay: Option<Duration>,
    /// `queue = "…"`
    pub(super) queue: Option<LitStr>,
    /// `priority = 5`
    pub(super) priority: Option<i16>,
    /// `key = "…"`: the id of the call within its queue.
    pub(super) key: Option<LitStr>,
    /// `key_retention = "…"`
    pub(super) key_retention: Option<Duration>,
    /// `partition = "…"`: the partition of the queue that the call belongs to.
    pub(super) partition: Option<LitStr>,
    /// `retry(…)`
    pub(super) retry: RetryArgs,
    /// `at_most_once`
    pub(super) at_most_once: bool,
    /// `blocking`: the function is not `async` and may block its thread.
    pub(super) blocking: bool,
    /// `transaction`: the function's writes are committed with the state of the run.
    pub(super) transaction: Option<Ident>,
    /// `max_concurrent = 8`
    pub(super) max_concurrent: Option<LitInt>,
}

/// The arguments of `retry(…)`.
#[derive(Debug, Default)]
pub(super) struct RetryArgs {
    /// `initial = "…"`
    initial: Option<Duration>,
    /// `backoff = 2.0`
    backoff: Option<f64>,
    /// `max_interval = "…"`
    max_interval: Option<Duration>,
    /// `max_attempts = 5`
    max_attempts: Option<u32>,
    /// `jitter = 0.1`
    jitter: Option<f64>,
    /// `non_retryable = [Declined { .. }, Expired]`: patterns of the error.
    pub(super) non_retryable: Vec<Pat>,
    /// `panics = false`
    panics: Option<bool>,
}

impl ActivityArgs {
    /// Parses the arguments. Reports errors, and uses the arguments without errors.
    pub(super) fn parse(tokens: TokenStream, diagnostics: &Diagnostics) -> Self {
        let mut args = Self::default();
        parse_options(tokens, diagnostics, ACTIVITY, |key, input| {
            match key.to_string().as_str() {
                "name" => args.name = Some(parse_name(input)?),
                "start_to_close" => args.start_to_close = Some(parse_duration(input)?),
                "schedule_to_close" => args.schedule_to_close = Some(parse_duration(input)?),
                "schedule_to_start" => args.schedule_to_start = Some(parse_duration(input)?),
                "heartbeat" => args.heartbeat = Some(parse_duration(input)?),
                "delay" => args.delay = Some(parse_duration(input)?),
                "queue" => args.queue = Some(parse_name(input)?),
                "priority" => args.priority = Some(parse_priority(input)?),
                "key" => args.key = Some(parse_id(input)?),
                "key_retention" => args.key_retention = Some(parse_duration(input)?),
                "partition" => args.partition = Some(parse_id(input)?),
                "crate" => parse_crate(input)?,
                "at_most_once" => args.at_most_once = true,
                "blocking" => args.blocking = true,
                "transaction" => args.transaction = Some(key.clone()),
                "max_concurrent" => {
                    let help = "the number is how many attempts one worker makes at the same time";
                    args.max_concurrent = Some(parse_count(input, "max_concurrent", help)?);
                }
                _ => {
                    let content;
                    syn::parenthesized!(content in input);
                    args.retry = RetryArgs::parse(content.parse()?, diagnostics);
                }
            }
            Ok(())
        });
        args.check_transaction(diagnostics);
        args
    }

    /// Reports options that contradict a transaction: its writes happen exactly once, so weaker promises are useless.
    fn check_transaction(&mut self, diagnostics: &Diagnostics) {
        let Some(transaction) = &self.transaction else { return };
        for (given, option, help) in [
            (
                self.at_most_once,
                "at_most_once",
                "remove `at_most_once`: a transaction is committed exactly once, however often the activity is \
                 attempted",
            ),
            (
                self.blocking,
                "blocking",
                "remove `blocking` and write `async fn`: the connection of the transaction is asynchronous",
            ),
            (
                self.queue.is_some(),
                "queue",
                "remove `queue`: the worker that owns the run commits the transaction",
            ),
        ] {
            if given {
                let message = format!("`transaction` and `{option}` cannot be combined");
                diagnostics.malformed(transaction, message, help);
            }
        }
        // The attempt holds a connection, and on SQLite the write lock, for this time at most.
        self.start_to_close.get_or_insert(TRANSACTION_LIMIT);
    }
}

impl RetryArgs {
    fn parse(tokens: TokenStream, diagnostics: &Diagnostics) -> Self {
        let mut args = Self::default();
        parse_options(tokens, diagnostics, RETRY, |key, input| {
            match key.to_string().as_str() {
                "initial" => args.initial = Some(parse_duration(input)?),
                "backoff" => args.backoff = Some(parse_backoff(input)?),
                "jitter" => args.jitter = Some(parse_jitter(input)?),
                "max_interval" => args.max_interval = Some(parse_duration(input)?),
                "non_retryable" => args.non_retryable = parse_patterns(input)?,
                "panics" => {
                    input.parse::<Token![=]>()?;
                    args.panics = Some(input.parse::<LitBool>()?.value);
                }
                _ => {
                    input.parse::<Token![=]>()?;
                    args.max_attempts = Some(input.parse::<LitInt>()?.base10_parse()?);
                }
            }
            Ok(())
        });
        args
    }
}

/// `ActivityOptions`, as a constant expression, or nothing if no option is given.
impl ToTokens for ActivityArgs {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let limits = [
            ("start_to_close", self.start_to_close),
            ("schedule_to_close", self.schedule_to_close),
            ("schedule_to_start", self.schedule_to_start),
            ("heartbeat", self.heartbeat),
            ("delay", self.delay),
            ("key_retention", self.key_retention),
        ];
        let limits = limits.into_iter().filter_map(|(key, limit)| {
            let key = quote::format_ident!("{key}");
            let limit = duration(limit?);
            Some(quote!(#key: ::core::option::Option::Some(#limit),))
        });
        let retry = self.retry.to_token_stream();
        let retry = (!retry.is_empty()).then(|| quote!(retry: #retry,));
        let queue = self.queue.as_ref().map(|queue| {
            quote! {
                queue: ::core::option::Option::Some(::std::borrow::Cow::Borrowed(#queue)),
            }
        });
        let priority = self.priority.map(|priority| quote!(priority: #priority,));
        let at_most_once = self.at_most_once.then(|| quote!(at_most_once: true,));
        let blocking = self.blocking.then(|| quote!(blocking: true,));
        let max_concurrent = self
            .max_concurrent
            .as_ref()
            .map(|limit| quote!(max_concurrent: ::core::option::Option::Some(#limit),));
        let panics = self.retry.panics.map(|retry| quote!(retry_panics: #retry,));
        let given = quote!(#retry #panics #(#limits)* #queue #priority #at_most_once #blocking #max_concurrent);
        if !given.is_empty() {
            tokens.extend(quote! {
                ::piton::__private::ActivityOptions {
                    #given
                    ..::piton::__private::ActivityOptions::DEFAULT
                }
            });
        }
    }
}

/// `RetryPolicy`, as a constant expression, or nothing if no option is given.
impl ToTokens for RetryArgs {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let initial = self.initial.map(duration).map(|value| quote!(initial_interval: #value,));
        let backoff = self.backoff.map(|value| quote!(backoff: #value,));
        let max_interval = self
            .max_interval
            .map(duration)
            .map(|value| quote!(max_interval: ::core::option::Option::Some(#value),));
        let max_attempts = self.max_attempts.map(|value| quote!(max_attempts: #value,));
        let jitter = self.jitter.map(|value| quote!(jitter: #value,));
        let given = quote!(#initial #backoff #max_interval #max_attempts #jitter);
        if !given.is_empty() {
            tokens.extend(quote! {
                ::piton::__private::RetryPolicy {
                    #given
                    ..::piton::__private::RetryPolicy::DEFAULT
                }
            });
        }
    }
}

fn duration(value: Duration) -> TokenStream {
    let (seconds, nanoseconds) = (value.as_secs(), value.subsec_nanos());
    quote!(::core::time::Duration::new(#seconds, #nanoseconds))
}

/// Parses `= "30s"`. A day has 24 hours.
fn parse_duration(input: ParseStream) -> syn::Result<Duration> {
    input.parse::<Token![=]>()?;
    let literal: Lit = input.parse()?;
    let Lit::Str(text) = &literal else {
        let message = format!("expected a duration in quotes\n\n  help: {DURATION_HELP}");
        return Err(syn::Error::new(literal.span(), message));
    };
    let failed = |reason: &dyn std::fmt::Display| {
        let message = format!(
            "`{}` is not a duration: {reason}\n\n  help: {DURATION_HELP}",
            text.value().escape_debug()
        );
        syn::Error::new(text.span(), message)
    };
    let span: Span = text.value().parse().map_err(|error: jiff::Error| failed(&error))?;
    let signed = span
        .to_duration(SpanRelativeTo::days_are_24_hours())
        .map_err(|_| failed(&"a month or year has no fixed length"))?;
    match Duration::try_from(signed) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err(failed(&"it must be longer than zero")),
    }
}

/// Parses `= 5` or `= -5`.
fn parse_priority(input: ParseStream) -> syn::Result<i16> {
    input.parse::<Token![=]>()?;
    let is_negative = input.parse::<Option<Token![-]>>()?.is_some();
    let digits: LitInt = input.parse()?;
    let text = if is_negative {
        format!("-{}", digits.base10_digits())
    } else {
        digits.base10_digits().to_owned()
    };
    text.parse().map_err(|_| {
        let help = "`priority` must be from -32768 to 32767\n\n  help: calls with a higher number are attempted first; \
                    the default is 0";
        syn::Error::new(digits.span(), help)
    })
}

/// Parses `= [Declined { .. }, Expired | Stolen]`.
fn parse_patterns(input: ParseStream) -> syn::Result<Vec<Pat>> {
    input.parse::<Token![=]>()?;
    if !input.peek(syn::token::Bracket) {
        return Err(input.error(
            "expected a list of patterns\n\n  help: write \
             `non_retryable = [CardError::Declined { .. }, CardError::Expired]`",
        ));
    }
    let content;
    syn::bracketed!(content in input);
    let patterns = content.parse_terminated(Pat::parse_multi, Token![,])?;
    Ok(patterns.into_iter().collect())
}

/// Parses a factor of at least 1.
fn parse_backoff(input: ParseStream) -> syn::Result<f64> {
    parse_number(
        input,
        1.0..=f64::MAX,
        "`backoff` must be at least 1.0\n\n  help: each wait is the previous wait times `backoff`; `1.0` keeps it \
         constant",
    )
}

/// Parses a fraction from 0 to 1.
fn parse_jitter(input: ParseStream) -> syn::Result<f64> {
    parse_number(
        input,
        0.0..=1.0,
        "`jitter` must be between 0.0 and 1.0\n\n  help: `0.1` shortens each wait by up to a tenth, \
         at random",
    )
}

/// Parses `= 2.0` or `= 2`.
fn parse_number(input: ParseStream, range: RangeInclusive<f64>, message: &str) -> syn::Result<f64> {
    input.parse::<Token![=]>()?;
    let literal: Lit = input.parse()?;
    let value = match &literal {
        Lit::Float(value) => value.base10_parse::<f64>()?,
        Lit::Int(value) => f64::from(value.base10_parse::<u32>()?),
        _ => return Err(syn::Error::new(literal.span(), "expected a number such as `2.0`")),
    };
    if range.contains(&value) { Ok(value) } else { Err(syn::Error::new(literal.span(), message)) }
}
