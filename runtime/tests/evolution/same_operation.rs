//! Several awaits of the same operation.

use crate::edits;

edits! {
    "another await of the same activity is added before the one that the run is at"
    same_callee_added_before {
        old [] {
            #[workflow]
            pub async fn same_callee_added_before(cx: &Context, id: u64) -> String {
                let paid = charge(id).await;
                let go = cx.signal::<Go>().await;
                format!("{paid} {go:?}")
            }
        }
        new [] {
            #[workflow]
            pub async fn same_callee_added_before(cx: &Context, id: u64) -> String {
                let deposit = charge(1).await;
                let paid = charge(id).await;
                let go = cx.signal::<Go>().await;
                format!("{paid} {go:?} {}", deposit.len())
            }
        }
        run old(7) new(7);
        at "charge" [] [Go(1)] holding ["charge 7"] => Blocked("AmbiguousState", "awaited once and is awaited twice", "charged 7 Go(1)");
        at "signal<Go>" [] [Go(1)] => Blocked("MissingLocal", "`deposit`", "charged 7 Go(1)");
    }

    "another await of the same activity is added after the one that the run is at"
    same_callee_added_after {
        old [] {
            #[workflow]
            pub async fn same_callee_added_after(cx: &Context, id: u64) -> String {
                let paid = charge(id).await;
                let go = cx.signal::<Go>().await;
                format!("{paid} {go:?}")
            }
        }
        new [] {
            #[workflow]
            pub async fn same_callee_added_after(cx: &Context, id: u64) -> String {
                let paid = charge(id).await;
                let go = cx.signal::<Go>().await;
                let rest = charge(1).await;
                format!("{paid} {go:?} {rest}")
            }
        }
        run old(7) new(7);
        at "charge" [] [Go(1)] holding ["charge 7"] => Blocked("AmbiguousState", "`charge`", "charged 7 Go(1)");
        at "signal<Go>" [] [Go(1)] => Goes("charged 7 Go(1) charged 1");
    }

    "another await of the same activity is added under a name of its own"
    same_callee_added_pinned {
        old [] {
            #[workflow]
            pub async fn same_callee_added_pinned(id: u64) -> String {
                charge(id).await
            }
        }
        new [] {
            #[workflow]
            pub async fn same_callee_added_pinned(id: u64) -> String {
                #[state("deposit")]
                charge(1).await;
                charge(id).await
            }
        }
        run old(7) new(7);
        at "charge" [] [] holding ["charge 7"] => Goes("charged 7");
    }

    "a second wait for the same signal is added"
    same_signal_added {
        old [] {
            #[workflow]
            pub async fn same_signal_added(cx: &Context) -> String {
                let Go(one) = cx.signal::<Go>().await;
                format!("{one}")
            }
        }
        new [] {
            #[workflow]
            pub async fn same_signal_added(cx: &Context) -> String {
                let Go(one) = cx.signal::<Go>().await;
                let Go(two) = cx.signal::<Go>().await;
                format!("{one} {two}")
            }
        }
        run old() new();
        at "start" [] [Go(1), Go(2)] => Goes("1 2");
        at "signal<Go>" [] [Go(1)] => Blocked("AmbiguousState", "signal<Go>", "1");
    }

    "one of two awaits of the same activity is removed"
    same_callee_removed {
        old [] {
            #[workflow]
            pub async fn same_callee_removed(id: u64) -> String {
                let deposit = charge(1).await;
                let paid = charge(id).await;
                format!("{deposit} {paid}")
            }
        }
        new [] {
            #[workflow]
            pub async fn same_callee_removed(id: u64) -> String {
                let paid = charge(id).await;
                paid
            }
        }
        run old(7) new(7);
        at "charge" [] [] holding ["charge 1"] => Blocked("AmbiguousState", "twice and is awaited once", "charged 1 charged 7");
        at "charge#2" [] [] holding ["charge 7"] => Blocked("AmbiguousState", "`charge`", "charged 1 charged 7");
    }

    "two awaits of the same activity change places"
    same_callee_swapped {
        old [] {
            #[workflow]
            pub async fn same_callee_swapped(id: u64) -> String {
                let one = charge(1).await;
                let two = charge(id).await;
                format!("{one} {two}")
            }
        }
        new [] {
            #[workflow]
            pub async fn same_callee_swapped(id: u64) -> String {
                let two = charge(id).await;
                let one = charge(1).await;
                format!("{one} {two}")
            }
        }
        run old(7) new(7);
        at "charge" [] [] holding ["charge 1"] => Blocked("AmbiguousState", "`charge`", "charged 1 charged 7");
        at "charge#2" [] [] holding ["charge 7"] => Blocked("AmbiguousState", "`charge`", "charged 1 charged 7");
    }

    "an argument of one of two awaits of the same activity changes"
    same_callee_other_argument {
        old [] {
            #[workflow]
            pub async fn same_callee_other_argument(id: u64) -> String {
                let one = charge(1).await;
                let two = charge(id).await;
                format!("{one} {two}")
            }
        }
        new [] {
            #[workflow]
            pub async fn same_callee_other_argument(id: u64) -> String {
                let one = charge(1).await;
                let two = charge(id + 1).await;
                format!("{one} {two}")
            }
        }
        run old(7) new(7);
        at "charge" [] [] holding ["charge 1"] => Goes("charged 1 charged 8");
        at "charge#2" [] [] holding ["charge 7"] => Goes("charged 1 charged 7");
    }

    "one of two awaits of the same text reads as a third one does from now on"
    same_text_as_another {
        old [] {
            #[workflow]
            pub async fn same_text_as_another(id: u64) -> String {
                let (one, two, three) = (charge(1).await, charge(1).await, charge(id).await);
                format!("{one} {two} {three}")
            }
        }
        new [] {
            #[workflow]
            pub async fn same_text_as_another(id: u64) -> String {
                let (one, two, three) = (charge(1).await, charge(id).await, charge(id).await);
                format!("{one} {two} {three}")
            }
        }
        run old(7) new(7);
        at "charge" [] [] holding ["charge 1"] => Blocked("AmbiguousState", "charge", "charged 1 charged 1 charged 7");
        at "charge#3" [] [] holding ["charge 7"] => Blocked("AmbiguousState", "charge", "charged 1 charged 1 charged 7");
    }

    "two awaits of the same activity with names of their own change places"
    pinned_swapped {
        old [] {
            #[workflow]
            pub async fn pinned_swapped(id: u64) -> String {
                #[state("deposit")]
                let one = charge(1).await;
                #[state("rest")]
                let two = charge(id).await;
                format!("{one} {two}")
            }
        }
        new [] {
            #[workflow]
            pub async fn pinned_swapped(id: u64) -> String {
                #[state("rest")]
                let two = charge(id).await;
                #[state("deposit")]
                let one = charge(1).await;
                format!("{one} {two}")
            }
        }
        run old(7) new(7);
        at "deposit" [] [] holding ["charge 1"] => Blocked("MissingLocal", "`two`", "charged 1 charged 7");
        at "rest" [] [] holding ["charge 7"] => Goes("charged 1 charged 7");
    }

    "a variable that two calls of one activity take is renamed"
    argument_renamed {
        old [] {
            #[workflow]
            pub async fn argument_renamed(cx: &Context, price: u64) -> String {
                let total = price * 2;
                let first = charge(total + 1).await;
                let second = charge(total + 2).await;
                let Go(go) = cx.signal::<Go>().await;
                format!("{first} {second} {total} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn argument_renamed(cx: &Context, price: u64) -> String {
                #[formerly("total")]
                let sum = price * 2;
                let first = charge(sum + 1).await;
                let second = charge(sum + 2).await;
                let Go(go) = cx.signal::<Go>().await;
                format!("{first} {second} {sum} {go}")
            }
        }
        run old(2) new(2);
        at "charge" [] [Go(1)] holding ["charge 5"] => Goes("charged 5 charged 6 4 1");
        at "charge#2" [] [Go(1)] holding ["charge 6"] => Goes("charged 5 charged 6 4 1");
    }

    "two calls of one activity get a timeout, and the path to it is written out"
    options_added {
        old [] {
            #[workflow]
            pub async fn options_added(cx: &Context, price: u64) -> String {
                let first = charge(price + 1).await;
                let second = charge(price + 2).await;
                let Go(go) = cx.signal::<Go>().await;
                format!("{first} {second} {go}")
            }
        }
        new [] {
            const HOUR: std::time::Duration = std::time::Duration::from_secs(3600);

            #[workflow]
            pub async fn options_added(cx: &Context, price: u64) -> String {
                let first = crate::shop::charge(price + 1).start_to_close(HOUR).await;
                let second = crate::shop::charge(price + 2).start_to_close(HOUR).await;
                let Go(go) = cx.signal::<Go>().await;
                format!("{first} {second} {go}")
            }
        }
        run old(2) new(2);
        at "charge" [] [Go(1)] holding ["charge 3"] => Goes("charged 3 charged 4 1");
        at "charge#2" [] [Go(1)] holding ["charge 4"] => Goes("charged 3 charged 4 1");
    }

    "two calls of one activity that both get a timeout change places"
    options_added_and_moved {
        old [] {
            #[workflow]
            pub async fn options_added_and_moved(price: u64) -> String {
                let first = charge(price + 1).await;
                let second = charge(price + 2).await;
                format!("{first} {second}")
            }
        }
        new [] {
            const HOUR: std::time::Duration = std::time::Duration::from_secs(3600);

            #[workflow]
            pub async fn options_added_and_moved(price: u64) -> String {
                let second = charge(price + 2).start_to_close(HOUR).await;
                let first = charge(price + 1).start_to_close(HOUR).await;
                format!("{first} {second}")
            }
        }
        run old(2) new(2);
        at "charge" [] [] holding ["charge 3"] => Blocked("AmbiguousState", "`charge`", "charged 3 charged 4");
    }

    "a variable that two branches of a `join!` take is renamed"
    branch_argument_renamed {
        old [] {
            #[workflow]
            pub async fn branch_argument_renamed(cx: &Context, price: u64) -> String {
                let total = price * 2;
                let (first, second) = join!(charge(total + 1), charge(total + 2));
                let Go(go) = cx.signal::<Go>().await;
                format!("{first} {second} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn branch_argument_renamed(cx: &Context, price: u64) -> String {
                let sum = price * 2;
                let (first, second) = join!(charge(sum + 1), charge(sum + 2));
                let Go(go) = cx.signal::<Go>().await;
                format!("{first} {second} {go}")
            }
        }
        run old(2) new(2);
        at "join" [] [Go(1)] holding ["charge 6"] => Goes("charged 5 charged 6 1");
    }

    "two loops around awaits of one text change places"
    loops_moved {
        old [] {
            #[workflow]
            pub async fn loops_moved(cx: &Context) -> String {
                let mut text = String::new();
                for _ in 0..2_u8 {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("first {go} ");
                }
                for _ in 0..3_u8 {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("second {go} ");
                }
                text
            }
        }
        new [] {
            #[workflow]
            pub async fn loops_moved(cx: &Context) -> String {
                let mut text = String::new();
                for _ in 0..3_u8 {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("second {go} ");
                }
                for _ in 0..2_u8 {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("first {go} ");
                }
                text
            }
        }
        run old() new();
        at "signal<Go>#2" [Go(1), Go(2)] [Go(3), Go(4), Go(5)] => Blocked("AmbiguousState", "`signal<Go>`", "first 1 first 2 second 3 second 4 second 5 ");
    }

    "one of two loops around awaits of one text goes over more items"
    loop_lengthened {
        old [] {
            #[workflow]
            pub async fn loop_lengthened(cx: &Context) -> String {
                let mut text = String::new();
                for _ in 0..2_u8 {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("first {go} ");
                }
                for _ in 0..3_u8 {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("second {go} ");
                }
                text
            }
        }
        new [] {
            #[workflow]
            pub async fn loop_lengthened(cx: &Context) -> String {
                let mut text = String::new();
                for _ in 0..1_u8 {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("first {go} ");
                }
                for _ in 0..3_u8 {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("second {go} ");
                }
                text
            }
        }
        run old() new();
        at "signal<Go>#2" [Go(1), Go(2)] [Go(3), Go(4), Go(5)] => Goes("first 1 first 2 second 3 second 4 second 5 ");
    }
}
