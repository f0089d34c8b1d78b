//! The parser of filters.
//!
//! The grammar is that of SQL's conditions, as parsed by `sqlparser`; constructs without a meaning for runs are
//! refused, with their position.

use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArguments, Ident, InTarget, Interval, Spanned,
    TypedString, UnaryOperator, Value, ValueWithSpan,
};
use sqlparser::dialect::Dialect;
use sqlparser::keywords::ALL_KEYWORDS;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Span, Token, TokenWithSpan, Tokenizer};

use super::column::{Column, ColumnType, near};
use super::error::FilterError;
use super::literal::{self, Pattern, pattern};
use super::tree::{Check, Comparison, Condition, Moment, Scalar, Subject, Test};

/// The maximum length of a filter in bytes, far beyond practical use.
const MAX_BYTES: usize = 64 << 10;

/// SQL as every database has it.
#[derive(Debug)]
struct Grammar;

impl Dialect for Grammar {
    fn is_identifier_start(&self, letter: char) -> bool {
        letter.is_alphabetic() || letter == '_'
    }

    fn is_identifier_part(&self, letter: char) -> bool {
        letter.is_alphanumeric() || letter == '_'
    }
}

type Result<T> = std::result::Result<T, FilterError>;

/// Parses a filter. An empty or blank text matches all runs.
pub(super) fn parse(text: &str) -> Result<Condition> {
    if text.trim().is_empty() {
        return Ok(Condition::always());
    }
    if text.len() > MAX_BYTES {
        let message = format!("the filter is longer than {MAX_BYTES} bytes");
        return Err(FilterError::new(None, message));
    }
    let mut tokenizer = Tokenizer::new(&Grammar, text);
    let tokens = tokenizer
        .tokenize_with_location()
        .map_err(|error| error_at(error.location.line, error.location.column, error.message))?;
    // The parser has other meanings for these.
    let is_of_programs =
        |token: &&TokenWithSpan| matches!(token.token, Token::Overlap | Token::StringConcat);
    if let Some(token) = tokens.iter().find(is_of_programs) {
        return Err(unexpected(token));
    }
    let mut parser = Parser::new(&Grammar).with_tokens_with_locations(tokens);
    let expression = parser.parse_expr().map_err(not_understood)?;
    let rest = parser.peek_token();
    if rest.token != Token::EOF {
        return Err(unexpected(&rest));
    }
    condition(&expression)
}

fn unexpected(token: &TokenWithSpan) -> FilterError {
    let start = token.span.start;
    let message = format!("`{}` is not expected here", token.token);
    error_at(start.line, start.column, message).help("join conditions by `and` or `or`")
}

/// Whether a name would be parsed as a keyword of SQL.
pub(super) fn is_keyword(name: &str) -> bool {
    ALL_KEYWORDS.binary_search(&name.to_ascii_uppercase().as_str()).is_ok()
}

fn not_understood(error: ParserError) -> FilterError {
    let message = match error {
        ParserError::TokenizerError(message) | ParserError::ParserError(message) => message,
        ParserError::RecursionLimitExceeded => {
            return FilterError::new(None, "the filter is nested too deep");
        }
    };
    // The parser ends its messages with the place.
    match message.rsplit_once(" at Line: ") {
        Some((message, place)) => {
            let place = place
                .split_once(", Column: ")
                .and_then(|(line, column)| Some((line.parse().ok()?, column.parse().ok()?)));
            FilterError::new(place, lower_case(message))
        }
        None => FilterError::new(None, lower_case(&message)),
    }
}

