//! Values that a state keeps, and whose types are edited.

use crate::edits;

edits! {
    "`u8` becomes `u64`"
    u8_to_u64 {
        old [] {
            #[workflow]
            pub async fn u8_to_u64(cx: &Context) -> String {
                let value: u8 = 200;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn u8_to_u64(cx: &Context) -> String {
                let value: u64 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("200");
    }

    "`u64` becomes `u8`, and the value fits"
    u64_to_u8_that_fits {
        old [] {
            #[workflow]
            pub async fn u64_to_u8_that_fits(cx: &Context) -> String {
                let value: u64 = 200;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn u64_to_u8_that_fits(cx: &Context) -> String {
                let value: u8 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("200");
    }

    "`u64` becomes `u8`, and the value is too large"
    u64_to_u8_too_large {
        old [] {
            #[workflow]
            pub async fn u64_to_u8_too_large(cx: &Context) -> String {
                let value: u64 = 300;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn u64_to_u8_too_large(cx: &Context) -> String {
                let value: u8 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "300");
    }

    "`u64` becomes `i64`"
    u64_to_i64 {
        old [] {
            #[workflow]
            pub async fn u64_to_i64(cx: &Context) -> String {
                let value: u64 = 1000;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn u64_to_i64(cx: &Context) -> String {
                let value: i64 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("1000");
    }

    "`i64` becomes `u64`, and the value fits"
    i64_to_u64_that_fits {
        old [] {
            #[workflow]
            pub async fn i64_to_u64_that_fits(cx: &Context) -> String {
                let value: i64 = 1000;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn i64_to_u64_that_fits(cx: &Context) -> String {
                let value: u64 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("1000");
    }

    "`i64` becomes `u64`, and the value is negative"
    i64_to_u64_negative {
        old [] {
            #[workflow]
            pub async fn i64_to_u64_negative(cx: &Context) -> String {
                let value: i64 = -5;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn i64_to_u64_negative(cx: &Context) -> String {
                let value: u64 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "-5");
    }

    "`u64` becomes `u128`"
    u64_to_u128 {
        old [] {
            #[workflow]
            pub async fn u64_to_u128(cx: &Context) -> String {
                let value: u64 = 1000;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn u64_to_u128(cx: &Context) -> String {
                let value: u128 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("1000");
    }

    "`u128` becomes `u64`"
    u128_to_u64 {
        old [] {
            #[workflow]
            pub async fn u128_to_u64(cx: &Context) -> String {
                let value: u128 = 1000;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn u128_to_u64(cx: &Context) -> String {
                let value: u64 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("1000");
    }

    "`f32` becomes `f64`"
    f32_to_f64 {
        old [] {
            #[workflow]
            pub async fn f32_to_f64(cx: &Context) -> String {
                let value: f32 = 1.5;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn f32_to_f64(cx: &Context) -> String {
                let value: f64 = 1.0;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("1.5");
    }

    "`u64` becomes `f64`"
    u64_to_f64 {
        old [] {
            #[workflow]
            pub async fn u64_to_f64(cx: &Context) -> String {
                let value: u64 = 15;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn u64_to_f64(cx: &Context) -> String {
                let value: f64 = 1.0;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("15.0");
    }

    "`f64` becomes `u64`"
    f64_to_u64 {
        old [] {
            #[workflow]
            pub async fn f64_to_u64(cx: &Context) -> String {
                let value: f64 = 15.5;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn f64_to_u64(cx: &Context) -> String {
                let value: u64 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "15.5");
    }

    "`u64` becomes `String`"
    u64_to_string {
        old [] {
            #[workflow]
            pub async fn u64_to_string(cx: &Context) -> String {
                let value: u64 = 15;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn u64_to_string(cx: &Context) -> String {
                let value: String = String::new();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "15");
    }

    "`String` becomes `u64`"
    string_to_u64 {
        old [] {
            #[workflow]
            pub async fn string_to_u64(cx: &Context) -> String {
                let value: String = "15".to_owned();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn string_to_u64(cx: &Context) -> String {
                let value: u64 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "'15'");
    }

    "`char` becomes `String`"
    char_to_string {
        old [] {
            #[workflow]
            pub async fn char_to_string(cx: &Context) -> String {
                let value: char = 'x';
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn char_to_string(cx: &Context) -> String {
                let value: String = String::new();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("'x'");
    }

    "`bool` becomes `u8`"
    bool_to_u8 {
        old [] {
            #[workflow]
            pub async fn bool_to_u8(cx: &Context) -> String {
                let value: bool = true;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn bool_to_u8(cx: &Context) -> String {
                let value: u8 = 0;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "true");
    }

    "`String` becomes `Option<String>`"
    string_to_option {
        old [] {
            #[workflow]
            pub async fn string_to_option(cx: &Context) -> String {
                let value: String = "a".to_owned();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn string_to_option(cx: &Context) -> String {
                let value: Option<String> = None;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Some('a')");
    }

    "`Option<String>` becomes `String`, and there is one"
    option_to_string_some {
        old [] {
            #[workflow]
            pub async fn option_to_string_some(cx: &Context) -> String {
                let value: Option<String> = Some("a".to_owned());
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn option_to_string_some(cx: &Context) -> String {
                let value: String = String::new();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("'a'");
    }

    "`Option<String>` becomes `String`, and there is none"
    option_to_string_none {
        old [] {
            #[workflow]
            pub async fn option_to_string_none(cx: &Context) -> String {
                let value: Option<String> = None;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn option_to_string_none(cx: &Context) -> String {
                let value: String = String::new();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "None");
    }

    "`Option<Option<u8>>` with `Some(None)` becomes `Option<u8>`"
    option_flattened {
        old [] {
            #[workflow]
            pub async fn option_flattened(cx: &Context) -> String {
                let value: Option<Option<u8>> = Some(None);
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn option_flattened(cx: &Context) -> String {
                let value: Option<u8> = Some(1);
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "Some(None)");
    }

    "a tuple is widened"
    tuple_widened {
        old [] {
            #[workflow]
            pub async fn tuple_widened(cx: &Context) -> String {
                let value: (u8, i8) = (1, -2);
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn tuple_widened(cx: &Context) -> String {
                let value: (u64, i64) = (0, 0);
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("(1, -2)");
    }

    "a tuple gets one item more"
    tuple_longer {
        old [] {
            #[workflow]
            pub async fn tuple_longer(cx: &Context) -> String {
                let value: (u8, u8) = (1, 2);
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn tuple_longer(cx: &Context) -> String {
                let value: (u8, u8, u8) = (0, 0, 0);
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "(1, 2)");
    }

    "a tuple gets one item less"
    tuple_shorter {
        old [] {
            #[workflow]
            pub async fn tuple_shorter(cx: &Context) -> String {
                let value: (u8, u8, u8) = (1, 2, 3);
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn tuple_shorter(cx: &Context) -> String {
                let value: (u8, u8) = (0, 0);
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "(1, 2, 3)");
    }

    "a value is wrapped in a newtype"
    newtype_wrapped {
        old [] {
            #[workflow]
            pub async fn newtype_wrapped(cx: &Context) -> String {
                let value: u64 = 5;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Amount(u64);

            #[workflow]
            pub async fn newtype_wrapped(cx: &Context) -> String {
                let value: Amount = Amount(1);
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Amount(5)");
    }

    "a newtype is unwrapped"
    newtype_unwrapped {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            struct Amount(u64);

            #[workflow]
            pub async fn newtype_unwrapped(cx: &Context) -> String {
                let value: Amount = Amount(5);
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn newtype_unwrapped(cx: &Context) -> String {
                let value: u64 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("5");
    }

    "`Vec` becomes `VecDeque`"
    vec_to_deque {
        old [] {
            #[workflow]
            pub async fn vec_to_deque(cx: &Context) -> String {
                let value: Vec<u8> = vec![1, 2];
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            use std::collections::VecDeque;

            #[workflow]
            pub async fn vec_to_deque(cx: &Context) -> String {
                let value: VecDeque<u8> = VecDeque::new();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("[1, 2]");
    }

    "an array becomes a `Vec`"
    array_to_vec {
        old [] {
            #[workflow]
            pub async fn array_to_vec(cx: &Context) -> String {
                let value: [u8; 3] = [1, 2, 3];
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn array_to_vec(cx: &Context) -> String {
                let value: Vec<u16> = vec![];
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("[1, 2, 3]");
    }

    "a `Vec` becomes an array of its length"
    vec_to_array {
        old [] {
            #[workflow]
            pub async fn vec_to_array(cx: &Context) -> String {
                let value: Vec<u16> = vec![1, 2, 3];
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn vec_to_array(cx: &Context) -> String {
                let value: [u8; 3] = [0; 3];
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("[1, 2, 3]");
    }

    "a `Vec` becomes an array of another length"
    vec_to_longer_array {
        old [] {
            #[workflow]
            pub async fn vec_to_longer_array(cx: &Context) -> String {
                let value: Vec<u16> = vec![1, 2];
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn vec_to_longer_array(cx: &Context) -> String {
                let value: [u8; 3] = [0; 3];
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "[1, 2]");
    }

    "a `Vec` becomes a `BTreeSet`"
    vec_to_set {
        old [] {
            #[workflow]
            pub async fn vec_to_set(cx: &Context) -> String {
                let value: Vec<u8> = vec![2, 1];
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            use std::collections::BTreeSet;

            #[workflow]
            pub async fn vec_to_set(cx: &Context) -> String {
                let value: BTreeSet<u8> = BTreeSet::new();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("{1, 2}");
    }

    "`HashMap` becomes `BTreeMap`"
    hash_map_to_tree {
        old [] {
            use std::collections::HashMap;

            #[derive(Debug, Serialize, Deserialize)]
            struct Stock {
                by_name: HashMap<String, u8>,
            }

            #[workflow]
            pub async fn hash_map_to_tree(cx: &Context) -> String {
                let value: Stock = Stock { by_name: [("a".to_owned(), 1)].into() };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            use std::collections::BTreeMap;

            #[derive(Debug, Serialize, Deserialize)]
            struct Stock {
                by_name: BTreeMap<String, u16>,
            }

            #[workflow]
            pub async fn hash_map_to_tree(cx: &Context) -> String {
                let value: Stock = Stock { by_name: [].into() };
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Stock { by_name: {'a': 1} }");
    }

    "keys of a map change from `u8` to `u64`"
    keys_widened {
        old [] {
            use std::collections::BTreeMap;

            #[workflow]
            pub async fn keys_widened(cx: &Context) -> String {
                let value: BTreeMap<u8, u8> = [(1, 2)].into();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            use std::collections::BTreeMap;

            #[workflow]
            pub async fn keys_widened(cx: &Context) -> String {
                let value: BTreeMap<u64, u8> = [].into();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("{1: 2}");
    }

    "keys of a map change from `u64` to `String`"
    keys_to_strings {
        old [] {
            use std::collections::BTreeMap;

            #[workflow]
            pub async fn keys_to_strings(cx: &Context) -> String {
                let value: BTreeMap<u64, u8> = [(1, 2)].into();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            use std::collections::BTreeMap;

            #[workflow]
            pub async fn keys_to_strings(cx: &Context) -> String {
                let value: BTreeMap<String, u8> = [].into();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "{1: 2}");
    }

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
