//! Values that a state keeps, and whose types are edited: numbers, texts and collections.

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
}
