//! Conditions on attributes as SQL.

use super::{Bound, Dialect, Sql};
use crate::filter::alternatives::{Alternative, Ask, Kind, Rendering, alternatives};
use crate::filter::literal::behind_prefix;
use crate::filter::tree::{Check, Comparison};

/// How many letters of a text the index of attributes has.
const INDEXED_LETTERS: usize = 100;

/// What the index of attributes has of a text.
const HEAD: &str = "substr(attribute.text, 1, 100)";

fn head(text: &str) -> &str {
    text.char_indices().nth(INDEXED_LETTERS).map_or(text, |(end, _)| &text[..end])
}

impl Sql {
    pub(super) fn of_attribute(&mut self, name: &str, check: &Check, negated: bool) {
        let alternatives = alternatives(check);
        match check {
            Check::Unset => {
                self.put(if negated { "" } else { "NOT " });
                self.exists(name, |sql| sql.put(sql.truth(true)));
            }
            _ if alternatives.is_empty() || name.contains('\0') => self.put(self.truth(false)),
            _ if negated => {
                self.put("(");
                self.exists(name, |sql| sql.comparable(&alternatives));
                self.put(" AND NOT ");
                self.exists(name, |sql| sql.any_of(&alternatives));
                self.put(")");
            }
            _ => {
                let asked = alternatives.into_iter();
                let asked = asked.map(|Alternative { kind, asks }| (kind, vec![asks]));
                self.found_by(name, &asked.collect::<Vec<_>>());
            }
        }
    }

    /// That the run has an attribute of this name of one of these kinds, of which each list has something that is so.
    /// The planner of Postgres finds out whether the index of the attributes leads to the runs, or the runs to the
    /// attributes; that of SQLite goes from a list to the runs.
    pub(super) fn found_by(&mut self, name: &str, asked: &[(Kind, Vec<Vec<Ask>>)]) {
        let possible = asked.iter().filter(|(_, lists)| lists.iter().all(|list| !list.is_empty()));
        let possible: Vec<_> = possible.collect();
        if possible.is_empty() || name.contains('\0') {
            return self.put(self.truth(false));
        }
        let of_kind = |sql: &mut Self, (kind, lists): &(Kind, Vec<Vec<Ask>>)| {
            sql.put("(");
            for (index, asks) in lists.iter().enumerate() {
                sql.put(if index > 0 { " AND " } else { "" });
                sql.asked(*kind, asks);
            }
            sql.put(")");
        };
        if self.dialect == Dialect::Postgres {
            return self.exists(name, |sql| {
                sql.put("(");
                for (index, of) in possible.iter().enumerate() {
                    sql.put(if index > 0 { " OR " } else { "" });
                    of_kind(sql, of);
                }
                sql.put(")");
            });
        }
        let run_id = self.run_id;
        self.put(run_id);
        self.put(" IN (");
        for (index, of) in possible.iter().enumerate() {
            self.put(if index > 0 { " UNION ALL " } else { "" });
            self.put("SELECT run_id FROM piton_attributes AS attribute WHERE attribute.name = ");
            self.bind(Bound::Text(name.to_owned()));
            self.put(" AND ");
            of_kind(self, of);
        }
        self.put(")");
    }

    /// That the run has an attribute of this name such that something holds.
    fn exists(&mut self, name: &str, what: impl FnOnce(&mut Self)) {
        let run_id = self.run_id;
        self.put("EXISTS (SELECT 1 FROM piton_attributes AS attribute WHERE attribute.run_id = ");
        self.put(run_id);
        self.put(" AND attribute.name = ");
        match name.contains('\0') {
            true => self.put("''"),
            false => self.bind(Bound::Text(name.to_owned())),
        }
        self.put(" AND ");
        what(self);
        self.put(")");
    }

    /// That the attribute is of a kind that compares.
    fn comparable(&mut self, alternatives: &[Alternative]) {
        self.put("(");
        for (index, Alternative { kind, .. }) in alternatives.iter().enumerate() {
            self.put(if index > 0 { " OR " } else { "" });
            self.put("attribute.");
            self.put(kind.column());
            self.put(" IS NOT NULL");
        }
        self.put(")");
    }

    fn any_of(&mut self, alternatives: &[Alternative]) {
        self.put("(");
        self.put(self.truth(false));
        for Alternative { kind, asks } in alternatives {
            if !asks.is_empty() {
                self.put(" OR ");
                self.asked(*kind, asks);
            }
        }
        self.put(")");
    }

    /// One of these questions.
    fn asked(&mut self, kind: Kind, asks: &[Ask]) {
        self.put("(");
        for (index, ask) in asks.iter().enumerate() {
            self.put(if index > 0 { " OR " } else { "" });
            match ask {
                Ask::Compare(Comparison::Equal, Rendering::Text(text)) => {
                    self.equals_text("attribute", text);
                }
                Ask::Compare(comparison, Rendering::Text(text)) => {
                    self.put("(");
                    self.head_bound(*comparison, text);
                    self.put(" AND ");
                    self.order_text("attribute.text", *comparison, text);
                    self.put(")");
                }
                Ask::Compare(comparison, value) => {
                    self.put("attribute.");
                    self.put(kind.column());
                    self.put(" ");
                    self.put(comparison.as_sql());
                    self.put(" ");
                    self.bind(match value {
                        Rendering::Integer(number) => Bound::Integer(*number),
                        Rendering::Float(number) => Bound::Float(*number),
                        Rendering::Text(text) => Bound::Text(text.clone()),
                    });
                }
                Ask::StartsWith(prefix) => {
                    self.put("(");
                    self.head_bound(Comparison::GreaterOrEqual, prefix);
                    if let Some(end) = behind_prefix(head(prefix)) {
                        self.put(" AND ");
                        self.put(HEAD);
                        self.put(" < ");
                        self.bind(Bound::Text(end));
                    }
                    self.put(" AND ");
                    self.starts_with("attribute.text", prefix);
                    self.put(")");
                }
            }
        }
        self.put(")");
    }

    /// What holds of the beginning of a text that compares so: by that the index is found.
    fn head_bound(&mut self, comparison: Comparison, text: &str) {
        let text = text.split('\0').next().unwrap_or_default();
        self.put(HEAD);
        self.put(match comparison {
            Comparison::Less | Comparison::LessOrEqual => " <= ",
            _ => " >= ",
        });
        self.bind(Bound::Text(head(text).to_owned()));
    }

    pub(super) fn equals_text(&mut self, table: &str, text: &str) {
        if text.contains('\0') {
            return self.put(self.truth(false));
        }
        self.put("substr(");
        self.put(table);
        self.put(".text, 1, 100) = ");
        self.bind(Bound::Text(head(text).to_owned()));
        // A text that is shorter is all there.
        self.put(" AND ");
        self.put(table);
        self.put(".text = ");
        self.bind(Bound::Text(text.to_owned()));
    }
}

impl Kind {
    /// The column that values of this kind are in.
    pub(crate) fn column(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Bool => "truth",
            Self::Time => "time",
        }
    }
}
