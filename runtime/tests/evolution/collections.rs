//! Saved values whose types are edited: tuples, newtypes, lists and maps.

use crate::edits;

edits! {
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
