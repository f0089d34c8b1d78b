//! Saved values that get another shape: texts and enums, tuples and structs, lists and maps, boxes.

use crate::retypes;

retypes! {
    "a text becomes an enum that has it as a variant"
    text_to_enum {
        old {}
        String = "Paid".to_owned();
        new { #[derive(Debug, Serialize, Deserialize)] enum Step { Open, Paid } }
        Step = Step::Open;
        Goes("Paid")
    }

    "a text becomes an enum that does not have it"
    text_to_other_enum {
        old {}
        String = "Lost".to_owned();
        new { #[derive(Debug, Serialize, Deserialize)] enum Step { Open, Paid } }
        Step = Step::Open;
        Blocked("Unreadable", "Lost", "'Lost'")
    }

    "an enum becomes a text"
    enum_to_text {
        old { #[derive(Debug, Serialize, Deserialize)] enum Step { Open, Paid } }
        Step = Step::Paid;
        new {}
        String = String::new();
        Goes("'Paid'")
    }

    "a tuple becomes a struct"
    tuple_to_struct {
        old {}
        (u8, String) = (1, "a".to_owned());
        new { #[derive(Debug, Serialize, Deserialize)] struct Line { id: u64, name: String } }
        Line = Line { id: 0, name: String::new() };
        Goes("Line { id: 1, name: 'a' }")
    }

    "a struct becomes a tuple"
    struct_to_tuple {
        old { #[derive(Debug, Serialize, Deserialize)] struct Line { id: u8, name: u8 } }
        Line = Line { id: 1, name: 2 };
        new {}
        (u8, u8) = (0, 0);
        Blocked("Unreadable", "value", "Line { id: 1, name: 2 }")
    }

    "a list of pairs becomes a map"
    pairs_to_map {
        old {}
        Vec<(String, u8)> = vec![("a".to_owned(), 1)];
        new {}
        std::collections::BTreeMap<String, u8> = Default::default();
        Blocked("Unreadable", "value", "[('a', 1)]")
    }

    "a map becomes a list of pairs"
    map_to_pairs {
        old {}
        std::collections::BTreeMap<String, u8> = [("a".to_owned(), 1)].into();
        new {}
        Vec<(String, u8)> = Vec::new();
        Blocked("Unreadable", "value", "{'a': 1}")
    }

    "the items of a list become optional"
    items_optional {
        old {}
        Vec<u8> = vec![1, 2];
        new {}
        Vec<Option<u64>> = Vec::new();
        Goes("[Some(1), Some(2)]")
    }

    "an option becomes a list"
    option_to_list {
        old {}
        Option<u8> = Some(1);
        new {}
        Vec<u8> = Vec::new();
        Blocked("Unreadable", "value", "Some(1)")
    }

    "an option becomes a result"
    option_to_result {
        old {}
        Option<u8> = Some(1);
        new {}
        Result<u8, String> = Ok(2);
        Blocked("Unreadable", "value", "Some(1)")
    }

    "a result becomes an option"
    result_to_option {
        old {}
        Result<u8, String> = Ok(1);
        new {}
        Option<u8> = None;
        Blocked("Unreadable", "value", "Ok(1)")
    }

    "the error of a result becomes an enum, and the value is there"
    error_retyped {
        old {}
        Result<u8, String> = Ok(1);
        new { #[derive(Debug, Serialize, Deserialize)] enum Refused { Late(u8) } }
        Result<u64, Refused> = Err(Refused::Late(1));
        Goes("Ok(1)")
    }

    "a value moves into a box, and a text into a boxed one"
    boxed {
        old {}
        (u8, String) = (1, "a".to_owned());
        new {}
        (Box<u64>, Box<str>) = (Box::new(2), "b".into());
        Goes("(1, 'a')")
    }

    "a text becomes a `Cow`"
    text_to_cow {
        old {}
        String = "a".to_owned();
        new {}
        std::borrow::Cow<'static, str> = "b".into();
        Goes("'a'")
    }

    "a number becomes one that is not zero, and it is not"
    not_zero {
        old {}
        u32 = 3;
        new {}
        std::num::NonZeroU64 = std::num::NonZeroU64::MIN;
        Goes("3")
    }

    "a number becomes one that is not zero, and it is"
    zero {
        old {}
        u32 = 0;
        new {}
        std::num::NonZeroU64 = std::num::NonZeroU64::MIN;
        Blocked("Unreadable", "value", "0")
    }

    "a negative `i32` becomes an `i64`"
    negative_widened {
        old {}
        i32 = -3;
        new {}
        i64 = 0;
        Goes("-3")
    }

    "a negative `i64` becomes a `u128`"
    negative_to_unsigned {
        old {}
        i64 = -3;
        new {}
        u128 = 0;
        Blocked("Unreadable", "value", "-3")
    }

    "a newtype becomes a struct with a named field"
    newtype_to_struct {
        old { #[derive(Debug, Serialize, Deserialize)] struct Cents(u64); }
        Cents = Cents(3);
        new { #[derive(Debug, Serialize, Deserialize)] struct Sum { cents: u64 } }
        Sum = Sum { cents: 0 };
        Blocked("Unreadable", "Sum", "Cents(3)")
    }

    "a `Duration` becomes a number"
    duration_to_number {
        old {}
        std::time::Duration = std::time::Duration::from_secs(3);
        new {}
        u64 = 0;
        Blocked("Unreadable", "value", "3s")
    }

    "the argument of a generic type is widened"
    generic_widened {
        old { #[derive(Debug, Serialize, Deserialize)] struct Page<T> { items: Vec<T> } }
        Page<u8> = Page { items: vec![1] };
        new { #[derive(Debug, Serialize, Deserialize)] struct Page<T> { items: Vec<T>, next: Option<T> } }
        Page<u64> = Page { items: Vec::new(), next: None };
        Goes("Page { items: [1], next: None }")
    }

    "a recursive enum gets a variant, and its numbers become wider"
    recursive_edited {
        old { #[derive(Debug, Serialize, Deserialize)] enum Tree { Leaf(u8), Pair(Box<Tree>, Box<Tree>) } }
        Tree = Tree::Pair(Box::new(Tree::Leaf(1)), Box::new(Tree::Leaf(2)));
        new { #[derive(Debug, Serialize, Deserialize)] enum Tree { Empty, Pair(Box<Tree>, Box<Tree>), Leaf(u64) } }
        Tree = Tree::Empty;
        Goes("Pair(Leaf(1), Leaf(2))")
    }

    "a variant with named fields becomes one without names"
    fields_of_variant_unnamed {
        old { #[derive(Debug, Serialize, Deserialize)] enum Step { Paid { by: u8, on: u8 } } }
        Step = Step::Paid { by: 1, on: 2 };
        new { #[derive(Debug, Serialize, Deserialize)] enum Step { Paid(u8, u8) } }
        Step = Step::Paid(0, 0);
        Blocked("Unreadable", "Paid", "Paid { by: 1, on: 2 }")
    }

    "two variants exchange their names"
    variants_renamed {
        old { #[derive(Debug, Serialize, Deserialize)] enum Step { Paid(u8), Owed(u8) } }
        Step = Step::Paid(1);
        new {
            #[derive(Debug, Serialize, Deserialize)]
            enum Step { #[serde(rename = "Owed")] Paid(u8), #[serde(rename = "Paid")] Owed(u8) }
        }
        Step = Step::Paid(0);
        Goes("Owed(1)")
    }

    "a list with one item twice becomes a set"
    list_to_set_with_doubles {
        old {}
        Vec<u8> = vec![2, 1, 2];
        new {}
        std::collections::BTreeSet<u64> = Default::default();
        Goes("{1, 2}")
    }

    "a `char` becomes a number"
    char_to_number {
        old {}
        char = 'a';
        new {}
        u32 = 0;
        Blocked("Unreadable", "value", "'a'")
    }

    "`u64` becomes `f64`, which does not hold the value exactly"
    integer_inexact {
        old {} u64 = 9_007_199_254_740_993;
        new {} f64 = 0.0;
        Blocked("Unreadable", "a number that a float of this size holds", "9007199254740993")
    }

    "`u64` becomes `f32`, which does not hold the value exactly"
    integer_inexact_in_f32 {
        old {} u64 = 16_777_217;
        new {} f32 = 0.0;
        Blocked("Unreadable", "a number that a float of this size holds", "16777217")
    }

    "`f64` becomes `f32`, which takes the nearest value"
    float_rounded {
        old {} f64 = 0.1;
        new {} f32 = 0.0;
        Goes("0.1")
    }

    "`f64` becomes `f32`, and the value is too large"
    float_too_large {
        old {} f64 = 1e300;
        new {} f32 = 0.0;
        Blocked("Unreadable", "a number that a float of this size holds", "1e300")
    }

    "a time of `chrono` becomes one of `jiff`"
    time_of_another_crate {
        old {} chrono::DateTime<chrono::Utc> = chrono::DateTime::from_timestamp(7, 0).unwrap();
        new {} jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH;
        Goes("1970-01-01T00:00:07Z")
    }

    "a text becomes a version of `semver`"
    text_to_version {
        old {} String = "1.2.3".to_owned();
        new {} semver::Version = semver::Version::new(0, 0, 0);
        Goes("Version { major: 1, minor: 2, patch: 3 }")
    }

    "a text becomes a list"
    text_to_list {
        old {} String = "seven".to_owned();
        new {} Vec<String> = Vec::new();
        Blocked("Unreadable", "invalid type: string", "'seven'")
    }

    "a text becomes a `char`, and has one"
    text_to_char {
        old {} String = "x".to_owned();
        new {} char = 'a';
        Goes("'x'")
    }
}