fn lower_case(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

fn error_at(line: u64, column: u64, message: impl Into<String>) -> FilterError {
    FilterError::new((line > 0).then_some((line, column)), message)
}

fn wrong(span: Span, message: impl Into<String>) -> FilterError {
    error_at(span.start.line, span.start.column, message)
}

fn condition(expression: &Expr) -> Result<Condition> {
    match expression {
        Expr::Nested(inner) => condition(inner),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            Ok(condition(left)?.and(condition(right)?))
        }
        Expr::BinaryOp { left, op: BinaryOperator::Or, right } => {
            Ok(condition(left)?.or(condition(right)?))
        }
        Expr::UnaryOp { op: UnaryOperator::Not, expr } => Ok(condition(expr)?.negated()),
        Expr::BinaryOp { left, op, right } => {
            let (comparison, negated) = comparison(op, left.span())?;
            let subject = subject(left)?;
            let value = scalar(&subject, right)?;
            refuse_order(&subject, comparison, left.span())?;
            Ok(test(subject, Check::Compare(comparison, value), negated))
        }
        Expr::In { expr, target: InTarget::List(list), negated, global: false } => {
            let subject = subject(expr)?;
            let values: Result<Vec<_>> = list.iter().map(|item| scalar(&subject, item)).collect();
            Ok(test(subject, Check::In(values?), *negated))
        }
        Expr::Between { expr, negated, low, high } => {
            let subject = subject(expr)?;
            refuse_order(&subject, Comparison::Less, expr.span())?;
            let (low, high) = (scalar(&subject, low)?, scalar(&subject, high)?);
            let from = Check::Compare(Comparison::GreaterOrEqual, low);
            let to = Check::Compare(Comparison::LessOrEqual, high);
            let both = test(subject.clone(), from, false).and(test(subject, to, false));
            Ok(if *negated { both.negated() } else { both })
        }
        Expr::Like { negated, any: false, expr, pattern, escape_char: None } => {
            like(expr, pattern, *negated)
        }
        Expr::IsNull(expr) => Ok(test(subject(expr)?, Check::Unset, false)),
        Expr::IsNotNull(expr) => Ok(test(subject(expr)?, Check::Unset, true)),
        Expr::Value(ValueWithSpan { value: Value::Boolean(true), .. }) => Ok(Condition::always()),
        Expr::Value(ValueWithSpan { value: Value::Boolean(false), .. }) => {
            Ok(Condition::always().negated())
        }
        other => Err(wrong(other.span(), format!("`{other}` is not a condition"))
            .help("a condition is like `status = 'blocked'`")),
    }
}

fn test(subject: Subject, check: Check, negated: bool) -> Condition {
    Condition::Test(Test { subject, check, negated })
}

fn comparison(op: &BinaryOperator, span: Span) -> Result<(Comparison, bool)> {
    Ok(match op {
        BinaryOperator::Eq => (Comparison::Equal, false),
        BinaryOperator::NotEq => (Comparison::Equal, true),
        BinaryOperator::Lt => (Comparison::Less, false),
        BinaryOperator::LtEq => (Comparison::LessOrEqual, false),
        BinaryOperator::Gt => (Comparison::Greater, false),
        BinaryOperator::GtEq => (Comparison::GreaterOrEqual, false),
        other => {
            return Err(wrong(span, format!("filters do not have the operator `{other}`"))
                .help("they compare with =, !=, <, <=, >, >=, in, between and like"));
        }
    })
}

/// The left side of a comparison.
fn subject(expression: &Expr) -> Result<Subject> {
    match expression {
        Expr::Identifier(name) => named(name),
        Expr::CompoundIdentifier(names) => match &names[..] {
            [first, path @ ..] if first.quote_style.is_none() && first.value == "var" => {
                Ok(Subject::Variable(path.iter().map(|name| name.value.clone()).collect()))
            }
            _ => Err(wrong(expression.span(), format!("there is no `{expression}`"))
                .help("variables are written `var.order.cents`, attributes by their names alone")),
        },
        Expr::Value(_) => Err(wrong(expression.span(), "a value stands before the comparison")
            .help("write the column or attribute first, as in `status = 'blocked'`")),
        other => Err(wrong(other.span(), format!("`{other}` cannot be compared"))
            .help("a column, an attribute or `var.` and the name of a variable can")),
    }
}

fn named(name: &Ident) -> Result<Subject> {
    if name.quote_style.is_some() {
        return Ok(Subject::Attribute(name.value.clone()));
    }
    if let Some(column) = Column::parse(&name.value) {
        return Ok(Subject::Column(column));
    }
    match Column::near(&name.value) {
        Some(near) => {
            let message = format!("there is no column `{}`", name.value);
            Err(wrong(name.span, message).help(format!(
                "write `{near}`, or `\"{}\"` for an attribute of this name",
                name.value
            )))
        }
        None => Ok(Subject::Attribute(name.value.clone())),
    }
}

