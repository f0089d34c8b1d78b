//! Saved values within other values, and values of types from other crates.

use crate::retypes;

retypes! {
    "`Option<u8>` becomes `Option<Option<u8>>`, and there is one"
    option_nested {
        old {} Option<u8> = Some(3);
        new {} Option<Option<u8>> = None;
        Goes("Some(Some(3))")
    }

    "`Option<u8>` becomes `Option<Option<u8>>`, and there is none"
    option_nested_none {
        old {} Vec<Option<u8>> = vec![Some(3), None];
        new {} Vec<Option<Option<u8>>> = vec![];
        Goes("[Some(Some(3)), None]")
    }

    "a tuple struct becomes a tuple"
    tuple_struct_to_tuple {
        old {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Point(u8, u16);
        } Point = Point(1, 2);
        new {} (u64, u16) = (0, 0);
        Goes("(1, 2)")
    }

    "a number becomes a tuple of one"
    number_to_tuple {
        old {} u8 = 7;
        new {} (u8,) = (0,);
        Blocked("Unreadable", "`value`", "7")
    }

    "a struct in a list moves into a newtype, and its box is gone"
    struct_in_newtype {
        old {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Line {
                item: String,
                count: u8,
            }
        } Vec<Box<Line>> = vec![Box::new(Line { item: "nail".into(), count: 3 })];
        new {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Line {
                count: u64,
                item: std::borrow::Cow<'static, str>,
            }

            #[derive(Debug, Serialize, Deserialize)]
            pub struct Counted(Line);
        } Vec<Counted> = vec![];
        Goes("[Counted(Line { count: 3, item: 'nail' })]")
    }

    "a variant within an option in a map is renamed with an alias, and another one gets a field"
    variant_in_map_renamed {
        old {
            #[derive(Debug, Serialize, Deserialize)]
            pub enum State {
                Open,
                Paid { cents: u8 },
            }
        } std::collections::BTreeMap<u8, Option<State>>
            = [(1, Some(State::Open)), (2, Some(State::Paid { cents: 7 })), (3, None)].into();
        new {
            #[derive(Debug, Serialize, Deserialize)]
            pub enum State {
                Paid {
                    #[serde(default)]
                    tip: u8,
                    cents: u64,
                },
                #[serde(alias = "Open")]
                Begun,
            }
        } std::collections::BTreeMap<u8, Option<State>> = [].into();
        Goes("{1: Some(Begun), 2: Some(Paid { tip: 0, cents: 7 }), 3: None}")
    }

    "both types of a result in a tuple are widened"
    result_widened {
        old {} (Result<u8, i8>, Result<u8, i8>) = (Ok(200), Err(-3));
        new {} (Result<u64, i64>, Result<u64, i64>) = (Ok(0), Ok(0));
        Goes("(Ok(200), Err(-3))")
    }

    "a struct in a struct gets a field with a default of its own"
    default_of_a_function {
        old {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Rate {
                percent: u8,
            }

            #[derive(Debug, Serialize, Deserialize)]
            pub struct Plan {
                rate: Option<Rate>,
            }
        } Plan = Plan { rate: Some(Rate { percent: 7 }) };
        new {
            fn monthly() -> u8 {
                12
            }

            #[derive(Debug, Serialize, Deserialize)]
            pub struct Rate {
                #[serde(default = "monthly")]
                per_year: u8,
                percent: u8,
            }

            #[derive(Debug, Serialize, Deserialize)]
            pub struct Plan {
                rate: Option<Rate>,
            }
        } Plan = Plan { rate: None };
        Goes("Plan { rate: Some(Rate { per_year: 12, percent: 7 }) }")
    }

    "a flattened struct becomes optional"
    flattened_optional {
        old {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Address {
                city: String,
                zip: u32,
            }

            #[derive(Debug, Serialize, Deserialize)]
            pub struct Customer {
                id: u8,
                #[serde(flatten)]
                address: Address,
            }
        } Customer = Customer { id: 7, address: Address { city: "Bonn".into(), zip: 53_111 } };
        new {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Address {
                zip: u64,
                city: String,
            }

            #[derive(Debug, Serialize, Deserialize)]
            pub struct Customer {
                #[serde(flatten)]
                address: Option<Address>,
                id: u64,
            }
        } Customer = Customer { address: None, id: 0 };
        Goes("Customer { address: Some(Address { zip: 53111, city: 'Bonn' }), id: 7 }")
    }

    "the struct in a variant of an internally tagged enum gets a field, and its fields are sorted"
    tagged_struct_grown {
        old {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Card {
                number: u16,
                brand: String,
            }

            #[derive(Debug, Serialize, Deserialize)]
            #[serde(tag = "kind")]
            pub enum Payment {
                Card(Card),
                Free,
            }
        } Vec<Payment> = vec![Payment::Free, Payment::Card(Card { number: 7, brand: "V".into() })];
        new {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Card {
                brand: String,
                #[serde(default)]
                debit: bool,
                number: u64,
            }

            #[derive(Debug, Serialize, Deserialize)]
            #[serde(tag = "kind")]
            pub enum Payment {
                Free,
                Card(Card),
            }
        } Vec<Payment> = vec![];
        Goes("[Free, Card(Card { brand: 'V', debit: false, number: 7 })]")
    }

    "an adjacently tagged enum gets a variant before the others, and a number in it is widened"
    adjacent_grown {
        old {
            #[derive(Debug, Serialize, Deserialize)]
            #[serde(tag = "kind", content = "of")]
            pub enum Event {
                Paid(u8),
                Sent { to: String },
            }
        } Vec<Event> = vec![Event::Sent { to: "Ann".into() }, Event::Paid(200)];
        new {
            #[derive(Debug, Serialize, Deserialize)]
            #[serde(tag = "kind", content = "of")]
            pub enum Event {
                Opened,
                Sent {
                    #[serde(default)]
                    by: String,
                    to: String,
                },
                Paid(u64),
            }
        } Vec<Event> = vec![];
        Goes("[Sent { by: '', to: 'Ann' }, Paid(200)]")
    }

    "a range beside a JSON value gets its end"
    range_beside_json {
        old {} (std::ops::Range<u8>, serde_json::Value) = (1..3, serde_json::Value::Null);
        new {} (std::ops::RangeInclusive<u8>, serde_json::Value) = (1..=2, serde_json::Value::Null);
        Refused("expected a `RangeInclusive`, found a `Range`", "(1..3, Null)")
    }

    "a range in an untagged enum gets its end"
    range_in_untagged {
        old {
            #[derive(Debug, Serialize, Deserialize)]
            #[serde(untagged)]
            pub enum Pages {
                All(String),
                Span(std::ops::Range<u8>),
            }
        } Pages = Pages::Span(1..3);
        new {
            #[derive(Debug, Serialize, Deserialize)]
            #[serde(untagged)]
            pub enum Pages {
                All(String),
                Span(std::ops::RangeInclusive<u8>),
            }
        } Pages = Pages::Span(1..=2);
        Refused("expected a `RangeInclusive`, found a `Range`", "Span(1..3)")
    }

    "a range in an untagged enum gets wider bounds"
    range_in_untagged_widened {
        old {
            #[derive(Debug, Serialize, Deserialize)]
            #[serde(untagged)]
            pub enum Pages {
                Span(std::ops::Range<u8>),
            }
        } Pages = Pages::Span(1..3);
        new {
            #[derive(Debug, Serialize, Deserialize)]
            #[serde(untagged)]
            pub enum Pages {
                All(String),
                Span(std::ops::Range<u64>),
            }
        } Pages = Pages::Span(1..300);
        Goes("Span(1..3)")
    }

    "fields that serde writes as a text in JSON, and as bytes elsewhere, are flattened"
    address_flattened {
        old {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Host {
                name: String,
                address: std::net::IpAddr,
            }
        } Host = Host { name: "a".into(), address: [127, 0, 0, 1].into() };
        new {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct At {
                address: std::net::IpAddr,
            }

            #[derive(Debug, Serialize, Deserialize)]
            pub struct Host {
                name: String,
                #[serde(flatten)]
                at: At,
            }
        } Host = Host { name: "b".into(), at: At { address: [127, 0, 0, 2].into() } };
        Blocked("Unreadable", "IP", "Host { name: 'a', address: 127.0.0.1 }")
    }

    "a struct becomes a JSON value"
    struct_to_json {
        old {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Line {
                count: u8,
                item: Option<String>,
            }
        } Line = Line { count: 3, item: Some("nail".into()) };
        new {} serde_json::Value = serde_json::Value::Null;
        Goes("Object {'count': Number(3), 'item': String('nail')}")
    }

    "a JSON value becomes a struct"
    json_to_struct {
        old {} serde_json::Value = serde_json::json!({ "item": "nail", "count": 3, "more": [1] });
        new {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Line {
                count: u8,
                item: Option<String>,
            }
        } Line = Line { count: 0, item: None };
        Goes("Line { count: 3, item: Some('nail') }")
    }

    "a number becomes a decimal one of `rust_decimal`"
    number_to_decimal {
        old {} u64 = 7;
        new {} rust_decimal::Decimal = rust_decimal::Decimal::ZERO;
        Goes("7")
    }

    "a decimal number of `rust_decimal` becomes a float"
    decimal_to_float {
        old {} rust_decimal::Decimal = rust_decimal::Decimal::new(15, 1);
        new {} f64 = 0.0;
        Blocked("Unreadable", "`value`", "1.5")
    }

    "a decimal number of `bigdecimal` becomes one of `rust_decimal`"
    other_decimal {
        old {} bigdecimal::BigDecimal = "1.50".parse().unwrap();
        new {} rust_decimal::Decimal = rust_decimal::Decimal::ZERO;
        Goes("1.50")
    }

    "a map of `indexmap` becomes one that is sorted"
    index_map_sorted {
        old {} indexmap::IndexMap<String, u8> = [("b".to_owned(), 2), ("a".to_owned(), 1)].into();
        new {} std::collections::BTreeMap<String, u64> = [].into();
        Goes("{'a': 1, 'b': 2}")
    }

    "a `Vec` of bytes becomes `bytes::Bytes`"
    vec_to_bytes {
        old {} Vec<u8> = vec![1, 200];
        new {} bytes::Bytes = bytes::Bytes::new();
        Goes("b'\\\\x01\\\\xc8'")
    }

    "`bytes::Bytes` become a `Vec` of bytes"
    bytes_to_vec {
        old {} bytes::Bytes = bytes::Bytes::from_static(&[1, 200]);
        new {} Vec<u8> = vec![];
        Goes("[1, 200]")
    }

    "an id of `uuid` becomes a text"
    uuid_to_text {
        old {} uuid::Uuid = uuid::Uuid::from_u128(7);
        new {} String = String::new();
        Blocked("Unreadable", "`value`", "00000000-0000-0000-0000-000000000007")
    }

    "an address becomes one of the fourth version"
    address_narrowed {
        old {} std::net::IpAddr = std::net::Ipv4Addr::LOCALHOST.into();
        new {} std::net::Ipv4Addr = std::net::Ipv4Addr::UNSPECIFIED;
        Blocked("Unreadable", "`value`", "127.0.0.1")
    }

    "a URL becomes a text"
    url_to_text {
        old {} url::Url = "https://example.com/a".parse().unwrap();
        new {} String = String::new();
        Goes("'https://example.com/a'")
    }

    "seconds become a time of `chrono` that is written as seconds"
    seconds_to_time {
        old {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Sent {
                at: i64,
            }
        } Sent = Sent { at: 7 };
        new {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Sent {
                #[serde(with = "chrono::serde::ts_seconds")]
                at: chrono::DateTime<chrono::Utc>,
            }
        } Sent = Sent { at: chrono::DateTime::UNIX_EPOCH };
        Goes("Sent { at: 1970-01-01T00:00:07Z }")
    }

    "seconds of a time of `chrono` are written as milliseconds from now on"
    seconds_to_milliseconds {
        old {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Sent {
                #[serde(with = "chrono::serde::ts_seconds")]
                at: chrono::DateTime<chrono::Utc>,
            }
        } Sent = Sent { at: chrono::DateTime::from_timestamp(7, 0).unwrap() };
        new {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Sent {
                #[serde(with = "chrono::serde::ts_milliseconds")]
                at: chrono::DateTime<chrono::Utc>,
            }
        } Sent = Sent { at: chrono::DateTime::UNIX_EPOCH };
        Goes("Sent { at: 1970-01-01T00:00:00.007Z }")
    }

    "a number is wrapped, and the order in a list is turned"
    wrapped_and_reversed {
        old {} Vec<u8> = vec![1, 2];
        new {} Vec<std::cmp::Reverse<std::num::Wrapping<u64>>> = vec![];
        Goes("[Reverse(1), Reverse(2)]")
    }

    "`bool` becomes `Option<bool>`, and `()` a unit struct"
    unit_named {
        old {} (bool, ()) = (true, ());
        new {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Nothing;
        } (Option<bool>, Nothing) = (None, Nothing);
        Goes("(Some(true), Nothing)")
    }

    "a span becomes a point in time"
    span_to_time {
        old {} std::time::Duration = std::time::Duration::from_secs(7);
        new {} std::time::SystemTime = std::time::UNIX_EPOCH;
        Blocked("Unreadable", "`value`", "7s")
    }
}
