use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

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

#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Tags {
    None,
    Some { tags: BTreeSet<String>, counts: Vec<u8> },
    Several(Vec<BTreeSet<Tags>>),
}

#[test]
fn sets_are_told_from_lists() {
    let seq = |format| Format::Seq(Box::new(format));
    let set = |format| Format::Set(Box::new(format));
    let format = |schema: Schema| schema.format.expect("traced").0;
    assert_eq!(format(Schema::of::<Vec<String>>()), seq(Format::Str));
    assert_eq!(format(Schema::of::<HashSet<u8>>()), set(Format::U8));
    assert_eq!(format(Schema::of::<BTreeSet<Vec<u8>>>()), set(seq(Format::U8)));
    assert_eq!(format(Schema::of::<Option<Vec<BTreeSet<u8>>>>()), {
        Format::Option(Box::new(seq(set(Format::U8))))
    });
    let (_, types) = Schema::of::<Tags>().format.expect("traced");
    let fields = [("tags", set(Format::Str)), ("counts", seq(Format::U8))];
    let fields = fields.map(|(name, format)| (name.to_owned(), format));
    let expected = Content::Enum(vec![
        ("None".into(), Fields::Unit),
        ("Some".into(), Fields::Named(fields.into())),
        ("Several".into(), Fields::Newtype(seq(set(Format::Type(0))))),
    ]);
    assert_eq!(types[0].content, expected);
    assert_ne!(Schema::of::<Vec<u8>>().hash(), Schema::of::<BTreeSet<u8>>().hash());
}

#[test]
fn types_that_check_what_they_read_are_traced() {
    let schema = Schema::of::<Checking>();
    assert_eq!(schema.format.expect("traced").1.len(), 2);
}

#[test]
fn a_type_without_finite_values_is_not_traced() {
    assert_eq!(Schema::of::<Endless>().format, None);
}

#[derive(Serialize, Deserialize)]
struct SkippingDeep {
    kinds: Vec<SkippingKind>,
    at: jiff::Timestamp,
}

#[derive(Serialize, Deserialize)]
enum SkippingKind {
    Plain(u8),
    Other {
        #[serde(skip_serializing_if = "String::is_empty", default)]
        text: String,
        next: Option<Box<SkippingKind>>,
    },
}

fn is_zero(number: &u8) -> bool {
    *number == 0
}

fn is_one(number: &u8) -> bool {
    *number == 1
}

#[derive(Serialize, Deserialize)]
struct SkippingNumber {
    #[serde(skip_serializing_if = "is_zero", default)]
    number: u8,
    at: Option<jiff::Timestamp>,
}

#[derive(Serialize, Deserialize)]
struct SkippingOne {
    #[serde(skip_serializing_if = "is_one", default = "one")]
    number: u8,
}

fn one() -> u8 {
    1
}

/// A field that was left out is read as another value.
#[derive(Serialize, Deserialize)]
struct Losing {
    #[serde(skip_serializing_if = "is_one", default)]
    number: u8,
}

#[derive(Serialize, Deserialize)]
struct SkippingInOption {
    inner: Option<Skipping>,
    list: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Internal {
    One { number: u64 },
    Other(Small),
}

#[derive(Serialize, Deserialize)]
struct Small {
    large: Option<u8>,
}

#[test]
fn types_that_need_to_be_told_what_there_is_are_tagged() {
    fn tagged<T: Serialize + serde::de::DeserializeOwned>() {
        let schema = Schema::of::<T>();
        assert_eq!(
            (schema.form, schema.format, schema.problem),
            (Form::Tagged, None, None),
            "{}",
            schema.type_name
        );
    }
    tagged::<serde_json::Value>();
    tagged::<Untagged>();
    tagged::<Internal>();
    tagged::<Flattened>();
    tagged::<Skipping>();
    tagged::<SkippingDeep>();
    tagged::<SkippingNumber>();
    tagged::<SkippingOne>();
    tagged::<SkippingInOption>();
    tagged::<(u8, Vec<Untagged>)>();
    tagged::<Endless>();
    tagged::<Panicking>();
}

struct Panicking;

impl Serialize for Panicking {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(7)
    }
}

impl<'de> Deserialize<'de> for Panicking {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        assert_eq!(u8::deserialize(deserializer)?, 7);
        Ok(Self)
    }
}

/// Reads another value than it has written.
struct Unfit;

impl Serialize for Unfit {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("unfit")
    }
}

