//! Filters as SQL conditions.
//!
//! The values of a filter are bound as parameters, never written into the statement, which consists of constants.
//! The conditions must be true for the same runs as [`Condition::holds`](super::tree::Condition::holds).

mod attributes;

use uuid::Uuid;

use super::alternatives::{Alternative, Ask, Kind, alternatives};
use super::column::{Column, ColumnType};
use super::literal::behind_prefix;
use super::tree::{Check, Comparison, Condition, Moment, Scalar, Subject, Test};
use crate::model::RunId;

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Bound {
    Text(String),
    Integer(i64),
    Float(f64),
    Uuid(Uuid),
}

/// The differences between the databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

/// Conditions on rows of `piton_runs AS run`.
#[derive(Debug)]
pub(crate) struct Sql {
    dialect: Dialect,
    /// The number of parameters before these.
    before: usize,
    /// Further tables in `FROM`, each with its `JOIN`.
    pub(crate) joins: String,
    /// The run's id, from the first table.
    pub(crate) run_id: &'static str,
    /// The condition.
    pub(crate) condition: String,
    /// The values of the parameters, in order.
    pub(crate) bound: Vec<Bound>,
}

impl Sql {
    /// The conditions of a filter without relative times and variables.
    pub(crate) fn of(dialect: Dialect, before: usize, condition: &Condition) -> Self {
        let mut sql = Self {
            dialect,
            before,
            joins: String::new(),
            run_id: "run.run_id",
            condition: String::new(),
            bound: Vec::new(),
        };
        sql.top(condition);
        sql
    }

    /// The value by which runs are counted: a text `key`, or the number of a `day`. Without a column both are null.
    pub(crate) fn group(&self, column: Option<Column>, day: i64) -> String {
        let name = column.map(|column| (column, self.column(column)));
        let key = match &name {
            None => return format!("{} AS key, {} AS day", self.null("text"), self.null("bigint")),
            Some((column, name)) if column.ty() == ColumnType::Time => {
                return format!("{} AS key, {name} / {day} AS day", self.null("text"));
            }
            Some((Column::RunId, name)) if self.dialect == Dialect::Postgres => {
                format!("{name}::text")
            }
            Some((Column::RunId, name)) => {
                let hex = format!("lower(hex({name}))");
                let part = |from: u8, letters: u8| format!("substr({hex}, {from}, {letters})");
                let parts = [part(1, 8), part(9, 4), part(13, 4), part(17, 4), part(21, 12)];
                parts.join(" || '-' || ")
            }
            Some((Column::Definition, name)) if self.dialect == Dialect::Postgres => {
                format!("encode({name}, 'hex')")
            }
            Some((Column::Definition, name)) => format!("printf('%016x', {name})"),
            Some((_, name)) => name.clone(),
        };
        match name {
            Some((Column::Definition, name)) => format!(
                "CASE WHEN {name} IS NOT NULL THEN {key} END AS key, {} AS day",
                self.null("bigint")
            ),
            _ => format!("{key} AS key, {} AS day", self.null("bigint")),
        }
    }

    fn null(&self, ty: &str) -> String {
        match self.dialect {
            Dialect::Sqlite => "NULL".to_owned(),
            Dialect::Postgres => format!("NULL::{ty}"),
        }
    }

    /// An attribute that equals a text can be the first table, in the order of run ids: the newest of many runs are
    /// then found as fast as a few.
    fn top(&mut self, condition: &Condition) {
        let parts = match condition {
            Condition::All(parts) => &parts[..],
            other => std::slice::from_ref(other),
        };
        let leads = parts.iter().position(|part| leading(part).is_some());
        if let Some((name, text)) = leads.and_then(|at| leading(&parts[at])) {
            self.joins = " JOIN piton_attributes AS led ON led.run_id = run.run_id".to_owned();
            self.run_id = "led.run_id";
            self.put("led.name = ");
            self.bind(Bound::Text(name.to_owned()));
            self.put(" AND ");
            self.equals_text("led", text);
        }
        let rest = parts.iter().enumerate().filter(|(index, _)| Some(*index) != leads);
        for part in in_ranges(rest.map(|(_, part)| part)) {
            self.and();
            self.range(&part);
        }
        if self.condition.is_empty() {
            self.put(self.truth(true));
        }
    }

    fn and(&mut self) {
        if !self.condition.is_empty() {
            self.put(" AND ");
        }
    }

    fn put(&mut self, text: &str) {
        self.condition.push_str(text);
    }

    fn bind(&mut self, value: Bound) {
        self.bound.push(value);
        match self.dialect {
            Dialect::Sqlite => self.put("?"),
            Dialect::Postgres => {
                let number = self.before + self.bound.len();
                self.condition.push('$');
                self.condition.push_str(&number.to_string());
            }
        }
    }

