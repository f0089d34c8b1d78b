//! Values that are borrowed or looped over: saved values without a name.

use crate::edits;

edits! {
    "the value that a variable borrows is computed by other code"
    borrowed_value_recomputed {
        old [] {
            #[workflow]
            pub async fn borrowed_value_recomputed(cx: &Context, price: u64, _age: u64) -> String {
                let due = &(price * 2);
                let Go(go) = cx.signal::<Go>().await;
                format!("{due} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn borrowed_value_recomputed(cx: &Context, price: u64, _age: u64) -> String {
                let due = &(price * 3);
                let Go(go) = cx.signal::<Go>().await;
                format!("{due} {go}")
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherBorrow", "`due`", "400 7");
    }

    "the variable that borrows a value gets another name"
    borrow_renamed {
        old [] {
            #[workflow]
            pub async fn borrow_renamed(cx: &Context, price: u64, _age: u64) -> String {
                let due = &(price * 2);
                let Go(go) = cx.signal::<Go>().await;
                format!("{due} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn borrow_renamed(cx: &Context, price: u64, _age: u64) -> String {
                let cents = &(price * 2);
                let Go(go) = cx.signal::<Go>().await;
                format!("{cents} {go}")
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Goes("400 7");
    }

    "a variable of another name borrows another value"
    borrowed_value {
        old [] {
            #[workflow]
            pub async fn borrowed_value(cx: &Context, price: u64, _age: u64) -> String {
                let due = &(price * 2);
                let Go(go) = cx.signal::<Go>().await;
                format!("{due} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn borrowed_value(cx: &Context, _price: u64, age: u64) -> String {
                let years = &(age + 1);
                let Go(go) = cx.signal::<Go>().await;
                format!("{years} {go}")
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherTemporary", "`value`", "400 7");
    }

    "a variable of another name borrows another text"
    borrowed_text {
        old [] {
            #[workflow]
            pub async fn borrowed_text(cx: &Context, price: u64, _age: u64) -> String {
                let cents: &str = &format!("{price}");
                let Go(go) = cx.signal::<Go>().await;
                format!("{cents} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn borrowed_text(cx: &Context, _price: u64, age: u64) -> String {
                let years: &str = &format!("{age}");
                let Go(go) = cx.signal::<Go>().await;
                format!("{years} {go}")
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherTemporary", "`format!`", "200 7");
    }

    "a variable of another name borrows another result of a function"
    borrowed_result {
        old [] {
            #[workflow]
            pub async fn borrowed_result(cx: &Context, price: u64, _age: u64) -> String {
                let due = &twice(price);
                let Go(go) = cx.signal::<Go>().await;
                format!("{due} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn borrowed_result(cx: &Context, _price: u64, age: u64) -> String {
                let years = &twice(age);
                let Go(go) = cx.signal::<Go>().await;
                format!("{years} {go}")
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherTemporary", "`twice()`", "400 7");
    }

    "a `match` has another borrowed value and binds another name"
    matched_value {
        old [] {
            #[workflow]
            pub async fn matched_value(cx: &Context, price: u64, _age: u64) -> String {
                match &(price * 2) {
                    due => {
                        let Go(go) = cx.signal::<Go>().await;
                        format!("{due} {go}")
                    }
                }
            }
        }
        new [] {
            #[workflow]
            pub async fn matched_value(cx: &Context, _price: u64, age: u64) -> String {
                match &(age + 1) {
                    years => {
                        let Go(go) = cx.signal::<Go>().await;
                        format!("{years} {go}")
                    }
                }
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherTemporary", "`value`", "400 7");
    }

    "an `if let` has another borrowed value and binds another name"
    found_value {
        old [] {
            #[workflow]
            pub async fn found_value(cx: &Context, price: u64, _age: u64) -> String {
                if let Some(due) = &Some(price * 2) {
                    let Go(go) = cx.signal::<Go>().await;
                    return format!("{due} {go}");
                }
                String::new()
            }
        }
        new [] {
            #[workflow]
            pub async fn found_value(cx: &Context, _price: u64, age: u64) -> String {
                if let Some(years) = &Some(age + 1) {
                    let Go(go) = cx.signal::<Go>().await;
                    return format!("{years} {go}");
                }
                String::new()
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherTemporary", "`Some()`", "400 7");
    }

    "a loop over a borrowed list goes over another one, and its item has another name"
    borrowed_items {
        old [] {
            #[workflow]
            pub async fn borrowed_items(cx: &Context, price: u64, _age: u64) -> String {
                let mut text = String::new();
                for due in &vec![price * 2] {
                    let Go(go) = cx.signal::<Go>().await;
                    text.push_str(&format!("{due} {go}"));
                }
                text
            }
        }
        new [] {
            #[workflow]
            pub async fn borrowed_items(cx: &Context, _price: u64, age: u64) -> String {
                let mut text = String::new();
                for years in &vec![age + 1] {
                    let Go(go) = cx.signal::<Go>().await;
                    text.push_str(&format!("{years} {go}"));
                }
                text
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherTemporary", "`vec!`", "400 7");
    }

    "the items of a loop over pairs are others, and have another name"
    rest_of_other_pairs {
        old [] {
            #[workflow]
            pub async fn rest_of_other_pairs(cx: &Context, price: u64, _age: u64) -> String {
                let mut text = String::new();
                for (id, due) in vec![(1_u64, price), (2, price + 1)] {
                    let Go(go) = cx.signal::<Go>().await;
                    text.push_str(&format!("{go} "));
                    if id > 1 {
                        text.push_str(&format!("{due} "));
                    }
                }
                text
            }
        }
        new [] {
            #[workflow]
            pub async fn rest_of_other_pairs(cx: &Context, _price: u64, age: u64) -> String {
                let mut text = String::new();
                for (id, years) in vec![(1_u64, age), (2, age + 1)] {
                    let Go(go) = cx.signal::<Go>().await;
                    text.push_str(&format!("{go} "));
                    if id > 1 {
                        text.push_str(&format!("{years} "));
                    }
                }
                text
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7), Go(8)] => Blocked("OtherTemporary", "`rest of id`", "7 8 201 ");
    }

    "the key of a borrowed item is another one, for a variable of another name"
    key_of_another_item {
        old [weigh] {
            #[activity]
            pub async fn weigh(id: u64) -> u64 {
                id / 200
            }

            #[workflow]
            pub async fn key_of_another_item(cx: &Context, price: u64, _age: u64) -> String {
                let kinds = std::collections::BTreeMap::from([(200, 1), (400, 2), (60, 3)]);
                let due = &kinds[&(weigh(price).await + price * 2 - price / 200)];
                let Go(go) = cx.signal::<Go>().await;
                format!("{due} {go}")
            }
        }
        new [weigh] {
            #[activity]
            pub async fn weigh(id: u64) -> u64 {
                id / 200
            }

            #[workflow]
            pub async fn key_of_another_item(cx: &Context, _price: u64, age: u64) -> String {
                let kinds = std::collections::BTreeMap::from([(200, 1), (400, 2), (60, 3)]);
                let years = &kinds[&(weigh(age).await + age * 2 - age / 200)];
                let Go(go) = cx.signal::<Go>().await;
                format!("{years} {go}")
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherTemporary", "", "2 7");
    }
}