impl<'de> Deserialize<'de> for Unfit {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u8::deserialize(deserializer).map(|_| Self)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum UnfitUntagged {
    Text(String),
    Unfit(Unfit),
    #[serde(skip)]
    Other,
}

#[test]
fn a_type_that_does_not_read_what_it_has_written_is_refused() {
    assert_eq!(Schema::of::<Unfit>().problem, Some(SchemaProblem::NotReadBack));
    assert_eq!(Schema::of::<Losing>().problem, Some(SchemaProblem::NotReadBack));
    assert_eq!(Schema::of::<Vec<Unfit>>().problem, Some(SchemaProblem::NotReadBack));
    let told = SchemaProblem::NotReadBack.to_string();
    assert!(told.contains("`Deserialize`"), "{told}");
    // From then on it reads a text.
    let _ = UnfitUntagged::Other;
    assert_eq!(Schema::of::<UnfitUntagged>().problem, None);
}

mod shown {
    use super::*;

    #[derive(Serialize, Deserialize)]
    pub(super) enum Outer {
        Nothing,
        Inner(Inner),
    }

    #[derive(Serialize, Deserialize)]
    pub(super) enum Inner {
        One,
        Two(String),
        Three { list: Vec<u8>, more: Option<More> },
    }

    #[derive(Serialize, Deserialize)]
    pub(super) enum More {
        Again(Vec<Outer>),
        End(u16),
    }

    #[derive(Serialize, Deserialize)]
    pub(super) enum Formula {
        Not(Box<Formula>),
        List(Vec<u8>),
        Both(Box<Formula>, Option<i8>),
    }

    /// Two types with the same name.
    pub(super) fn twice() -> (Schema, Schema) {
        fn one() -> Schema {
            #[derive(Serialize, Deserialize)]
            struct Pair(u8, Other);
            #[derive(Serialize, Deserialize)]
            struct Other {
                text: String,
            }
            Schema::of::<(Pair, Other)>()
        }
        (one(), Schema::of::<(renamed::Pair, Pair)>())
    }
}

#[test]
fn variants_within_variants_are_traced() {
    let (_, types) = Schema::of::<shown::Outer>().format.expect("traced");
    let Content::Enum(variants) = &types[1].content else { panic!("{types:?}") };
    let list = ("list".to_owned(), Format::Seq(Box::new(Format::U8)));
    let more = ("more".to_owned(), Format::Option(Box::new(Format::Type(2))));
    assert_eq!(
        variants[..],
        [
            ("One".to_owned(), Fields::Unit),
            ("Two".to_owned(), Fields::Newtype(Format::Str)),
            ("Three".to_owned(), Fields::Named(vec![list, more])),
        ]
    );
    let Content::Enum(variants) = &types[2].content else { panic!("{types:?}") };
    assert_eq!(variants[1], ("End".to_owned(), Fields::Newtype(Format::U16)));
    let again = Format::Seq(Box::new(Format::Type(0)));
    assert_eq!(variants[0], ("Again".to_owned(), Fields::Newtype(again)));
    let (_, types) = Schema::of::<shown::Formula>().format.expect("traced");
    let Content::Enum(variants) = &types[0].content else { panic!("{types:?}") };
    assert_eq!(variants[1].1, Fields::Newtype(Format::Seq(Box::new(Format::U8))));
    let (one, other) = shown::twice();
    assert!(one.format.is_some() && other.format.is_some());
}

#[test]
fn types_that_check_what_they_read_are_traced_beside_each_other() {
    fn compact<T: Serialize + serde::de::DeserializeOwned>() {
        let schema = Schema::of::<T>();
        assert_eq!(schema.form, Form::Compact, "{}", schema.type_name);
    }
    compact::<jiff::Timestamp>();
    compact::<jiff::civil::Date>();
    compact::<jiff::SignedDuration>();
    compact::<std::num::NonZeroU8>();
    compact::<(jiff::Timestamp, jiff::civil::Time, std::num::NonZeroU8, String, Vec<jiff::Span>)>();
}

#[test]
fn tracing_ends_soon() {
    macro_rules! each_other {
        ($($name:ident)*) => {
            $(#[derive(Serialize, Deserialize)]
            struct $name(Types);)*

            #[derive(Serialize, Deserialize)]
            #[allow(non_snake_case)]
            struct Types {
                $($name: Vec<$name>,)*
            }
        };
    }
    each_other!(A B C D E F G H I J K L M N O P);
    assert!(Schema::of::<A>().format.is_some());

    #[derive(Serialize, Deserialize)]
    enum Tree {
        Many(Vec<Tree>, Option<Box<Tree>>, Vec<(A, Tree)>),
        More(Box<A>, Box<A>, Box<Tree>),
        Leaf,
    }
    let _ = Schema::of::<[Tree; 8]>();
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