/// Words and hashes have no meaningful order.
fn refuse_order(subject: &Subject, comparison: Comparison, span: Span) -> Result<()> {
    match subject {
        Subject::Column(column)
            if comparison != Comparison::Equal
                && matches!(column.ty(), ColumnType::Word(_) | ColumnType::Definition) =>
        {
            Err(wrong(span, format!("`{column}` has no order")).help("compare it with =, != or in"))
        }
        _ => Ok(()),
    }
}

/// The right side of a comparison.
fn scalar(subject: &Subject, expression: &Expr) -> Result<Scalar> {
    let span = expression.span();
    let value = value(expression)?;
    match subject {
        Subject::Column(column) => of_column(*column, value, span),
        Subject::Variable(_) if matches!(value, Scalar::Time(_)) => {
            Err(wrong(span, "a variable is not compared with a time")
                .help("times within variables are numbers or texts: compare with one of these"))
        }
        Subject::Attribute(_) | Subject::Variable(_) => Ok(value),
    }
}

fn value(expression: &Expr) -> Result<Scalar> {
    let span = expression.span();
    match expression {
        Expr::Nested(inner) => value(inner),
        Expr::Value(ValueWithSpan { value, .. }) => match value {
            Value::SingleQuotedString(text) => match text.contains('\0') {
                true => Err(wrong(span, "the character NUL is in no text of a run")),
                false => Ok(Scalar::Text(text.clone())),
            },
            Value::Boolean(truth) => Ok(Scalar::Bool(*truth)),
            Value::Number(digits, _) => number(digits, span),
            Value::Null => Err(wrong(span, "nothing equals null").help("write `is null`")),
            other => Err(wrong(span, format!("`{other}` is not a value of a filter"))),
        },
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => match &**expr {
            Expr::Value(ValueWithSpan { value: Value::Number(digits, _), .. }) => {
                number(&format!("-{digits}"), span)
            }
            other => Err(wrong(span, format!("`-{other}` is not a value of a filter"))),
        },
        Expr::TypedString(TypedString { value, .. }) => {
            let text = value.clone().value.into_string().unwrap_or_default();
            time(&text, span).map(Scalar::Time)
        }
        Expr::Function(function) => now(function, span).map(Scalar::Time),
        Expr::BinaryOp { left, op, right } => relative(left, op, right, span).map(Scalar::Time),
        Expr::Identifier(name) if name.quote_style.is_some() => {
            Err(wrong(span, format!("{name} is a name and no text"))
                .help(format!("texts are in single quotes: '{}'", name.value)))
        }
        Expr::Identifier(name) => Err(wrong(span, format!("`{name}` is not a value"))
            .help(format!("texts are in single quotes: '{name}'"))),
        other => Err(wrong(span, format!("`{other}` is not a value of a filter"))
            .help("values are texts, numbers, true, false and times")),
    }
}

fn number(digits: &str, span: Span) -> Result<Scalar> {
    if let Ok(number) = digits.parse() {
        return Ok(Scalar::Integer(number));
    }
    match digits.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(Scalar::Float(number)),
        _ => Err(wrong(span, format!("the number {digits} is out of range"))),
    }
}

fn time(text: &str, span: Span) -> Result<Moment> {
    text.parse().map(Moment::At).map_err(|_| {
        wrong(span, format!("'{text}' is not a time"))
            .help("times are in UTC: '2026-01-31', '2026-01-31T12:00:00Z'")
    })
}

fn now(function: &Function, span: Span) -> Result<Moment> {
    let has_arguments = match &function.args {
        FunctionArguments::None => false,
        FunctionArguments::List(list) => !list.args.is_empty(),
        FunctionArguments::Subquery(_) => true,
    };
    if has_arguments || !function.name.to_string().eq_ignore_ascii_case("now") {
        return Err(wrong(span, format!("there is no function `{}`", function.name))
            .help("the only one is `now()`"));
    }
    Ok(Moment::Ago(std::time::Duration::ZERO))
}

