//! Saved structs that are edited.

use crate::edits;

edits! {
    "fields of a struct are sorted"
    fields_reordered {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u64,
                y: u64,
            }

            #[workflow]
            pub async fn fields_reordered(cx: &Context) -> String {
                let value: Point = Point { x: 1, y: 2 };
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
            pub async fn fields_reordered(cx: &Context) -> String {
                let value: Point = Point { x: 0, y: 0 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Point { y: 2, x: 1 }");
    }

    "a field with a default is added"
    field_added_with_default {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u64,
            }

            #[workflow]
            pub async fn field_added_with_default(cx: &Context) -> String {
                let value: Point = Point { x: 1 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u64,
                #[serde(default)]
                y: u64,
            }

            #[workflow]
            pub async fn field_added_with_default(cx: &Context) -> String {
                let value: Point = Point { x: 0, y: 0 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Point { x: 1, y: 0 }");
    }

    "a field without a default is added"
    field_added {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u64,
            }

            #[workflow]
            pub async fn field_added(cx: &Context) -> String {
                let value: Point = Point { x: 1 };
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

            #[workflow]
            pub async fn field_added(cx: &Context) -> String {
                let value: Point = Point { x: 0, y: 0 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "y", "Point { x: 1 }");
    }

    "an `Option` field is added"
    option_field_added {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u64,
            }

            #[workflow]
            pub async fn option_field_added(cx: &Context) -> String {
                let value: Point = Point { x: 1 };
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
            pub async fn option_field_added(cx: &Context) -> String {
                let value: Point = Point { x: 0, y: None };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Point { x: 1, y: None }");
    }

    "a field is removed"
    field_removed {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u64,
                y: u64,
            }

            #[workflow]
            pub async fn field_removed(cx: &Context) -> String {
                let value: Point = Point { x: 1, y: 2 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                y: u64,
            }

            #[workflow]
            pub async fn field_removed(cx: &Context) -> String {
                let value: Point = Point { y: 0 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Point { y: 2 }");
    }

    "a field is removed from a struct that denies unknown ones"
    field_removed_denied {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u64,
                y: u64,
            }

            #[workflow]
            pub async fn field_removed_denied(cx: &Context) -> String {
                let value: Point = Point { x: 1, y: 2 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            #[serde(deny_unknown_fields)]
            struct Point {
                y: u64,
            }

            #[workflow]
            pub async fn field_removed_denied(cx: &Context) -> String {
                let value: Point = Point { y: 0 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "x", "Point { x: 1, y: 2 }");
    }

    "a field is renamed with an alias"
    field_renamed_with_alias {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u64,
                y: u64,
            }

            #[workflow]
            pub async fn field_renamed_with_alias(cx: &Context) -> String {
                let value: Point = Point { x: 1, y: 2 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                #[serde(alias = "x")]
                across: u64,
                y: u64,
            }

            #[workflow]
            pub async fn field_renamed_with_alias(cx: &Context) -> String {
                let value: Point = Point { across: 0, y: 0 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Point { across: 1, y: 2 }");
    }

    "a field is renamed without an alias"
    field_renamed {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u64,
                y: u64,
            }

            #[workflow]
            pub async fn field_renamed(cx: &Context) -> String {
                let value: Point = Point { x: 1, y: 2 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                across: u64,
                y: u64,
            }

            #[workflow]
            pub async fn field_renamed(cx: &Context) -> String {
                let value: Point = Point { across: 0, y: 0 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "across", "Point { x: 1, y: 2 }");
    }

    "two fields exchange their names"
    field_names_exchanged {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u64,
                y: u64,
            }

            #[workflow]
            pub async fn field_names_exchanged(cx: &Context) -> String {
                let value: Point = Point { x: 1, y: 2 };
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
            pub async fn field_names_exchanged(cx: &Context) -> String {
                let value: Point = Point { y: 0, x: 0 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Point { y: 2, x: 1 }");
    }

    "a field is widened"
    field_widened {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u8,
                y: i8,
            }

            #[workflow]
            pub async fn field_widened(cx: &Context) -> String {
                let value: Point = Point { x: 1, y: -2 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u64,
                y: i64,
            }

            #[workflow]
            pub async fn field_widened(cx: &Context) -> String {
                let value: Point = Point { x: 0, y: 0 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Point { x: 1, y: -2 }");
    }

    "a struct is renamed and moves to another module"
    struct_renamed_and_moved {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u64,
                y: u64,
            }

            #[workflow]
            pub async fn struct_renamed_and_moved(cx: &Context) -> String {
                let value: Point = Point { x: 1, y: 2 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            mod places {
                use serde::{Deserialize, Serialize};

                #[derive(Debug, Serialize, Deserialize)]
                pub struct Place {
                    pub y: u64,
                    pub x: u64,
                }
            }

            use places::Place;

            #[workflow]
            pub async fn struct_renamed_and_moved(cx: &Context) -> String {
                let value: Place = Place { x: 0, y: 0 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Place { y: 2, x: 1 }");
    }

    "fields of the items of a list are sorted"
    items_reordered {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point {
                x: u64,
                y: u64,
            }

            #[workflow]
            pub async fn items_reordered(cx: &Context) -> String {
                let value: Vec<Point> = vec![Point { x: 1, y: 2 }, Point { x: 3, y: 4 }];
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
            pub async fn items_reordered(cx: &Context) -> String {
                let value: Vec<Point> = vec![];
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("[Point { y: 2, x: 1 }, Point { y: 4, x: 3 }]");
    }

    "a tuple struct becomes one with named fields"
    tuple_struct_named {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Point(u64, u64);

            #[workflow]
            pub async fn tuple_struct_named(cx: &Context) -> String {
                let value: Point = Point(1, 2);
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

            #[workflow]
            pub async fn tuple_struct_named(cx: &Context) -> String {
                let value: Point = Point { x: 0, y: 0 };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Point { x: 1, y: 2 }");
    }
}
