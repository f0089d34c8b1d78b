//! `async` blocks as branches.

use crate::edits;

edits! {
    "`async` blocks in a `join!` change places"
    blocks_swapped {
        old [] {
            #[workflow]
            pub async fn blocks_swapped(cx: &Context) -> String {
                let (one, two) = join!(
                    async {
                        let Go(go) = cx.signal::<Go>().await;
                        format!("go {go}")
                    },
                    async {
                        let Halt(halt) = cx.signal::<Halt>().await;
                        format!("halt {halt}")
                    },
                );
                format!("{one} {two}")
            }
        }
        new [] {
            #[workflow]
            pub async fn blocks_swapped(cx: &Context) -> String {
                let (two, one) = join!(
                    async {
                        let Halt(halt) = cx.signal::<Halt>().await;
                        format!("halt {halt}")
                    },
                    async {
                        let Go(go) = cx.signal::<Go>().await;
                        format!("go {go}")
                    },
                );
                format!("{one} {two}")
            }
        }
        run old() new();
        at "join" [] [Go(1), Halt(2)] => Blocked("AmbiguousBranch", "`async`", "go 1 halt 2");
        at "join" [Go(1)] [Halt(2)] => Blocked("AmbiguousBranch", "`async`", "go 1 halt 2");
    }

    "`async` blocks with names of their own change places"
    pinned_blocks_swapped {
        old [] {
            #[workflow]
            pub async fn pinned_blocks_swapped(cx: &Context) -> String {
                let (one, two) = join!(
                    #[state("going")]
                    async {
                        let before = charge(1).await;
                        let Go(go) = cx.signal::<Go>().await;
                        format!("{before} go {go}")
                    },
                    #[state("halting")]
                    async {
                        let before = charge(2).await;
                        let Halt(halt) = cx.signal::<Halt>().await;
                        format!("{before} halt {halt}")
                    },
                );
                format!("{one} {two}")
            }
        }
        new [] {
            #[workflow]
            pub async fn pinned_blocks_swapped(cx: &Context) -> String {
                let (two, one) = join!(
                    #[state("halting")]
                    async {
                        let before = charge(2).await;
                        let Halt(halt) = cx.signal::<Halt>().await;
                        format!("{before} halt {halt}")
                    },
                    #[state("going")]
                    async {
                        let before = charge(1).await;
                        let Go(go) = cx.signal::<Go>().await;
                        format!("{before} go {go}")
                    },
                );
                format!("{one} {two}")
            }
        }
        run old() new();
        at "join" [] [Go(1), Halt(2)] => Goes("charged 1 go 1 charged 2 halt 2");
        at "join" [] [Go(1), Halt(2)] holding ["charge 1"] => Goes("charged 1 go 1 charged 2 halt 2");
        at "join" [] [Go(1), Halt(2)] holding ["charge 2"] => Goes("charged 1 go 1 charged 2 halt 2");
        at "join" [Go(1)] [Halt(2)] => Goes("charged 1 go 1 charged 2 halt 2");
        at "join" [Go(1)] [Halt(2)] holding ["charge 2"] => Goes("charged 1 go 1 charged 2 halt 2");
    }

    "an await is added within an `async` block, and a local in it is widened"
    block_edited_inside {
        old [] {
            #[workflow]
            pub async fn block_edited_inside(cx: &Context) -> String {
                let (one, two) = join!(
                    async {
                        let kept: u8 = 200;
                        let Go(go) = cx.signal::<Go>().await;
                        format!("go {go} {kept}")
                    },
                    payer(1),
                );
                format!("{one} {two}")
            }
        }
        new [] {
            #[workflow]
            pub async fn block_edited_inside(cx: &Context) -> String {
                let (one, two) = join!(
                    async {
                        let kept: u64 = 300;
                        note("new".into()).await;
                        let Go(go) = cx.signal::<Go>().await;
                        format!("go {go} {kept} {}", note("after".into()).await)
                    },
                    payer(1),
                );
                format!("{one} {two}")
            }
        }
        run old() new();
        at "start" [] [Go(1)] => Goes("go 1 300 noted after payer 1");
        at "join" [] [Go(1)] => Goes("go 1 200 noted after payer 1");
        at "join" [] [Go(1)] holding ["payer 1"] => Goes("go 1 200 noted after payer 1");
        at "join" [Go(1)] [] holding ["payer 1"] => Goes("go 1 200 payer 1");
    }

    "a local within an `async` block is renamed"
    block_local_renamed {
        old [] {
            #[workflow]
            pub async fn block_local_renamed(cx: &Context, id: u64) -> String {
                let (one, two) = join!(
                    async {
                        let total = id * 2;
                        let Go(go) = cx.signal::<Go>().await;
                        format!("go {go} {total}")
                    },
                    payer(1),
                );
                format!("{one} {two}")
            }
        }
        new [] {
            #[workflow]
            pub async fn block_local_renamed(cx: &Context, id: u64) -> String {
                let (one, two) = join!(
                    async {
                        let sum = id * 2;
                        let Go(go) = cx.signal::<Go>().await;
                        format!("go {go} {sum}")
                    },
                    payer(1),
                );
                format!("{one} {two}")
            }
        }
        run old(7) new(7);
        at "join" [] [Go(1)] => Blocked("MissingLocal", "`sum`", "go 1 14 payer 1");
    }

    "a `join!` within an `async` block of a `join!` is swapped"
    nested_join_swapped {
        old [] {
            #[workflow]
            pub async fn nested_join_swapped() -> String {
                let (one, both) = join!(
                    note("one".into()),
                    async {
                        let (from, to) = join!(payer(1), payee(2));
                        format!("from {from} to {to}")
                    },
                );
                format!("{one} {both}")
            }
        }
        new [] {
            #[workflow]
            pub async fn nested_join_swapped() -> String {
                let (both, one) = join!(
                    async {
                        let (to, from) = join!(payee(2), payer(1));
                        format!("from {from} to {to}")
                    },
                    note("one".into()),
                );
                format!("{one} {both}")
            }
        }
        run old() new();
        at "join" [] [] holding ["payer 1", "payee 2"] => Goes("noted one from payer 1 to payee 2");
        at "join" [] [] holding ["payee 2", "note one"] => Goes("noted one from payer 1 to payee 2");
    }
}
