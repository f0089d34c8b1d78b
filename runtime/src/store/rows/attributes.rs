//! Attributes and memos as they are stored.

use uuid::Uuid;

use crate::error::StoreError;
use crate::model::{AttributeMap, AttributeValue, Memo, RunId, Timestamp};

/// A recursive query of the names in the index of a kind of attributes, which reads one entry for each name.
macro_rules! names_in {
    ($column:literal) => {
        concat!(
            $column,
            "_names (name) AS (SELECT min(name) FROM piton_attributes WHERE ",
            $column,
            " IS NOT NULL UNION ALL SELECT (SELECT min(name) FROM piton_attributes WHERE ",
            $column,
            " IS NOT NULL AND name > last.name) FROM ",
            $column,
            "_names AS last WHERE last.name IS NOT NULL)"
        )
    };
}
pub(crate) use names_in;

/// The names of the attributes that runs have, given the maximum number.
macro_rules! select_attribute_names {
    ($limit:literal) => {
        concat!(
            "WITH RECURSIVE ",
            $crate::store::rows::names_in!("text"),
            ", ",
            $crate::store::rows::names_in!("integer"),
            ", ",
            $crate::store::rows::names_in!("float"),
            ", ",
            $crate::store::rows::names_in!("truth"),
            ", ",
            $crate::store::rows::names_in!("time"),
            " SELECT name FROM (SELECT name FROM text_names UNION SELECT name FROM integer_names \
             UNION SELECT name FROM float_names UNION SELECT name FROM truth_names \
             UNION SELECT name FROM time_names) AS found WHERE name IS NOT NULL ORDER BY name LIMIT ",
            $limit
        )
    };
}
pub(crate) use select_attribute_names;

/// A row of `piton_attributes`: an attribute, or one entry of a list.
pub(crate) struct AttributeRow<'a> {
    pub(crate) run_id: Uuid,
    pub(crate) name: &'a str,
    pub(crate) place: i64,
    pub(crate) kind: &'static str,
    pub(crate) text: Option<&'a str>,
    pub(crate) integer: Option<i64>,
    pub(crate) float: Option<f64>,
    pub(crate) truth: Option<i64>,
    pub(crate) time: Option<i64>,
}

impl<'a> AttributeRow<'a> {
    /// The rows of an attribute.
    pub(crate) fn of(run_id: RunId, name: &'a str, value: &'a AttributeValue) -> Vec<Self> {
        let row = |place| Self {
            run_id: run_id.as_uuid(),
            name,
            place,
            kind: value.kind(),
            text: None,
            integer: None,
            float: None,
            truth: None,
            time: None,
        };
        let one = |change: &dyn Fn(&mut Self)| {
            let mut row = row(0);
            change(&mut row);
            vec![row]
        };
        match value {
            AttributeValue::Keyword(text) | AttributeValue::Text(text) => {
                one(&|row| row.text = Some(text))
            }
            AttributeValue::Keywords(keywords) => (0..)
                .zip(keywords)
                .map(|(place, keyword)| Self { text: Some(keyword), ..row(place) })
                .collect(),
            AttributeValue::Integer(number) => one(&|row| row.integer = Some(*number)),
            AttributeValue::Float(number) => one(&|row| row.float = Some(*number)),
            AttributeValue::Bool(truth) => one(&|row| row.truth = Some((*truth).into())),
            AttributeValue::Time(at) => one(&|row| row.time = Some(at.0)),
        }
    }
}

/// A row as read with a run, within JSON: name, kind, text, integer, and a float as text, which is exact.
type Given = (String, String, Option<String>, Option<i64>, Option<String>);

/// The attributes of a run. `None` means there are none.
pub(crate) fn read_attributes(json: Option<&str>) -> Result<AttributeMap, StoreError> {
    let mut attributes = AttributeMap::new();
    let Some(json) = json else { return Ok(attributes) };
    let corrupt = |reason: String| StoreError::Corrupt { what: "attribute", reason };
    let rows: Vec<Given> =
        serde_json::from_str(json).map_err(|error| corrupt(error.to_string()))?;
    for (name, kind, text, number, float) in rows {
        let float = float.and_then(|digits| digits.trim().parse().ok());
        let value = match (&*kind, text, number, float) {
            ("keyword", Some(text), ..) => AttributeValue::Keyword(text),
            ("text", Some(text), ..) => AttributeValue::Text(text),
            ("keywords", Some(text), ..) => match attributes.get_mut(&name) {
                Some(AttributeValue::Keywords(keywords)) => {
                    keywords.push(text);
                    continue;
                }
                _ => AttributeValue::Keywords(vec![text]),
            },
            ("integer", _, Some(number), _) => AttributeValue::Integer(number),
            ("bool", _, Some(number), _) => AttributeValue::Bool(number != 0),
            ("time", _, Some(number), _) => AttributeValue::Time(Timestamp(number)),
            ("float", _, _, Some(float)) => AttributeValue::Float(float),
            _ => return Err(corrupt(format!("`{name}` is no {kind}"))),
        };
        attributes.insert(name, value);
    }
    Ok(attributes)
}

/// A memo. `None` means an empty one.
pub(crate) fn read_memo(json: Option<&str>) -> Result<Memo, StoreError> {
    let Some(json) = json else { return Ok(Memo::new()) };
    serde_json::from_str(json)
        .map_err(|error| StoreError::Corrupt { what: "memo", reason: error.to_string() })
}
