//! Saved values of types of the standard library, and values in other values that change.

use crate::retypes;

retypes! {
    "a range becomes one with its end"
    range_to_inclusive {
        old {} std::ops::Range<u64> = 0..3;
        new {} std::ops::RangeInclusive<u64> = 0..=3;
        Blocked("Unreadable", "`value`", "0..3")
    }

    "a range with its end becomes one without"
    range_to_exclusive {
        old {} std::ops::RangeInclusive<u64> = 0..=3;
        new {} std::ops::Range<u64> = 0..3;
        Blocked("Unreadable", "`value`", "0..=3")
    }

    "ranges in a list get an end"
    ranges_to_inclusive {
        old {} Vec<std::ops::Range<u64>> = vec![0..3, 5..6];
        new {} Vec<std::ops::RangeInclusive<u64>> = vec![0..=3, 5..=6];
        Blocked("Unreadable", "`value`", "[0..3, 5..6]")
    }

    "an array becomes a tuple"
    array_to_tuple {
        old {} [u8; 3] = [1, 2, 3];
        new {} (u8, u16, u64) = (0, 0, 0);
        Goes("(1, 2, 3)")
    }

    "a tuple becomes an array"
    tuple_to_array {
        old {} (u8, u16) = (1, 2);
        new {} [u64; 2] = [0, 0];
        Goes("[1, 2]")
    }

    "a path becomes a text"
    path_to_text {
        old {} std::path::PathBuf = "a/b".into();
        new {} String = String::new();
        Goes("'a/b'")
    }

    "a text becomes an address"
    text_to_address {
        old {} String = "10.0.0.1".to_owned();
        new {} std::net::IpAddr = [0, 0, 0, 0].into();
        Blocked("Unreadable", "`value`", "'10.0.0.1'")
    }

    "a `Duration` becomes an optional one"
    duration_optional {
        old {} std::time::Duration = std::time::Duration::from_secs(7);
        new {} Option<std::time::Duration> = None;
        Goes("Some(7s)")
    }

    "`f64` that is not a number becomes `f32`"
    not_a_number {
        old {} f64 = f64::NAN;
        new {} f32 = 0.0;
        Goes("NaN")
    }

    "`i128` becomes `u8`, and the value fits"
    narrow_i128 {
        old {} i128 = 200;
        new {} u8 = 0;
        Goes("200")
    }

    "a list of optional items becomes one of items, and one is none"
    some_items_none {
        old {} Vec<Option<u8>> = vec![Some(1), None];
        new {} Vec<u8> = vec![];
        Blocked("Unreadable", "`value`", "[Some(1), None]")
    }

    "a list of optional items becomes one of items, and all are there"
    all_items_there {
        old {} Vec<Option<u8>> = vec![Some(1), Some(2)];
        new {} Vec<u8> = vec![];
        Goes("[1, 2]")
    }

    "bytes become a text"
    bytes_to_text {
        old {} Vec<u8> = vec![104, 105];
        new {} String = String::new();
        Blocked("Unreadable", "`value`", "[104, 105]")
    }

    "a set becomes a list"
    set_to_list {
        old {} std::collections::BTreeSet<u8> = [2, 1].into();
        new {} Vec<u64> = vec![];
        Goes("[1, 2]")
    }

    "the keys of a map become structs, and were tuples"
    keys_to_structs {
        old {} std::collections::BTreeMap<(u8, u8), u8> = [((1, 2), 3)].into();
        new { #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)] struct Place { x: u8, y: u8 } }
        std::collections::BTreeMap<Place, u8> = Default::default();
        Goes("{Place { x: 1, y: 2 }: 3}")
    }

    "the keys of a map are variants, and one is renamed with an alias"
    key_renamed {
        old { #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)] enum Size { Small } }
        std::collections::BTreeMap<Size, u8> = [(Size::Small, 3)].into();
        new {
            #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
            enum Size { Large, #[serde(alias = "Small")] Little }
        }
        std::collections::BTreeMap<Size, u8> = [(Size::Large, 1), (Size::Little, 0)].into();
        Goes("{Little: 3}")
    }

    "the fields of a tuple struct change places, and their types differ"
    tuple_struct_turned {
        old { #[derive(Debug, Serialize, Deserialize)] struct Line(u8, String); }
        Line = Line(7, "nail".to_owned());
        new { #[derive(Debug, Serialize, Deserialize)] struct Line(String, u8); }
        Line = Line(String::new(), 0);
        Blocked("Unreadable", "`value`", "Line(7, 'nail')")
    }

    "fields move into a nested struct"
    fields_nested {
        old { #[derive(Debug, Serialize, Deserialize)] struct Order { id: u8, street: String } }
        Order = Order { id: 7, street: "Elm".to_owned() };
        new {
            #[derive(Debug, Serialize, Deserialize)] struct Address { street: String }
            #[derive(Debug, Serialize, Deserialize)] struct Order { id: u8, address: Address }
        }
        Order = Order { id: 0, address: Address { street: String::new() } };
        Blocked("Unreadable", "address", "Order { id: 7, street: 'Elm' }")
    }

    "fields move into a nested struct that has a default"
    fields_nested_by_default {
        old { #[derive(Debug, Serialize, Deserialize)] struct Order { id: u8, street: String } }
        Order = Order { id: 7, street: "Elm".to_owned() };
        new {
            #[derive(Debug, Default, Serialize, Deserialize)] struct Address { street: String }
            #[derive(Debug, Serialize, Deserialize)] struct Order { id: u8, #[serde(default)] address: Address }
        }
        Order = Order { id: 0, address: Address { street: String::new() } };
        Goes("Order { id: 7, address: Address { street: '' } }")
    }

    "the struct of a variant is written out in the variant"
    variant_written_out {
        old {
            #[derive(Debug, Serialize, Deserialize)] struct Card { last: u8 }
            #[derive(Debug, Serialize, Deserialize)] enum Payment { Card(Card) }
        }
        Payment = Payment::Card(Card { last: 7 });
        new { #[derive(Debug, Serialize, Deserialize)] enum Payment { Card { last: u16 } } }
        Payment = Payment::Card { last: 0 };
        Goes("Card { last: 7 }")
    }

    "a variant gets a second value"
    variant_with_two {
        old { #[derive(Debug, Serialize, Deserialize)] enum Payment { Card(u8) } }
        Payment = Payment::Card(7);
        new { #[derive(Debug, Serialize, Deserialize)] enum Payment { Card(u8, u8) } }
        Payment = Payment::Card(0, 0);
        Blocked("Unreadable", "`value`", "Card(7)")
    }

    "a variant gets an `Option` field"
    variant_with_option {
        old { #[derive(Debug, Serialize, Deserialize)] enum Payment { Card { last: u8 } } }
        Payment = Payment::Card { last: 7 };
        new { #[derive(Debug, Serialize, Deserialize)] enum Payment { Card { note: Option<u8>, last: u8 } } }
        Payment = Payment::Card { note: Some(1), last: 0 };
        Goes("Card { note: None, last: 7 }")
    }

    "an enum becomes adjacently tagged"
    enum_adjacent {
        old { #[derive(Debug, Serialize, Deserialize)] enum Payment { Card(u8) } }
        Payment = Payment::Card(7);
        new { #[derive(Debug, Serialize, Deserialize)] #[serde(tag = "kind", content = "of")] enum Payment { Card(u8) } }
        Payment = Payment::Card(0);
        Blocked("Unreadable", "`value`", "Card(7)")
    }

    "a field becomes `Option`, and back in a list of structs"
    field_optional_in_list {
        old { #[derive(Debug, Serialize, Deserialize)] struct Line { sku: u8 } }
        Vec<Line> = vec![Line { sku: 1 }, Line { sku: 2 }];
        new { #[derive(Debug, Serialize, Deserialize)] struct Line { sku: Option<u64> } }
        Vec<Line> = vec![Line { sku: None }];
        Goes("[Line { sku: Some(1) }, Line { sku: Some(2) }]")
    }

    "a field gets a name of serde for reading only, which is the old one"
    field_read_by_name {
        old { #[derive(Debug, Serialize, Deserialize)] struct Line { sku: u8 } }
        Line = Line { sku: 7 };
        new { #[derive(Debug, Serialize, Deserialize)] struct Line { #[serde(rename(deserialize = "sku"))] article: u8 } }
        Line = Line { article: 0 };
        Goes("Line { article: 7 }")
    }

    "a unit struct gets a field with a default"
    unit_struct_filled {
        old { #[derive(Debug, Serialize, Deserialize)] struct Mark; }
        Mark = Mark;
        new { #[derive(Debug, Default, Serialize, Deserialize)] #[serde(default)] struct Mark { at: u8 } }
        Mark = Mark { at: 1 };
        Blocked("Unreadable", "`value`", "Mark")
    }
}
