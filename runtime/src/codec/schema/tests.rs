use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::*;

#[derive(Serialize, Deserialize)]
struct Plain {
    id: uuid::Uuid,
    tags: BTreeMap<String, Option<u64>>,
    kinds: Vec<Kind>,
    next: Option<Box<Plain>>,
    wrapped: (Wrapper<u8>, Wrapper<String>),
}

#[derive(Serialize, Deserialize)]
struct Wrapper<T>(T);

#[derive(Serialize, Deserialize)]
enum Kind {
    Both(Box<Kind>, Box<Kind>),
    Small,
    Large { size: (u8, f64) },
}

#[derive(Serialize, Deserialize)]
struct Checking {
    at: jiff::Timestamp,
    kinds: Vec<Kind>,
}

#[derive(Serialize, Deserialize)]
struct Skipping {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    note: Option<String>,
    count: u8,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(u64),
    Text(String),
}

#[derive(Serialize, Deserialize)]
struct Flattened {
    #[serde(flatten)]
    rest: HashMap<String, String>,
}

#[derive(Serialize, Deserialize)]
enum Endless {
    Again(Box<Endless>),
}

fn named(name: &str, fields: &[(&str, Format)]) -> NamedType {
    let fields = fields.iter().map(|(name, format)| ((*name).to_owned(), format.clone()));
    NamedType { name: name.to_owned(), content: Content::Struct(Fields::Named(fields.collect())) }
}

#[test]
fn every_part_of_a_type_is_traced() {
    let schema = Schema::of::<Plain>();
    assert_eq!(schema.problem, None);
    let (format, types) = schema.format.expect("traced");
    assert_eq!(format, Format::Type(0));
    let seq = |format| Format::Seq(Box::new(format));
    let option = |format| Format::Option(Box::new(format));
    let newtype = |format| NamedType {
        name: "Wrapper".into(),
        content: Content::Struct(Fields::Newtype(format)),
    };
    let kind = Format::Type(1);
    let size = Format::Tuple(vec![Format::U8, Format::F64]);
    assert_eq!(
        types,
        [
            named(
                "Plain",
                &[
                    ("id", Format::Bytes),
                    ("tags", Format::Map(Format::Str.into(), option(Format::U64).into())),
                    ("kinds", seq(kind.clone())),
                    ("next", option(Format::Type(0))),
                    ("wrapped", Format::Tuple(vec![Format::Type(2), Format::Type(3)])),
                ]
            ),
            NamedType {
                name: "Kind".into(),
                content: Content::Enum(vec![
                    ("Both".into(), Fields::Tuple(vec![kind.clone(), kind])),
                    ("Small".into(), Fields::Unit),
                    ("Large".into(), Fields::Named(vec![("size".into(), size)])),
                ]),
            },
            newtype(Format::U8),
            newtype(Format::Str),
        ]
    );
}

#[test]
fn types_that_check_what_they_read_are_traced() {
    let schema = Schema::of::<Checking>();
    assert_eq!(schema.problem, None);
    assert_eq!(schema.format.expect("traced").1.len(), 2);
}

#[test]
fn a_type_without_finite_values_is_not_traced() {
    assert_eq!(Schema::of::<Endless>().format, None);
}

#[test]
fn types_that_cannot_be_read_back_are_found() {
    assert_eq!(Schema::of::<serde_json::Value>().problem, Some(SchemaProblem::SelfDescribing));
    assert_eq!(Schema::of::<Untagged>().problem, Some(SchemaProblem::SelfDescribing));
    assert_eq!(Schema::of::<Flattened>().problem, Some(SchemaProblem::SelfDescribing));
    assert_eq!(Schema::of::<Skipping>().problem, Some(SchemaProblem::SkipsFields));
}

mod renamed {
    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(rename = "Wrapping")]
    pub(super) struct Wrapper<T>(T);

    #[derive(Serialize, Deserialize)]
    pub(super) struct Pair {
        pub(super) left: u8,
        pub(super) right: u8,
    }
}

#[derive(Serialize, Deserialize)]
struct Pair {
    right: u8,
    left: u8,
}

#[test]
fn a_hash_is_of_what_is_stored_and_not_of_where_a_type_is() {
    let hash = |schema: Schema| schema.hash();
    assert_eq!(Schema::of::<Wrapper<u8>>().hash(), Schema::of::<renamed::Wrapper<u8>>().hash());
    assert_ne!(Schema::of::<Wrapper<u8>>().hash(), Schema::of::<Wrapper<u16>>().hash());
    assert_ne!(Schema::of::<Pair>().hash(), Schema::of::<renamed::Pair>().hash());
    assert_eq!(hash(Schema::of::<Untagged>()), hash(Schema::of::<Flattened>()));
    // Stored payloads have it.
    assert_eq!(hash(Schema::of::<(String, Pair)>()).to_string(), "bd60750118de70de");
    assert_eq!(hash(Schema::of::<Untagged>()).to_string(), "b5970266e9e42e56");
}

#[test]
fn a_schema_is_stored_as_json() {
    let schema = Schema::of::<Plain>();
    let json = serde_json::to_string(&schema).expect("plain data");
    assert_eq!(serde_json::from_str::<Schema>(&json).expect("it was written"), schema);
}