    fn truth(&self, truth: bool) -> &'static str {
        if truth { "true" } else { "false" }
    }

    fn part(&mut self, condition: &Condition) {
        match condition {
            Condition::All(parts) if parts.is_empty() => self.put(self.truth(true)),
            Condition::Any(parts) if parts.is_empty() => self.put(self.truth(false)),
            Condition::All(parts) => {
                self.put("(");
                for (index, part) in in_ranges(parts.iter()).iter().enumerate() {
                    self.put(if index > 0 { " AND " } else { "" });
                    self.range(part);
                }
                self.put(")");
            }
            Condition::Any(parts) => {
                self.put("(");
                for (index, part) in parts.iter().enumerate() {
                    self.put(if index > 0 { " OR " } else { "" });
                    self.part(part);
                }
                self.put(")");
            }
            Condition::Test(test) => self.test(test),
        }
    }

    fn range(&mut self, part: &Part<'_>) {
        match part {
            Part::One(condition) => self.part(condition),
            Part::Range { name, asked } => self.found_by(name, asked),
        }
    }

    fn test(&mut self, Test { subject, check, negated }: &Test) {
        match subject {
            Subject::Column(column) => self.of_column(*column, check, *negated),
            Subject::Attribute(name) => self.of_attribute(name, check, *negated),
            // Whoever applies the whole filter looks at variables.
            Subject::Variable(_) => self.put(self.truth(true)),
        }
    }

    // Columns.

    fn of_column(&mut self, column: Column, check: &Check, negated: bool) {
        let name = self.column(column);
        match check {
            Check::Unset => {
                self.put(&name);
                self.put(if negated { " IS NOT NULL" } else { " IS NULL" });
            }
            Check::In(values) if values.is_empty() => self.put(self.truth(false)),
            check => {
                // Null where the column is null, which holds no more than what is false.
                self.put(if negated { "NOT (" } else { "(" });
                match check {
                    Check::Compare(comparison, value) => self.compare(column, *comparison, value),
                    Check::In(values) => {
                        for (index, value) in values.iter().enumerate() {
                            if index > 0 {
                                self.put(" OR ");
                            }
                            self.compare(column, Comparison::Equal, value);
                        }
                    }
                    Check::StartsWith(prefix) => {
                        let name = self.ordered(&name);
                        self.starts_with(&name, prefix);
                    }
                    Check::Unset => {}
                }
                self.put(")");
            }
        }
    }

    fn column(&self, column: Column) -> String {
        let is_postgres = self.dialect == Dialect::Postgres;
        match column {
            Column::WorkflowId if is_postgres => "coalesce(run.workflow_id, run.run_id::text)",
            Column::RunId => self.run_id,
            Column::Since => {
                "coalesce(run.closed_at, run.blocked_at, run.stepped_at, run.started_at)"
            }
            // `{"panicked":"…"}`, or a word alone.
            Column::BlockedKind if is_postgres => "split_part(run.blocked, '\"', 2)",
            Column::BlockedKind => {
                "substr(run.blocked, instr(run.blocked, '\"') + 1, \
                 instr(substr(run.blocked, instr(run.blocked, '\"') + 1), '\"') - 1)"
            }
            column => return format!("run.{column}"),
        }
        .to_owned()
    }

    /// A text in byte order, which is SQLite's default.
    fn ordered(&self, name: &str) -> String {
        match self.dialect {
            Dialect::Sqlite => name.to_owned(),
            Dialect::Postgres => format!("{name} COLLATE \"C\""),
        }
    }

    fn compare(&mut self, column: Column, comparison: Comparison, value: &Scalar) {
        let name = self.column(column);
        match (column.ty(), value) {
            (ColumnType::Word(words), Scalar::Text(word)) => {
                // As a constant, by which a partial index is found.
                match words.all().iter().find(|known| *known == word) {
                    Some(known) => self.put(&format!("{name} = '{known}'")),
                    None => self.put(self.truth(false)),
                }
            }
            (_, Scalar::Text(text)) if comparison == Comparison::Equal => match column {
                _ if text.contains('\0') => self.put(self.truth(false)),
                Column::WorkflowId => self.is_named(text),
                _ => {
                    self.put(&name);
                    self.put(" = ");
                    self.bind(Bound::Text(text.clone()));
                }
            },
            (_, Scalar::Text(text)) => {
                let name = self.ordered(&name);
                self.order_text(&name, comparison, text);
            }
            (_, value) => {
                self.put(&name);
                self.put(" ");
                self.put(comparison.as_sql());
                self.put(" ");
                match value {
                    Scalar::Definition(hash) => {
                        let is_postgres = self.dialect == Dialect::Postgres;
                        self.put(if is_postgres { "int8send(" } else { "(" });
                        self.bind(Bound::Integer(hash.0.cast_signed()));
                        self.put(")");
                    }
                    Scalar::RunId(run_id) => self.bind(Bound::Uuid(run_id.as_uuid())),
                    Scalar::Time(Moment::At(at)) => self.bind(Bound::Integer(at.0)),
                    Scalar::Integer(number) => self.bind(Bound::Integer(*number)),
                    Scalar::Float(number) => self.bind(Bound::Float(*number)),
                    Scalar::Bool(truth) => self.bind(Bound::Integer((*truth).into())),
                    // Times have been counted before; texts are above.
                    Scalar::Time(_) | Scalar::Text(_) => self.put("NULL"),
                }
            }
        }
    }

    /// By the indexes of the open runs and of those that are over. On Postgres a run whose own id is its workflow id has
    /// none.
    fn is_named(&mut self, workflow_id: &str) {
        let run_id = self.run_id;
        self.put(run_id);
        self.put(" IN (SELECT run_id FROM piton_runs WHERE closed_at IS NULL AND workflow_id = ");
        self.bind(Bound::Text(workflow_id.to_owned()));
        self.put(
            " UNION ALL SELECT run_id FROM piton_runs WHERE closed_at IS NOT NULL AND workflow_id = ",
        );
        self.bind(Bound::Text(workflow_id.to_owned()));
        let own = workflow_id.parse::<RunId>().ok().filter(|own| own.to_string() == workflow_id);
        if let (Dialect::Postgres, Some(own)) = (self.dialect, own) {
            self.put(
                " UNION ALL SELECT run_id FROM piton_runs WHERE workflow_id IS NULL AND run_id = ",
            );
            self.bind(Bound::Uuid(own.as_uuid()));
        }
        self.put(")");
    }

    // Texts.

    /// The databases store no text with the character NUL, and Postgres accepts none as a parameter. The text is
    /// cut off before it, where no other text sorts in between.
    fn order_text(&mut self, name: &str, comparison: Comparison, text: &str) {
        let (text, comparison) = match text.split_once('\0') {
            None => (text, comparison),
            Some((before, _)) => match comparison {
                Comparison::Less | Comparison::LessOrEqual => (before, Comparison::LessOrEqual),
                _ => (before, Comparison::Greater),
            },
        };
        self.put(name);
        self.put(" ");
        self.put(comparison.as_sql());
        self.put(" ");
        self.bind(Bound::Text(text.to_owned()));
    }

    fn starts_with(&mut self, name: &str, prefix: &str) {
        if prefix.contains('\0') {
            return self.put(self.truth(false));
        }
        self.put("(");
        self.order_text(name, Comparison::GreaterOrEqual, prefix);
        if let Some(end) = behind_prefix(prefix) {
            self.put(" AND ");
            self.order_text(name, Comparison::Less, &end);
        }
        self.put(")");
    }
}

