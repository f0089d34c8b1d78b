//! Locals that are renamed, added, removed and bound anew.

use crate::edits;

edits! {
    "a local that the state does not keep is renamed"
    unkept_local_renamed {
        old [] {
            #[workflow]
            pub async fn unkept_local_renamed(cx: &Context, id: u64) -> String {
                let scratch = id * 2;
                let total = scratch + 1;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn unkept_local_renamed(cx: &Context, id: u64) -> String {
                let double = id * 2;
                let total = double + 1;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Goes("15 1");
    }

    "a local that the state does not keep is added"
    unkept_local_added {
        old [] {
            #[workflow]
            pub async fn unkept_local_added(cx: &Context, id: u64) -> String {
                let total = id * 2 + 1;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn unkept_local_added(cx: &Context, id: u64) -> String {
                let double = id * 2;
                let total = double + 1;
                let Go(go) = cx.signal::<Go>().await;
                let after = go + 1;
                format!("{total} {after}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Goes("15 2");
    }

    "a saved local is no longer needed"
    local_no_longer_needed {
        old [] {
            #[workflow]
            pub async fn local_no_longer_needed(cx: &Context, id: u64) -> String {
                let (first, second) = (id * 2, id * 3);
                let Go(go) = cx.signal::<Go>().await;
                format!("{first} {second} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn local_no_longer_needed(cx: &Context, id: u64) -> String {
                let second = id * 3;
                let Go(go) = cx.signal::<Go>().await;
                format!("{second} {go}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Goes("21 1");
    }

    "a local that is new is needed after the wait"
    new_local_needed {
        old [] {
            #[workflow]
            pub async fn new_local_needed(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn new_local_needed(cx: &Context) -> String {
                let extra = 5_u8;
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {extra}")
            }
        }
        run old() new();
        at "start" [] [Go(1)] => Goes("1 5");
        at "signal<Go>" [] [Go(1)] => Blocked("MissingLocal", "`extra` is needed after the await and was not saved", "1");
    }

    "a parameter is needed after the wait that was not before"
    parameter_needed {
        old [] {
            #[workflow]
            pub async fn parameter_needed(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn parameter_needed(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{id} {total} {go}")
            }
        }
        run old(7) new(7);
        at "start" [] [Go(1)] => Goes("7 14 1");
        at "signal<Go>" [] [Go(1)] => Blocked("MissingLocal", "`id`", "14 1");
    }

    "a saved local is renamed"
    local_renamed {
        old [] {
            #[workflow]
            pub async fn local_renamed(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn local_renamed(cx: &Context, id: u64) -> String {
                let sum = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{sum} {go}")
            }
        }
        run old(7) new(7);
        at "start" [] [Go(1)] => Goes("14 1");
        at "signal<Go>" [] [Go(1)] => Blocked("MissingLocal", "`sum` is needed after the await and was not saved (saved and no longer needed: `total`)", "14 1");
    }

    "two locals are declared in the other order"
    locals_reordered {
        old [] {
            #[workflow]
            pub async fn locals_reordered(cx: &Context, id: u64) -> String {
                let first = id * 2;
                let second = id * 3;
                let Go(go) = cx.signal::<Go>().await;
                format!("{first} {second} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn locals_reordered(cx: &Context, id: u64) -> String {
                let second = id * 3;
                let first = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{first} {second} {go}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Goes("14 21 1");
    }

    "a local is made in another way"
    local_made_otherwise {
        old [] {
            #[workflow]
            pub async fn local_made_otherwise(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn local_made_otherwise(cx: &Context, id: u64) -> String {
                let total = id * 100;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        run old(7) new(7);
        at "start" [] [Go(1)] => Goes("700 1");
        at "signal<Go>" [] [Go(1)] => Goes("14 1");
    }

    "a local becomes `mut`"
    local_becomes_mut {
        old [] {
            #[workflow]
            pub async fn local_becomes_mut(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn local_becomes_mut(cx: &Context, id: u64) -> String {
                let mut total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                total += 1;
                format!("{total} {go}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Goes("15 1");
    }

    "a local is made in another way, and a binding in its value has its name"
    local_made_of_its_name {
        old [] {
            #[workflow]
            pub async fn local_made_of_its_name(cx: &Context, id: u64) -> String {
                let total = match charge(id).await.len() {
                    0 => note("free".to_owned()).await,
                    total => format!("{total} cents"),
                };
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn local_made_of_its_name(cx: &Context, id: u64) -> String {
                let total = match charge(id).await.len() * 100 {
                    0 => note("free".to_owned()).await,
                    total => format!("{total} cents"),
                };
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Goes("9 cents 1");
    }

    "a local that hides another one is added before the wait"
    shadow_added {
        old [] {
            #[workflow]
            pub async fn shadow_added(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn shadow_added(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let total = total + 100;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        run old(7) new(7);
        at "start" [] [Go(1)] => Goes("114 1");
        at "signal<Go>" [] [Go(1)] => Blocked("AmbiguousLocal", "`total`", "14 1");
    }

    "a local of the name is added after the wait"
    shadow_added_after {
        old [] {
            #[workflow]
            pub async fn shadow_added_after(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn shadow_added_after(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                let total = total + 100;
                format!("{total} {go}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Goes("114 1");
    }

    "a local that hides another one is removed"
    shadow_removed {
        old [] {
            #[workflow]
            pub async fn shadow_removed(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let total = total + 100;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn shadow_removed(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Blocked("AmbiguousLocal", "`total`", "114 1");
    }

    "the values of two locals of one name that are both needed change places"
    shadows_swapped {
        old [] {
            #[workflow]
            pub async fn shadows_swapped(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let outer = {
                    let total = id * 3;
                    let Go(go) = cx.signal::<Go>().await;
                    format!("{total} {go}")
                };
                format!("{outer} {total}")
            }
        }
        new [] {
            #[workflow]
            pub async fn shadows_swapped(cx: &Context, id: u64) -> String {
                let total = id * 3;
                let outer = {
                    let total = id * 2;
                    let Go(go) = cx.signal::<Go>().await;
                    format!("{total} {go}")
                };
                format!("{outer} {total}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Goes("14 1 21");
    }

    "the arms that select a borrow change places"
    chosen_borrow_swapped {
        old [] {
            #[workflow]
            pub async fn chosen_borrow_swapped(cx: &Context, id: u64) -> String {
                let (first, second) = (id.to_string(), "second".to_owned());
                let chosen = if id > 5 { &first } else { &second };
                let Go(go) = cx.signal::<Go>().await;
                format!("{chosen} {go} {first} {second}")
            }
        }
        new [] {
            #[workflow]
            pub async fn chosen_borrow_swapped(cx: &Context, id: u64) -> String {
                let (first, second) = (id.to_string(), "second".to_owned());
                let chosen = if id <= 5 { &second } else { &first };
                let Go(go) = cx.signal::<Go>().await;
                format!("{chosen} {go} {first} {second}")
            }
        }
        run old(7) new(7);
        at "start" [] [Go(1)] => Goes("7 1 7 second");
        at "signal<Go>" [] [Go(1)] => Blocked("OtherSource", "`branch of chosen`", "7 1 7 second");
    }
}
