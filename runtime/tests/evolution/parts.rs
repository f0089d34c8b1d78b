//! Structs that are saved as a whole or in part.

use crate::edits;

edits! {
    "another part of a struct is needed after the wait, and it was not saved"
    other_part_needed {
        old [] {
            #[derive(Clone, Serialize, Deserialize)]
            pub struct Order {
                pub id: u64,
                pub name: String,
            }

            #[workflow]
            pub async fn other_part_needed(cx: &Context, order: Order) -> String {
                drop(order.name);
                let Go(go) = cx.signal::<Go>().await;
                let shipped = ship(order.id).await;
                format!("{shipped} {go}")
            }
        }
        new [] {
            pub use super::old::Order;

            #[workflow]
            pub async fn other_part_needed(cx: &Context, order: Order) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let shipped = ship(order.id).await;
                format!("{shipped} {go} {}", order.name)
            }
        }
        run old(old::Order { id: 7, name: "ada".into() }) new(new::Order { id: 7, name: "ada".into() });
        at "start" [] [Go(1)] => Goes("shipped 7 1 ada");
        at "signal<Go>" [] [Go(1)] => Blocked("MissingPart", "`order.name`", "shipped 7 1");
    }

    "a part of a struct is needed after the wait of which all was saved"
    part_of_what_was_saved {
        old [] {
            #[derive(Clone, Debug, Serialize, Deserialize)]
            pub struct Order {
                pub id: u64,
                pub name: String,
            }

            #[workflow]
            pub async fn part_of_what_was_saved(cx: &Context, order: Order) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let shipped = ship(order.id).await;
                format!("{shipped} {go} {}", order.clone().name)
            }
        }
        new [] {
            pub use super::old::Order;

            #[workflow]
            pub async fn part_of_what_was_saved(cx: &Context, order: Order) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let noted = note(order.id.to_string()).await;
                format!("{noted} {go} {}", order.name)
            }
        }
        run old(old::Order { id: 7, name: "ada".into() }) new(new::Order { id: 7, name: "ada".into() });
        at "signal<Go>" [] [Go(1)] => Goes("noted 7 1 ada");
    }

    "all of a struct is needed after the wait of which the parts were saved"
    whole_of_saved_parts {
        old [] {
            #[derive(Clone, Debug, Serialize, Deserialize)]
            pub struct Order {
                pub name: String,
                pub id: u64,
            }

            #[workflow]
            pub async fn whole_of_saved_parts(cx: &Context, order: Order) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let shipped = ship(order.id).await;
                format!("{shipped} {go} {}", order.name)
            }
        }
        new [] {
            pub use super::old::Order;

            #[workflow]
            pub async fn whole_of_saved_parts(cx: &Context, order: Order) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let Order { name, id } = order.clone();
                format!("{name} {id} {go} {}", order.name)
            }
        }
        run old(old::Order { id: 7, name: "ada".into() }) new(new::Order { id: 7, name: "ada".into() });
        at "signal<Go>" [] [Go(1)] => Goes("ada 7 1 ada");
    }

    "parts of a struct with renamed fields are needed after the wait of which all was saved"
    parts_with_other_names {
        old [] {
            #[derive(Clone, Debug, Serialize, Deserialize)]
            pub struct Order {
                #[serde(rename = "order_id")]
                pub id: String,
                #[serde(rename = "parent")]
                pub of: String,
                #[serde(skip)]
                pub note: String,
            }

            impl Order {
                pub fn new() -> Self {
                    Self { id: "7".into(), of: "8".into(), note: "new".into() }
                }
            }

            #[workflow]
            pub async fn parts_with_other_names(cx: &Context, order: Order) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let Order { id, of, note } = order.clone();
                format!("{id} {of} {note} {go} {}", order.id)
            }
        }
        new [] {
            pub use super::old::Order;

            #[workflow]
            pub async fn parts_with_other_names(cx: &Context, order: Order) -> String {
                drop(order.note);
                let Go(go) = cx.signal::<Go>().await;
                format!("{} {} {go}", order.id, order.of)
            }
        }
        run old(old::Order::new()) new(new::Order::new());
        at "signal<Go>" [] [Go(1)] => Goes("7 8 1");
    }

    "all of a struct with renamed fields is needed after the wait of which the parts were saved"
    whole_with_other_names {
        old [] {
            #[derive(Clone, Debug, Serialize, Deserialize)]
            pub struct Order {
                #[serde(rename = "order_id")]
                pub id: String,
                #[serde(rename = "parent")]
                pub of: String,
                #[serde(skip)]
                pub note: String,
            }

            impl Order {
                pub fn new() -> Self {
                    Self { id: "7".into(), of: "8".into(), note: "new".into() }
                }
            }

            #[workflow]
            pub async fn whole_with_other_names(cx: &Context, order: Order) -> String {
                drop(order.note);
                let Go(go) = cx.signal::<Go>().await;
                format!("{} {} {go}", order.id, order.of)
            }
        }
        new [] {
            pub use super::old::Order;

            #[workflow]
            pub async fn whole_with_other_names(cx: &Context, order: Order) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let Order { id, of, note } = order.clone();
                format!("{id} {of} {note} {go} {}", order.id)
            }
        }
        run old(old::Order::new()) new(new::Order::new());
        at "signal<Go>" [] [Go(1)] => Goes("7 8  1 7");
    }

    "parts of a struct with exchanged names are needed after the wait of which all was saved"
    parts_with_exchanged_names {
        old [] {
            #[derive(Clone, Debug, Serialize, Deserialize)]
            pub struct Order {
                #[serde(rename = "of")]
                pub id: String,
                #[serde(rename = "id")]
                pub of: String,
                #[serde(skip)]
                pub note: String,
            }

            impl Order {
                pub fn new() -> Self {
                    Self { id: "7".into(), of: "8".into(), note: "new".into() }
                }
            }

            #[workflow]
            pub async fn parts_with_exchanged_names(cx: &Context, order: Order) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let Order { id, of, note } = order.clone();
                format!("{id} {of} {note} {go} {}", order.id)
            }
        }
        new [] {
            pub use super::old::Order;

            #[workflow]
            pub async fn parts_with_exchanged_names(cx: &Context, order: Order) -> String {
                drop(order.note);
                let Go(go) = cx.signal::<Go>().await;
                format!("{} {} {go}", order.id, order.of)
            }
        }
        run old(old::Order::new()) new(new::Order::new());
        at "signal<Go>" [] [Go(1)] => Goes("7 8 1");
    }

    "all of a struct with exchanged names is needed after the wait of which the parts were saved"
    whole_with_exchanged_names {
        old [] {
            #[derive(Clone, Debug, Serialize, Deserialize)]
            pub struct Order {
                #[serde(rename = "of")]
                pub id: String,
                #[serde(rename = "id")]
                pub of: String,
                #[serde(skip)]
                pub note: String,
            }

            impl Order {
                pub fn new() -> Self {
                    Self { id: "7".into(), of: "8".into(), note: "new".into() }
                }
            }

            #[workflow]
            pub async fn whole_with_exchanged_names(cx: &Context, order: Order) -> String {
                drop(order.note);
                let Go(go) = cx.signal::<Go>().await;
                format!("{} {} {go}", order.id, order.of)
            }
        }
        new [] {
            pub use super::old::Order;

            #[workflow]
            pub async fn whole_with_exchanged_names(cx: &Context, order: Order) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let Order { id, of, note } = order.clone();
                format!("{id} {of} {note} {go} {}", order.id)
            }
        }
        run old(old::Order::new()) new(new::Order::new());
        at "signal<Go>" [] [Go(1)] => Goes("7 8  1 7");
    }

    "all of a struct is needed after the wait, and a part with a default was not saved"
    part_with_default_not_saved {
        old [] {
            #[derive(Clone, Debug, Serialize, Deserialize)]
            pub struct Order {
                pub id: u64,
                #[serde(default)]
                pub paid: String,
            }

            #[workflow]
            pub async fn part_with_default_not_saved(cx: &Context, order: Order) -> String {
                drop(order.paid);
                let Go(go) = cx.signal::<Go>().await;
                let shipped = ship(order.id).await;
                format!("{shipped} {go}")
            }
        }
        new [] {
            pub use super::old::Order;

            #[workflow]
            pub async fn part_with_default_not_saved(cx: &Context, order: Order) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let Order { id, paid } = order.clone();
                format!("{id} {go} {paid} {}", order.paid)
            }
        }
        run old(old::Order { id: 7, paid: "500".into() }) new(new::Order { id: 7, paid: "500".into() });
        at "start" [] [Go(1)] => Goes("7 1 500 500");
        at "signal<Go>" [] [Go(1)] => Blocked("MissingPart", "`order.paid`", "shipped 7 1");
    }

    "a saved part gets another name in Rust, and keeps that which serde has"
    part_renamed {
        old [] {
            #[derive(Clone, Serialize, Deserialize)]
            pub struct Order {
                pub id: u64,
                pub name: String,
            }

            #[workflow]
            pub async fn part_renamed(cx: &Context, order: Order) -> String {
                let shipped = ship(order.id).await;
                let Go(go) = cx.signal::<Go>().await;
                let name = order.name;
                format!("{shipped} {go} {name}")
            }
        }
        new [] {
            #[derive(Clone, Serialize, Deserialize)]
            pub struct Order {
                pub id: u64,
                #[serde(rename = "name")]
                pub customer: String,
            }

            #[workflow]
            pub async fn part_renamed(cx: &Context, order: Order) -> String {
                let shipped = ship(order.id).await;
                let Go(go) = cx.signal::<Go>().await;
                let customer = order.customer;
                format!("{shipped} {go} {customer}")
            }
        }
        run old(old::Order { id: 7, name: "ada".into() }) new(new::Order { id: 7, customer: "ada".into() });
        at "signal<Go>" [] [Go(1)] => Goes("shipped 7 1 ada");
    }

    "two saved parts exchange the names that serde has"
    saved_parts_exchanged {
        old [] {
            #[derive(Clone, Serialize, Deserialize)]
            pub struct Pair {
                pub from: String,
                pub to: String,
                pub note: String,
            }

            #[workflow]
            pub async fn saved_parts_exchanged(cx: &Context, pair: Pair) -> String {
                drop(pair.note);
                let Go(go) = cx.signal::<Go>().await;
                format!("{} {} {go}", pair.from, pair.to)
            }
        }
        new [] {
            #[derive(Clone, Serialize, Deserialize)]
            pub struct Pair {
                #[serde(rename = "to")]
                pub from: String,
                #[serde(rename = "from")]
                pub to: String,
                pub note: String,
            }

            #[workflow]
            pub async fn saved_parts_exchanged(cx: &Context, pair: Pair) -> String {
                drop(pair.note);
                let Go(go) = cx.signal::<Go>().await;
                format!("{} {} {go}", pair.from, pair.to)
            }
        }
        run old(old::Pair { from: "ada".into(), to: "bob".into(), note: String::new() })
            new(new::Pair { from: "ada".into(), to: "bob".into(), note: String::new() });
        at "signal<Go>" [] [Go(1)] => Goes("bob ada 1");
    }

    "two locals that the pattern of a struct binds exchange their names"
    names_exchanged_in_struct {
        old [] {
            #[derive(Serialize, Deserialize)]
            pub struct Entry {
                pub debit: u64,
                pub credit: u64,
            }

            #[workflow]
            pub async fn names_exchanged_in_struct(cx: &Context, id: u64) -> String {
                let Entry { debit, credit } = Entry { debit: id, credit: 8 };
                let Go(go) = cx.signal::<Go>().await;
                format!("{debit} {credit} {go}")
            }
        }
        new [] {
            #[derive(Serialize, Deserialize)]
            pub struct Entry {
                pub debit: u64,
                pub credit: u64,
            }

            #[workflow]
            pub async fn names_exchanged_in_struct(cx: &Context, id: u64) -> String {
                let Entry { debit: credit, credit: debit } = Entry { debit: id, credit: 8 };
                let Go(go) = cx.signal::<Go>().await;
                format!("{credit} {debit} {go}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Blocked("ExchangedLocal", "as `debit` was", "7 8 1");
    }
}