/// A condition joined by `and`.
enum Part<'a> {
    One(&'a Condition),
    /// The conditions on an attribute that is a single value: for each kind, lists of alternatives.
    Range {
        name: &'a str,
        asked: Vec<(Kind, Vec<Vec<Ask>>)>,
    },
}

/// Combines the conditions on one attribute, such as both ends of a range, so that its index is read once. A text
/// may be in a list, whose entries may meet each end separately.
fn in_ranges<'a>(parts: impl Iterator<Item = &'a Condition>) -> Vec<Part<'a>> {
    let mut found: Vec<Part<'a>> = Vec::new();
    for part in parts {
        let Some((name, alternatives)) = single(part) else {
            found.push(Part::One(part));
            continue;
        };
        let same = found.iter_mut().find_map(|known| match known {
            Part::Range { name: of, asked } if *of == name => Some(asked),
            _ => None,
        });
        match same {
            Some(asked) => {
                // An attribute is of one kind, so it must compare with both.
                asked.retain_mut(|(kind, lists)| {
                    let asks = alternatives.iter().find(|alternative| alternative.kind == *kind);
                    lists.extend(asks.map(|alternative| alternative.asks.clone()));
                    asks.is_some()
                });
            }
            None => {
                let asked = alternatives.into_iter();
                let asked = asked.map(|Alternative { kind, asks }| (kind, vec![asks])).collect();
                found.push(Part::Range { name, asked });
            }
        }
    }
    found
}

/// The conditions on an attribute that cannot be a list.
fn single(condition: &Condition) -> Option<(&str, Vec<Alternative>)> {
    let Condition::Test(Test { subject: Subject::Attribute(name), check, negated: false }) =
        condition
    else {
        return None;
    };
    let alternatives = alternatives(check);
    let is_single = alternatives.iter().all(|alternative| alternative.kind != Kind::Text);
    (is_single && !alternatives.is_empty()).then_some((name, alternatives))
}

/// The attribute and the text, if a condition is only their equality.
fn leading(condition: &Condition) -> Option<(&str, &str)> {
    let Condition::Test(Test { subject: Subject::Attribute(name), check, negated: false }) =
        condition
    else {
        return None;
    };
    match &alternatives(check)[..] {
        [Alternative { kind: Kind::Text, asks }] => match (&asks[..], check) {
            ([_], Check::Compare(Comparison::Equal, Scalar::Text(text)))
                if !text.contains('\0') && !name.contains('\0') =>
            {
                Some((name, text))
            }
            _ => None,
        },
        _ => None,
    }
}
