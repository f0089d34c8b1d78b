//! Saved enums that are edited, and types that change their form.

use crate::edits;

edits! {
    "a variant is added before the others"
    variant_added {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            #[allow(dead_code)]
            enum Kind {
                Bike,
                Truck,
            }

            #[workflow]
            pub async fn variant_added(cx: &Context) -> String {
                let value: Kind = Kind::Truck;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            #[allow(dead_code)]
            enum Kind {
                Ship,
                Bike,
                Truck,
            }

            #[workflow]
            pub async fn variant_added(cx: &Context) -> String {
                let value: Kind = Kind::Bike;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Truck");
    }

    "variants are sorted"
    variants_reordered {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            #[allow(dead_code)]
            enum Kind {
                Truck(u64),
                Bike,
            }

            #[workflow]
            pub async fn variants_reordered(cx: &Context) -> String {
                let value: Kind = Kind::Truck(5);
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            #[allow(dead_code)]
            enum Kind {
                Bike,
                Truck(u64),
            }

            #[workflow]
            pub async fn variants_reordered(cx: &Context) -> String {
                let value: Kind = Kind::Bike;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Truck(5)");
    }

    "a variant that is not used is removed"
    unused_variant_removed {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            #[allow(dead_code)]
            enum Kind {
                Bike,
                Truck,
            }

            #[workflow]
            pub async fn unused_variant_removed(cx: &Context) -> String {
                let value: Kind = Kind::Truck;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            #[allow(dead_code)]
            enum Kind {
                Truck,
            }

            #[workflow]
            pub async fn unused_variant_removed(cx: &Context) -> String {
                let value: Kind = Kind::Truck;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Truck");
    }

    "the variant that is used is removed"
    used_variant_removed {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            #[allow(dead_code)]
            enum Kind {
                Bike,
                Truck,
            }

            #[workflow]
            pub async fn used_variant_removed(cx: &Context) -> String {
                let value: Kind = Kind::Bike;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            #[allow(dead_code)]
            enum Kind {
                Truck,
            }

            #[workflow]
            pub async fn used_variant_removed(cx: &Context) -> String {
                let value: Kind = Kind::Truck;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "Bike", "Bike");
    }

    "a variant is renamed with an alias"
    variant_renamed_with_alias {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            #[allow(dead_code)]
            enum Kind {
                Truck,
                Bike,
            }

            #[workflow]
            pub async fn variant_renamed_with_alias(cx: &Context) -> String {
                let value: Kind = Kind::Bike;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            #[allow(dead_code)]
            enum Kind {
                #[serde(alias = "Bike")]
                Cycle,
                Truck,
            }

            #[workflow]
            pub async fn variant_renamed_with_alias(cx: &Context) -> String {
                let value: Kind = Kind::Cycle;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Cycle");
    }

    "fields of a variant are sorted"
    variant_fields_reordered {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            #[allow(dead_code)]
            enum Kind {
                Bike,
                Truck { from: u64, to: u64 },
            }

            #[workflow]
            pub async fn variant_fields_reordered(cx: &Context) -> String {
                let value: Kind = Kind::Truck { from: 1, to: 2 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            #[allow(dead_code)]
            enum Kind {
                Bike,
                Truck { to: u64, from: u64 },
            }

            #[workflow]
            pub async fn variant_fields_reordered(cx: &Context) -> String {
                let value: Kind = Kind::Bike;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Truck { to: 2, from: 1 }");
    }

    "a unit variant gets a value"
    variant_gets_a_value {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            #[allow(dead_code)]
            enum Kind {
                Bike,
                Truck,
            }

            #[workflow]
            pub async fn variant_gets_a_value(cx: &Context) -> String {
                let value: Kind = Kind::Bike;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            #[allow(dead_code)]
            enum Kind {
                Bike(u64),
                Truck,
            }

            #[workflow]
            pub async fn variant_gets_a_value(cx: &Context) -> String {
                let value: Kind = Kind::Truck;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "Bike");
    }

    "`bool` becomes an enum"
    bool_to_enum {
        old [] {
            #[workflow]
            pub async fn bool_to_enum(cx: &Context) -> String {
                let value: bool = true;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            #[allow(dead_code)]
            enum Kind {
                Bike,
                Truck,
            }

            #[workflow]
            pub async fn bool_to_enum(cx: &Context) -> String {
                let value: Kind = Kind::Truck;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "true");
    }

    "a struct begins to skip empty fields"
    begins_to_skip_fields {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u64,
                y: Option<u64>,
            }

            #[workflow]
            pub async fn begins_to_skip_fields(cx: &Context) -> String {
                let value: Point = Point { x: 1, y: None };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u64,
                #[serde(default, skip_serializing_if = "Option::is_none")]
                y: Option<u64>,
            }

            #[workflow]
            pub async fn begins_to_skip_fields(cx: &Context) -> String {
                let value: Point = Point { x: 0, y: Some(1) };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Point { x: 1, y: None }");
    }

    "a struct no longer skips empty fields"
    no_longer_skips_fields {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u64,
                #[serde(default, skip_serializing_if = "Option::is_none")]
                y: Option<u64>,
            }

            #[workflow]
            pub async fn no_longer_skips_fields(cx: &Context) -> String {
                let value: Point = Point { x: 1, y: None };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u64,
                y: Option<u64>,
            }

            #[workflow]
            pub async fn no_longer_skips_fields(cx: &Context) -> String {
                let value: Point = Point { x: 0, y: Some(1) };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Point { x: 1, y: None }");
    }

    "`u64` becomes an untagged enum"
    u64_to_untagged {
        old [] {
            #[workflow]
            pub async fn u64_to_untagged(cx: &Context) -> String {
                let value: u64 = 5;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            #[allow(dead_code)]
            #[serde(untagged)]
            enum Id {
                Number(u64),
                Text(String),
            }

            #[workflow]
            pub async fn u64_to_untagged(cx: &Context) -> String {
                let value: Id = Id::Number(1);
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Number(5)");
    }

    "an untagged enum becomes `u64`"
    untagged_to_u64 {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            #[allow(dead_code)]
            #[serde(untagged)]
            enum Id {
                Number(u64),
                Text(String),
            }

            #[workflow]
            pub async fn untagged_to_u64(cx: &Context) -> String {
                let value: Id = Id::Number(5);
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn untagged_to_u64(cx: &Context) -> String {
                let value: u64 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("5");
    }

    "a struct becomes a map"
    struct_to_map {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                y: u64,
                x: u64,
            }

            #[workflow]
            pub async fn struct_to_map(cx: &Context) -> String {
                let value: Point = Point { x: 1, y: 2 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            use std::collections::BTreeMap;

            #[workflow]
            pub async fn struct_to_map(cx: &Context) -> String {
                let value: BTreeMap<String, u64> = [].into();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("{'x': 1, 'y': 2}");
    }

    "a map becomes a struct"
    map_to_struct {
        old [] {
            use std::collections::BTreeMap;

            #[workflow]
            pub async fn map_to_struct(cx: &Context) -> String {
                let value: BTreeMap<String, u64> = [("y".to_owned(), 2), ("x".to_owned(), 1)].into();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                y: u64,
                x: u64,
            }

            #[workflow]
            pub async fn map_to_struct(cx: &Context) -> String {
                let value: Point = Point { x: 0, y: 0 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Point { y: 2, x: 1 }");
    }

    "the `T` of a `piton::Json<T>` moves to another module"
    json_moved {
        old [] {
            use piton::Json;

            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u64,
            }

            #[workflow]
            pub async fn json_moved(cx: &Context) -> String {
                let value: Json<Point> = Json(Point { x: 1 });
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            use piton::Json;

            mod places {
                use serde::{Deserialize, Serialize};

                #[derive(Debug, Serialize, Deserialize)]
                pub struct Point {
                    pub x: u64,
                }
            }

            #[workflow]
            pub async fn json_moved(cx: &Context) -> String {
                let value: Json<places::Point> = Json(places::Point { x: 0 });
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Json(Point { x: 1 })");
    }

    "a field is flattened"
    field_flattened {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Line {
                id: u64,
                x: u64,
                y: u64,
            }

            #[workflow]
            pub async fn field_flattened(cx: &Context) -> String {
                let value: Line = Line { id: 1, x: 2, y: 3 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u64,
                y: u64,
            }

            #[derive(Debug, Serialize, Deserialize)]
            struct Line {
                id: u64,
                #[serde(flatten)]
                point: Point,
            }

            #[workflow]
            pub async fn field_flattened(cx: &Context) -> String {
                let value: Line = Line { id: 0, point: Point { x: 0, y: 0 } };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Line { id: 1, point: Point { x: 2, y: 3 } }");
    }
}
