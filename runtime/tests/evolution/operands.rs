//! Operands that are evaluated before an await of the same expression: saved values without a name.

use crate::edits;

edits! {
    "an operand before the await is computed by other code, for the same call"
    operand_recomputed {
        old [] {
            #[workflow]
            pub async fn operand_recomputed(cx: &Context, price: u64, _age: u64) -> String {
                send(price * 2, cx.signal::<Go>().await)
            }
        }
        new [] {
            #[workflow]
            pub async fn operand_recomputed(cx: &Context, price: u64, _age: u64) -> String {
                send(price * 3, cx.signal::<Go>().await)
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Goes("400 7");
    }

    "the call with an operand before the await becomes another call"
    operand_of_another_call {
        old [] {
            #[workflow]
            pub async fn operand_of_another_call(cx: &Context, price: u64, _age: u64) -> String {
                send(price * 2, cx.signal::<Go>().await)
            }
        }
        new [] {
            #[workflow]
            pub async fn operand_of_another_call(cx: &Context, price: u64, _age: u64) -> String {
                grow(price * 2, cx.signal::<Go>().await)
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Goes("400 years 7");
    }

    "the call with an operand before the await becomes another call with another operand"
    other_operand {
        old [] {
            #[workflow]
            pub async fn other_operand(cx: &Context, price: u64, _age: u64) -> String {
                send(price * 2, cx.signal::<Go>().await)
            }
        }
        new [] {
            #[workflow]
            pub async fn other_operand(cx: &Context, _price: u64, age: u64) -> String {
                grow(age + 1, cx.signal::<Go>().await)
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherTemporary", "`value`", "400 7");
    }

    "an operand before the await moves to another index and is another one"
    operand_at_another_index {
        old [] {
            #[workflow]
            pub async fn operand_at_another_index(cx: &Context, price: u64, _age: u64) -> String {
                format!("{:?}", (price * 2, cx.signal::<Go>().await))
            }
        }
        new [] {
            #[workflow]
            pub async fn operand_at_another_index(cx: &Context, _price: u64, age: u64) -> String {
                format!("{:?}", (0, age + 1, cx.signal::<Go>().await))
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherTemporary", "`value`", "(400, Go(7))");
    }

    "an operand before the await is the result of a function, and so is that of another call"
    result_as_other_operand {
        old [] {
            #[workflow]
            pub async fn result_as_other_operand(cx: &Context, price: u64, _age: u64) -> String {
                send(twice(price), cx.signal::<Go>().await)
            }
        }
        new [] {
            #[workflow]
            pub async fn result_as_other_operand(cx: &Context, _price: u64, age: u64) -> String {
                grow(twice(age), cx.signal::<Go>().await)
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherTemporary", "`twice()`", "400 7");
    }

    "an operand before the await gets a name"
    operand_is_named {
        old [] {
            #[workflow]
            pub async fn operand_is_named(cx: &Context, price: u64, _age: u64) -> String {
                send(price * 2, cx.signal::<Go>().await)
            }
        }
        new [] {
            #[workflow]
            pub async fn operand_is_named(cx: &Context, price: u64, _age: u64) -> String {
                #[formerly("value")]
                let cents = price * 2;
                send(cents, cx.signal::<Go>().await)
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Goes("400 7");
    }

    "an operand before the await becomes a variable of its name with another value"
    operand_becomes_a_variable {
        old [] {
            #[workflow]
            pub async fn operand_becomes_a_variable(cx: &Context, price: u64, _age: u64) -> String {
                send(price * 2, cx.signal::<Go>().await)
            }
        }
        new [] {
            #[workflow]
            pub async fn operand_becomes_a_variable(cx: &Context, _price: u64, age: u64) -> String {
                let value = age + 1;
                let go = cx.signal::<Go>().await;
                grow(value, go)
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherTemporary", "`value`", "400 7");
    }

    "a variable becomes an operand before the await with another value"
    variable_becomes_an_operand {
        old [] {
            #[workflow]
            pub async fn variable_becomes_an_operand(cx: &Context, price: u64, _age: u64) -> String {
                let value = price * 2;
                let go = cx.signal::<Go>().await;
                send(value, go)
            }
        }
        new [] {
            #[workflow]
            pub async fn variable_becomes_an_operand(cx: &Context, _price: u64, age: u64) -> String {
                grow(age + 1, cx.signal::<Go>().await)
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherTemporary", "`value`", "400 7");
    }

    "a comparison with an operand before the await becomes a sum with another one"
    operand_of_another_operator {
        old [] {
            #[workflow]
            pub async fn operand_of_another_operator(cx: &Context, price: u64, _age: u64) -> String {
                (price * 2 > u64::from(cx.signal::<Go>().await.0)).to_string()
            }
        }
        new [] {
            #[workflow]
            pub async fn operand_of_another_operator(cx: &Context, _price: u64, age: u64) -> String {
                (age + 1 + u64::from(cx.signal::<Go>().await.0)).to_string()
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherTemporary", "`value`", "true");
    }

    "the outcome of an await before another one goes to another call, and the arguments change"
    outcome_as_operand {
        old [weigh] {
            #[activity]
            pub async fn weigh(id: u64) -> u64 {
                id / 200
            }

            #[workflow]
            pub async fn outcome_as_operand(cx: &Context, price: u64, _age: u64) -> String {
                send(weigh(price).await, cx.signal::<Go>().await)
            }
        }
        new [weigh] {
            #[activity]
            pub async fn weigh(id: u64) -> u64 {
                id / 200
            }

            #[workflow]
            pub async fn outcome_as_operand(cx: &Context, _price: u64, age: u64) -> String {
                grow(weigh(age).await, cx.signal::<Go>().await)
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Goes("1 years 7");
    }

    "the text of a `format!` with an operand before the await changes"
    operand_of_a_text {
        old [] {
            #[workflow]
            pub async fn operand_of_a_text(cx: &Context, price: u64, _age: u64) -> String {
                format!("{} {}", price * 2, cx.signal::<Go>().await.0)
            }
        }
        new [] {
            #[workflow]
            pub async fn operand_of_a_text(cx: &Context, price: u64, _age: u64) -> String {
                format!("{}, go {}", price * 2, cx.signal::<Go>().await.0)
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Goes("400, go 7");
    }

    "the receiver of a method before the await becomes that of another one"
    kept_receiver {
        old [] {
            #[workflow]
            pub async fn kept_receiver(cx: &Context, price: u64, _age: u64) -> String {
                (price * 2).to_string().len().max(cx.signal::<Go>().await.0.into()).to_string()
            }
        }
        new [] {
            #[workflow]
            pub async fn kept_receiver(cx: &Context, _price: u64, age: u64) -> String {
                (age * 2).to_string().len().min(cx.signal::<Go>().await.0.into()).to_string()
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherTemporary", "`len()`", "7");
    }

    "a map gets a value under another key, and is another map"
    key_of_another_map {
        old [] {
            #[workflow]
            pub async fn key_of_another_map(cx: &Context, price: u64, _age: u64) -> String {
                let mut due = std::collections::BTreeMap::new();
                let mut years = due.clone();
                due.insert(twice(price), cx.signal::<Go>().await.0);
                format!("{due:?} {years:?}")
            }
        }
        new [] {
            #[workflow]
            pub async fn key_of_another_map(cx: &Context, _price: u64, age: u64) -> String {
                let mut due = std::collections::BTreeMap::new();
                let mut years = due.clone();
                years.insert(twice(age), cx.signal::<Go>().await.0);
                format!("{due:?} {years:?}")
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherTemporary", "`twice()`", "{400: 7} {}");
    }

    "a list of another name gets an item at another index"
    item_of_another_list {
        old [] {
            #[workflow]
            pub async fn item_of_another_list(cx: &Context, price: u64, _age: u64) -> String {
                let mut due = vec![vec![], vec![], vec![]];
                let mut years = due.clone();
                due[(price / 100) as usize].push(cx.signal::<Go>().await.0);
                format!("{due:?} {years:?}")
            }
        }
        new [] {
            #[workflow]
            pub async fn item_of_another_list(cx: &Context, _price: u64, age: u64) -> String {
                let mut due = vec![vec![], vec![], vec![]];
                let mut years = due.clone();
                years[(age / 100) as usize].push(cx.signal::<Go>().await.0);
                format!("{due:?} {years:?}")
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherTemporary", "", "[[], [], [7]] [[], [], []]");
    }

    "a sum in an initializer is another one, for a variable of another name"
    sum_of_another_variable {
        old [] {
            #[workflow]
            pub async fn sum_of_another_variable(cx: &Context, price: u64, _age: u64) -> String {
                let due = price * 2 + u64::from(cx.signal::<Go>().await.0);
                due.to_string()
            }
        }
        new [] {
            #[workflow]
            pub async fn sum_of_another_variable(cx: &Context, _price: u64, age: u64) -> String {
                let years = age + 1 + u64::from(cx.signal::<Go>().await.0);
                years.to_string()
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherTemporary", "`value`", "407");
    }

    "a tuple is taken apart to a variable of another name"
    tuple_of_another_variable {
        old [] {
            #[workflow]
            pub async fn tuple_of_another_variable(cx: &Context, price: u64, _age: u64) -> String {
                let (due, Go(go)) = (price * 2, cx.signal::<Go>().await);
                format!("{due} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn tuple_of_another_variable(cx: &Context, _price: u64, age: u64) -> String {
                let (years, Go(go)) = (age + 1, cx.signal::<Go>().await);
                format!("{years} {go}")
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherTemporary", "`value`", "400 7");
    }

    "another text is appended to another one"
    appended_to_another_text {
        old [] {
            #[workflow]
            pub async fn appended_to_another_text(cx: &Context, price: u64, _age: u64) -> String {
                let mut due = String::new();
                let mut years = String::new();
                due.push_str(&format!("{} {}", price * 2, cx.signal::<Go>().await.0));
                format!("{due}{years}")
            }
        }
        new [] {
            #[workflow]
            pub async fn appended_to_another_text(cx: &Context, _price: u64, age: u64) -> String {
                let mut due = String::new();
                let mut years = String::new();
                years.push_str(&format!("{} {}", age + 1, cx.signal::<Go>().await.0));
                format!("{due}{years}")
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("OtherTemporary", "`value`", "400 7");
    }

    "the outcome of a signal before another await is that of another signal, for another call"
    outcome_of_another_signal {
        old [] {
            #[workflow]
            pub async fn outcome_of_another_signal(cx: &Context, _price: u64, _age: u64) -> String {
                halt(cx.signal::<Halt>().await, cx.signal::<Go>().await)
            }
        }
        new [] {
            #[derive(Signal, Serialize, Deserialize)]
            pub struct Stop(u8);

            fn stop(Stop(number): Stop, Go(go): Go) -> String {
                format!("stopped by {number} {go}")
            }

            #[workflow]
            pub async fn outcome_of_another_signal(cx: &Context, _price: u64, _age: u64) -> String {
                stop(cx.signal::<Stop>().await, cx.signal::<Go>().await)
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [Halt(5)] [Go(7)] => Blocked("OtherTemporary", "`signal()`", "halted by 5 7");
    }

    "a function that computes an operand gets another name"
    function_renamed {
        old [] {
            #[workflow]
            pub async fn function_renamed(cx: &Context, price: u64, _age: u64) -> String {
                send(twice(price), cx.signal::<Go>().await)
            }
        }
        new [] {
            #[workflow]
            pub async fn function_renamed(cx: &Context, price: u64, _age: u64) -> String {
                send(double(price), cx.signal::<Go>().await)
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Goes("400 7");
    }

    "an operand is computed by other code, beside a new one elsewhere"
    operand_elsewhere {
        old [] {
            #[workflow]
            pub async fn operand_elsewhere(cx: &Context, price: u64, _age: u64) -> String {
                send(price * 2, cx.signal::<Go>().await)
            }
        }
        new [] {
            #[workflow]
            pub async fn operand_elsewhere(cx: &Context, price: u64, age: u64) -> String {
                if price > 1000 {
                    return send(age + 3, cx.signal::<Go>().await);
                }
                send(price * 3, cx.signal::<Go>().await)
            }
        }
        run old(200, 30) new(200, 30);
        at "signal<Go>" [] [Go(7)] => Blocked("AmbiguousState", "", "400 7");
    }
}
