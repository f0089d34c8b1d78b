//! Borrows that are made again after an await, and positions in what is borrowed.

use crate::edits;

edits! {
    "an entry is added in front of a constant that a loop goes over"
    stage_added {
        old [] {
            const STAGES: [&str; 2] = ["pack", "ship"];

            #[workflow]
            pub async fn stage_added(cx: &Context) -> String {
                let mut text = String::new();
                for stage in &STAGES {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{stage} ");
                }
                text
            }
        }
        new [] {
            const STAGES: [&str; 3] = ["weigh", "pack", "ship"];

            #[workflow]
            pub async fn stage_added(cx: &Context) -> String {
                let mut text = String::new();
                for stage in &STAGES {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{stage} ");
                }
                text
            }
        }
        run old() new();
        at "start" [] [Go(1), Go(2), Go(3)] => Goes("1:weigh 2:pack 3:ship ");
        at "signal<Go>" [Go(1)] [Go(2)] => Blocked("OtherSource", "`position of stage`", "1:pack 2:ship ");
    }

    "a constant changes by which a loop divides its list"
    chunk_size {
        old [] {
            const SIZE: usize = 1;

            #[workflow]
            pub async fn chunk_size(cx: &Context) -> String {
                let mut text = String::new();
                let lines: Vec<u8> = vec![10, 20, 30, 40];
                for chunk in lines.chunks(SIZE) {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{chunk:?} ");
                }
                text
            }
        }
        new [] {
            const SIZE: usize = 2;

            #[workflow]
            pub async fn chunk_size(cx: &Context) -> String {
                let mut text = String::new();
                let lines: Vec<u8> = vec![10, 20, 30, 40];
                for chunk in lines.chunks(SIZE) {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{chunk:?} ");
                }
                text
            }
        }
        run old() new();
        at "start" [] [Go(1), Go(2)] => Goes("1:[10, 20] 2:[30, 40] ");
        at "signal<Go>" [Go(1), Go(2)] [Go(3), Go(4)] => Blocked("OtherSource", "`position of chunk`", "1:[10] 2:[20] 3:[30] 4:[40] ");
    }

    "a constant changes by which a loop leaves items out"
    filter_limit {
        old [] {
            const LEAST: u8 = 5;

            #[workflow]
            pub async fn filter_limit(cx: &Context) -> String {
                let mut text = String::new();
                let lines: Vec<u8> = vec![10, 20, 30];
                for line in lines.iter().filter(|line| **line > LEAST) {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{line} ");
                }
                text
            }
        }
        new [] {
            const LEAST: u8 = 15;

            #[workflow]
            pub async fn filter_limit(cx: &Context) -> String {
                let mut text = String::new();
                let lines: Vec<u8> = vec![10, 20, 30];
                for line in lines.iter().filter(|line| **line > LEAST) {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{line} ");
                }
                text
            }
        }
        run old() new();
        at "start" [] [Go(1), Go(2)] => Goes("1:20 2:30 ");
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("1:10 2:20 3:30 ");
    }

    "a constant without a serde implementation changes that a loop goes over"
    stages_swapped {
        old [] {
            #[derive(Debug)]
            struct Stage(&'static str);

            const STAGES: [Stage; 2] = [Stage("pack"), Stage("ship")];

            #[workflow]
            pub async fn stages_swapped(cx: &Context) -> String {
                let mut text = String::new();
                for Stage(stage) in &STAGES {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{stage} ");
                }
                text
            }
        }
        new [] {
            #[derive(Debug)]
            struct Stage(&'static str);

            const STAGES: [Stage; 2] = [Stage("ship"), Stage("pack")];

            #[workflow]
            pub async fn stages_swapped(cx: &Context) -> String {
                let mut text = String::new();
                for Stage(stage) in &STAGES {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{stage} ");
                }
                text
            }
        }
        run old() new();
        at "signal<Go>" [Go(1)] [Go(2)] => Blocked("OtherSource", "`position of stage`", "1:pack 2:ship ");
    }

    "an entry is added in front of a constant of which an item is held"
    plan_added {
        old [] {
            const PLANS: [(&str, u64); 1] = [("team", 9)];

            #[workflow]
            pub async fn plan_added(cx: &Context) -> String {
                let at = PLANS.iter().position(|plan| plan.0 == "team").unwrap();
                let plan = &PLANS[at];
                let Go(go) = cx.signal::<Go>().await;
                format!("{go}:{} {}", plan.0, plan.1)
            }
        }
        new [] {
            const PLANS: [(&str, u64); 2] = [("single", 4), ("team", 9)];

            #[workflow]
            pub async fn plan_added(cx: &Context) -> String {
                let at = PLANS.iter().position(|plan| plan.0 == "team").unwrap();
                let plan = &PLANS[at];
                let Go(go) = cx.signal::<Go>().await;
                format!("{go}:{} {}", plan.0, plan.1)
            }
        }
        run old() new();
        at "start" [] [Go(1)] => Goes("1:team 9");
        at "signal<Go>" [] [Go(1)] => Blocked("OtherBorrow", "`plan`", "1:team 9");
    }

    "another lookup gives a held item"
    lookup_changed {
        old [] {
            #[workflow]
            pub async fn lookup_changed(cx: &Context) -> String {
                let lines: Vec<u8> = vec![10, 30, 20];
                let line = lines.iter().max().unwrap();
                let Go(go) = cx.signal::<Go>().await;
                format!("{go}:{line}")
            }
        }
        new [] {
            #[workflow]
            pub async fn lookup_changed(cx: &Context) -> String {
                let lines: Vec<u8> = vec![10, 30, 20];
                let line = lines.iter().min().unwrap();
                let Go(go) = cx.signal::<Go>().await;
                format!("{go}:{line}")
            }
        }
        run old() new();
        at "start" [] [Go(1)] => Goes("1:10");
        at "signal<Go>" [] [Go(1)] => Blocked("OtherBorrow", "`line`", "1:30");
    }

    "another field is borrowed"
    field_borrowed {
        old [] {
            #[workflow]
            pub async fn field_borrowed(cx: &Context) -> String {
                let pair = (1_u8, 2_u8);
                let side = &pair.0;
                let Go(go) = cx.signal::<Go>().await;
                format!("{go}:{side} {pair:?}")
            }
        }
        new [] {
            #[workflow]
            pub async fn field_borrowed(cx: &Context) -> String {
                let pair = (1_u8, 2_u8);
                let side = &pair.1;
                let Go(go) = cx.signal::<Go>().await;
                format!("{go}:{side} {pair:?}")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("OtherBorrow", "`side`", "1:1 (1, 2)");
    }

    "another field is borrowed, under another name"
    borrow_renamed {
        old [] {
            #[workflow]
            pub async fn borrow_renamed(cx: &Context) -> String {
                let pair = (1_u8, 2_u8);
                let side = &pair.0;
                let Go(go) = cx.signal::<Go>().await;
                format!("{go}:{side} {pair:?}")
            }
        }
        new [] {
            #[workflow]
            pub async fn borrow_renamed(cx: &Context) -> String {
                let pair = (1_u8, 2_u8);
                let other_side = &pair.1;
                let Go(go) = cx.signal::<Go>().await;
                format!("{go}:{other_side} {pair:?}")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("1:2 (1, 2)");
    }

    "a constant changes that is bound to a local"
    constant_bound {
        old [] {
            const LABEL: &str = "old";

            #[workflow]
            pub async fn constant_bound(cx: &Context) -> String {
                let label = LABEL;
                let Go(go) = cx.signal::<Go>().await;
                format!("{go}:{label}")
            }
        }
        new [] {
            const LABEL: &str = "new";

            #[workflow]
            pub async fn constant_bound(cx: &Context) -> String {
                let label = LABEL;
                let Go(go) = cx.signal::<Go>().await;
                format!("{go}:{label}")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("1:new");
    }

    "a `Vec` becomes a `BTreeSet` while a loop goes over it"
    list_becomes_set {
        old [] {
            pub type Lines = Vec<String>;

            #[workflow]
            pub async fn list_becomes_set(cx: &Context) -> String {
                let mut text = String::new();
                let lines: Lines = ["x", "b", "a"].map(str::to_owned).into_iter().collect();
                for line in &lines {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{line} ");
                }
                text
            }
        }
        new [] {
            pub type Lines = std::collections::BTreeSet<String>;

            #[workflow]
            pub async fn list_becomes_set(cx: &Context) -> String {
                let mut text = String::new();
                let lines: Lines = ["x", "b", "a"].map(str::to_owned).into_iter().collect();
                for line in &lines {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{line} ");
                }
                text
            }
        }
        run old() new();
        at "start" [] [Go(1), Go(2), Go(3)] => Goes("1:a 2:b 3:x ");
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Blocked("OtherOrder", "`lines`", "1:x 2:b 3:a ");
    }

    "the fields of the keys of a set are sorted while a loop goes over it"
    set_keys_sorted {
        old [] {
            #[derive(PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
            pub struct Key {
                pub a: u8,
                pub b: u8,
            }

            #[workflow]
            pub async fn set_keys_sorted(cx: &Context) -> String {
                let mut text = String::new();
                let keys: std::collections::BTreeSet<Key> =
                    [Key { a: 1, b: 3 }, Key { a: 2, b: 2 }].into_iter().collect();
                for key in &keys {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{}{} ", key.a, key.b);
                }
                text
            }
        }
        new [] {
            #[derive(PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
            pub struct Key {
                pub b: u8,
                pub a: u8,
            }

            #[workflow]
            pub async fn set_keys_sorted(cx: &Context) -> String {
                let mut text = String::new();
                let keys: std::collections::BTreeSet<Key> =
                    [Key { a: 1, b: 3 }, Key { a: 2, b: 2 }].into_iter().collect();
                for key in &keys {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{}{} ", key.a, key.b);
                }
                text
            }
        }
        run old() new();
        at "start" [] [Go(1), Go(2)] => Goes("1:22 2:13 ");
        at "signal<Go>" [Go(1)] [Go(2)] => Blocked("OtherOrder", "`keys`", "1:13 2:22 ");
    }

    "a number changes that is a constant and was bound to a local"
    number_bound {
        old [] {
            const OLD_PRICE: u8 = 5;

            #[workflow]
            pub async fn number_bound(cx: &Context) -> String {
                let price = OLD_PRICE;
                let Go(go) = cx.signal::<Go>().await;
                format!("{go}:{price}")
            }
        }
        new [] {
            const NEW_PRICE: u8 = 9;

            #[workflow]
            pub async fn number_bound(cx: &Context) -> String {
                let price = NEW_PRICE;
                let Go(go) = cx.signal::<Go>().await;
                format!("{go}:{price}")
            }
        }
        run old() new();
        at "start" [] [Go(1)] => Goes("1:9");
        at "signal<Go>" [] [Go(1)] => Goes("1:5");
    }
}