/// `now() - interval '3 days'`.
fn relative(left: &Expr, op: &BinaryOperator, right: &Expr, span: Span) -> Result<Moment> {
    let help = "times are counted as in `now() - interval '3 days'`";
    let is_now = value(left)? == Scalar::Time(Moment::Ago(std::time::Duration::ZERO));
    let Expr::Interval(Interval { value, leading_field, .. }) = right else {
        return Err(wrong(span, "values are not computed here").help(help));
    };
    let Expr::Value(ValueWithSpan { value: Value::SingleQuotedString(text), .. }) = &**value else {
        return Err(wrong(right.span(), "the interval is not a text").help(help));
    };
    let text = match leading_field {
        Some(unit) => format!("{text} {unit}"),
        None => text.clone(),
    };
    let by = literal::duration(&text).ok_or_else(|| {
        wrong(value.span(), format!("'{text}' is not an interval"))
            .help("it is a number and a unit: weeks, days, hours, minutes, seconds")
    })?;
    match op {
        BinaryOperator::Minus if is_now => Ok(Moment::Ago(by)),
        BinaryOperator::Plus if is_now => Ok(Moment::In(by)),
        _ => Err(wrong(span, "intervals are added to and taken from now() alone").help(help)),
    }
}

fn of_column(column: Column, value: Scalar, span: Span) -> Result<Scalar> {
    match (column.ty(), value) {
        (ColumnType::Time, Scalar::Text(text)) => time(&text, span).map(Scalar::Time),
        (ColumnType::Time, value @ Scalar::Time(_)) => Ok(value),
        (ColumnType::Time, value) => Err(wrong(span, format!("`{column}` is a time, not {value}"))
            .help("times are like '2026-01-31T12:00:00Z' and `now() - interval '3 days'`")),
        (ColumnType::Text, value @ Scalar::Text(_)) => Ok(value),
        (ColumnType::Word(words), Scalar::Text(text)) => {
            let words = words.all();
            if words.contains(&&*text) {
                return Ok(Scalar::Text(text));
            }
            let error = wrong(span, format!("there is no {} '{text}'", name_of(column)));
            Err(match near(&text, words.iter().copied()) {
                Some(near) => error.help(format!("write '{near}'")),
                None => error.help(format!("it is one of {}", words.join(", "))),
            })
        }
        (ColumnType::RunId, Scalar::Text(text)) => match text.parse() {
            Ok(run_id) => Ok(Scalar::RunId(run_id)),
            Err(_) => Err(wrong(span, format!("'{text}' is not a run id"))
                .help("run ids are UUIDs; compare `workflow_id` with the key of your own")),
        },
        (ColumnType::Definition, Scalar::Text(text)) => match parse_hash(&text) {
            Some(hash) => Ok(Scalar::Definition(hash)),
            None => Err(wrong(span, format!("'{text}' is not a definition"))
                .help("it is 16 hex digits, as `piton definition list` shows them")),
        },
        (_, value) => Err(wrong(span, format!("`{column}` is a text, not {value}"))
            .help("texts are in single quotes")),
    }
}

fn name_of(column: Column) -> &'static str {
    match column {
        Column::BlockedKind => "kind of being blocked",
        column => column.as_str(),
    }
}

fn parse_hash(digits: &str) -> Option<crate::model::DefinitionHash> {
    let is_hex = digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let hash = u64::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
    Some(crate::model::DefinitionHash(hash))
}

fn like(expression: &Expr, text: &Expr, negated: bool) -> Result<Condition> {
    let subject = subject(expression)?;
    if let Subject::Column(column) = subject
        && column.ty() != ColumnType::Text
    {
        return Err(wrong(expression.span(), format!("`{column}` is not compared with `like`")));
    }
    let span = text.span();
    let Scalar::Text(text) = value(text)? else {
        return Err(wrong(span, "a pattern is a text, such as 'order-%'"));
    };
    match pattern(&text) {
        Some(Pattern::Prefix(prefix)) => Ok(test(subject, Check::StartsWith(prefix), negated)),
        Some(Pattern::Whole(text)) => {
            let check = Check::Compare(Comparison::Equal, Scalar::Text(text));
            Ok(test(subject, check, negated))
        }
        None => Err(wrong(span, format!("the pattern '{text}' asks for more than a beginning"))
            .help(
                "only a `%` at the end is supported, as in 'order-%'; `\\%` and `\\_` stand for themselves",
            )),
    }
}
