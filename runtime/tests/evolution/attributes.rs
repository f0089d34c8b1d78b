//! Attributes of serde on the types of values that a state keeps.

use crate::retypes;

retypes! {
    "`rename_all` is put on a struct"
    rename_all_added {
        old { #[derive(Debug, Serialize, Deserialize)] struct Bill { due_day: u8 } }
        Bill = Bill { due_day: 3 };
        new { #[derive(Debug, Serialize, Deserialize)] #[serde(rename_all = "camelCase")] struct Bill { due_day: u8 } }
        Bill = Bill { due_day: 0 };
        Blocked("Unreadable", "dueDay", "Bill { due_day: 3 }")
    }

    "`rename_all` is put on a struct, and the old names are aliases"
    rename_all_with_alias {
        old { #[derive(Debug, Serialize, Deserialize)] struct Bill { due_day: u8 } }
        Bill = Bill { due_day: 3 };
        new {
            #[derive(Debug, Serialize, Deserialize)]
            #[serde(rename_all = "camelCase")]
            struct Bill { #[serde(alias = "due_day")] due_day: u8 }
        }
        Bill = Bill { due_day: 0 };
        Goes("Bill { due_day: 3 }")
    }

    "`rename_all` is put on an enum"
    rename_all_variants {
        old { #[derive(Debug, Serialize, Deserialize)] enum Step { Paid(u8) } }
        Step = Step::Paid(3);
        new { #[derive(Debug, Serialize, Deserialize)] #[serde(rename_all = "snake_case")] enum Step { Paid(u8) } }
        Step = Step::Paid(0);
        Blocked("Unreadable", "Paid", "Paid(3)")
    }

    "a struct with `#[serde(default)]` gets a field"
    default_of_struct {
        old { #[derive(Debug, Serialize, Deserialize)] struct Bill { sum: u8 } }
        Bill = Bill { sum: 3 };
        new {
            #[derive(Debug, Serialize, Deserialize)]
            #[serde(default)]
            struct Bill { note: String, sum: u64 }
            impl Default for Bill { fn default() -> Self { Self { note: "none".into(), sum: 1 } } }
        }
        Bill = Bill::default();
        Goes("Bill { note: 'none', sum: 3 }")
    }

    "an enum becomes internally tagged"
    enum_tagged {
        old { #[derive(Debug, Serialize, Deserialize)] enum Step { Paid { by: u8 } } }
        Step = Step::Paid { by: 3 };
        new { #[derive(Debug, Serialize, Deserialize)] #[serde(tag = "kind")] enum Step { Paid { by: u8 } } }
        Step = Step::Paid { by: 0 };
        Blocked("Unreadable", "kind", "Paid { by: 3 }")
    }

    "a variant of an internally tagged enum gets a field with a default, and another variant is added"
    tagged_variants_edited {
        old { #[derive(Debug, Serialize, Deserialize)] #[serde(tag = "kind")] enum Step { Paid { by: u8 } } }
        Step = Step::Paid { by: 3 };
        new {
            #[derive(Debug, Serialize, Deserialize)]
            #[serde(tag = "kind")]
            enum Step { Open, Paid { #[serde(default)] on: Option<u8>, by: u64 } }
        }
        Step = Step::Open;
        Goes("Paid { on: None, by: 3 }")
    }

    "variants are added before and behind those of an untagged enum"
    untagged_edited {
        old { #[derive(Debug, Serialize, Deserialize)] #[serde(untagged)] enum Price { Whole(u64), Text(String) } }
        Price = Price::Text("free".into());
        new {
            #[derive(Debug, Serialize, Deserialize)]
            #[serde(untagged)]
            enum Price { Flag(bool), Text(String), Whole(u64), Other(Vec<u8>) }
        }
        Price = Price::Flag(true);
        Goes("Text('free')")
    }

    "a field is skipped from now on"
    field_skipped {
        old { #[derive(Debug, Serialize, Deserialize)] struct Bill { sum: u8, cache: u8 } }
        Bill = Bill { sum: 3, cache: 4 };
        new { #[allow(dead_code)] #[derive(Debug, Serialize, Deserialize)] struct Bill { #[serde(skip)] cache: u8, sum: u8 } }
        Bill = Bill { sum: 0, cache: 0 };
        Goes("Bill { cache: 0, sum: 3 }")
    }

    "a field is no longer skipped"
    field_not_skipped {
        old { #[allow(dead_code)] #[derive(Debug, Serialize, Deserialize)] struct Bill { sum: u8, #[serde(skip)] cache: u8 } }
        Bill = Bill { sum: 3, cache: 0 };
        new { #[derive(Debug, Serialize, Deserialize)] struct Bill { sum: u8, cache: u8 } }
        Bill = Bill { sum: 0, cache: 0 };
        Blocked("Unreadable", "cache", "Bill { sum: 3, cache: 0 }")
    }

    "a number is written as text from now on, by `with`"
    written_as_text {
        old { #[derive(Debug, Serialize, Deserialize)] struct Bill { sum: u64 } }
        Bill = Bill { sum: 3 };
        new {
            #[derive(Debug, Serialize, Deserialize)] struct Bill { #[serde(with = "as_text")] sum: u64 }
            mod as_text {
                use serde::de::Error;
                use serde::{Deserialize, Deserializer, Serializer};
                pub fn serialize<S: Serializer>(sum: &u64, to: S) -> Result<S::Ok, S::Error> {
                    to.serialize_str(&sum.to_string())
                }
                pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
                    String::deserialize(from)?.parse().map_err(D::Error::custom)
                }
            }
        }
        Bill = Bill { sum: 0 };
        Blocked("Unreadable", "sum", "Bill { sum: 3 }")
    }

    "`from` reads what a type was before"
    read_from_another {
        old {}
        u64 = 300;
        new {
            #[derive(Debug, Clone, Serialize, Deserialize)]
            #[serde(from = "u64", into = "u64")]
            struct Sum { euros: u64, cents: u64 }
            impl From<u64> for Sum { fn from(sum: u64) -> Self { Self { euros: sum / 100, cents: sum % 100 } } }
            impl From<Sum> for u64 { fn from(sum: Sum) -> Self { sum.euros * 100 + sum.cents } }
        }
        Sum = Sum { euros: 0, cents: 0 };
        Goes("Sum { euros: 3, cents: 0 }")
    }

    "`transparent` is put on a struct with a named field"
    transparent_added {
        old { #[derive(Debug, Serialize, Deserialize)] struct Id { value: u64 } }
        Id = Id { value: 3 };
        new { #[derive(Debug, Serialize, Deserialize)] #[serde(transparent)] struct Id { value: u64 } }
        Id = Id { value: 0 };
        Blocked("Unreadable", "Id", "Id { value: 3 }")
    }

    "`transparent` is put on a newtype"
    transparent_newtype {
        old { #[derive(Debug, Serialize, Deserialize)] struct Id(u64); }
        Id = Id(3);
        new { #[derive(Debug, Serialize, Deserialize)] #[serde(transparent)] struct Id(u64); }
        Id = Id(0);
        Goes("Id(3)")
    }

    "`deny_unknown_fields` is put on a struct"
    deny_added {
        old { #[derive(Debug, Serialize, Deserialize)] struct Bill { sum: u8, on: u8 } }
        Bill = Bill { sum: 3, on: 4 };
        new { #[derive(Debug, Serialize, Deserialize)] #[serde(deny_unknown_fields)] struct Bill { on: u64, sum: u64 } }
        Bill = Bill { sum: 0, on: 0 };
        Goes("Bill { on: 4, sum: 3 }")
    }

    "a field is no longer flattened"
    flatten_removed {
        old {
            #[derive(Debug, Serialize, Deserialize)] struct Address { street: String }
            #[derive(Debug, Serialize, Deserialize)] struct Order { id: u8, #[serde(flatten)] address: Address }
        }
        Order = Order { id: 1, address: Address { street: "High".into() } };
        new {
            #[derive(Debug, Serialize, Deserialize)] struct Address { street: String }
            #[derive(Debug, Serialize, Deserialize)] struct Order { id: u8, address: Address }
        }
        Order = Order { id: 0, address: Address { street: String::new() } };
        Blocked("Unreadable", "address", "Order { id: 1, address: Address { street: 'High' } }")
    }

    "unknown fields are collected by a flattened map"
    flattened_map_added {
        old { #[derive(Debug, Serialize, Deserialize)] struct Bill { sum: u8, on: u8 } }
        Bill = Bill { sum: 3, on: 4 };
        new {
            #[derive(Debug, Serialize, Deserialize)]
            struct Bill { sum: u8, #[serde(flatten)] rest: std::collections::BTreeMap<String, u64> }
        }
        Bill = Bill { sum: 0, rest: Default::default() };
        Goes("Bill { sum: 3, rest: {'on': 4} }")
    }

    "a variant for all others is added by `other`"
    other_variant {
        old { #[derive(Debug, Serialize, Deserialize)] #[serde(tag = "kind")] enum Step { Paid, Sent } }
        Step = Step::Sent;
        new { #[derive(Debug, Serialize, Deserialize)] #[serde(tag = "kind")] enum Step { Paid, #[serde(other)] Else } }
        Step = Step::Paid;
        Goes("Else")
    }
}
