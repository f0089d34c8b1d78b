//! Inline workflows that are edited.

use crate::edits;

edits! {
    "an await is added to a workflow that this one awaits, and a local of it is widened"
    inline_edited {
        old [] {
            #[workflow(name = "inline_edited.part")]
            pub async fn part(cx: &Context, id: u64) -> String {
                let kept: u8 = 200;
                let Go(go) = cx.signal::<Go>().await;
                format!("{id} {kept} {go}")
            }

            #[workflow]
            pub async fn inline_edited(id: u64) -> String {
                let total = id * 2;
                let part = part(id).await;
                format!("{part} {total}")
            }
        }
        new [] {
            #[workflow(name = "inline_edited.part")]
            pub async fn part(cx: &Context, id: u64) -> String {
                let kept: u64 = 300;
                note("before".into()).await;
                let Go(go) = cx.signal::<Go>().await;
                format!("{id} {kept} {go} {}", note("after".into()).await)
            }

            #[workflow]
            pub async fn inline_edited(id: u64) -> String {
                let total = id * 2;
                let part = part(id).await;
                format!("{part} {total}")
            }
        }
        run old(7) new(7);
        at "start" [] [Go(1)] => Goes("7 300 1 noted after 14");
        at "part" [] [Go(1)] => Goes("7 200 1 noted after 14");
    }

    "a local of a workflow that this one awaits is renamed"
    inline_local_renamed {
        old [] {
            #[workflow(name = "inline_local_renamed.part")]
            pub async fn part(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }

            #[workflow]
            pub async fn inline_local_renamed(id: u64) -> String {
                part(id).await
            }
        }
        new [] {
            #[workflow(name = "inline_local_renamed.part")]
            pub async fn part(cx: &Context, id: u64) -> String {
                let sum = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{sum} {go}")
            }

            #[workflow]
            pub async fn inline_local_renamed(id: u64) -> String {
                part(id).await
            }
        }
        run old(7) new(7);
        at "part" [] [Go(1)] => Blocked("MissingLocal", "`signal<Go>` of `inline_local_renamed.part`", "14 1");
    }

    "a workflow two levels below this one is edited, and both between get new locals that they do not keep"
    inline_nested_twice {
        old [] {
            #[workflow(name = "inline_nested_twice.inner")]
            pub async fn inner(cx: &Context, id: u64) -> String {
                let (first, second): (u8, u8) = (1, 2);
                let Go(go) = cx.signal::<Go>().await;
                format!("{id} {first} {second} {go}")
            }

            #[workflow(name = "inline_nested_twice.outer")]
            pub async fn outer(id: u64) -> String {
                let kept: u8 = 5;
                let inner = inner(id).await;
                format!("{inner} {kept}")
            }

            #[workflow]
            pub async fn inline_nested_twice(id: u64) -> String {
                let kept: u8 = 6;
                let outer = outer(id).await;
                format!("{outer} {kept}")
            }
        }
        new [] {
            #[workflow(name = "inline_nested_twice.inner")]
            pub async fn inner(cx: &Context, id: u64) -> String {
                let (second, first): (u64, u64) = (2, 1);
                let Go(go) = cx.signal::<Go>().await;
                format!("{id} {first} {second} {go}")
            }

            #[workflow(name = "inline_nested_twice.outer")]
            pub async fn outer(id: u64) -> String {
                let unkept = id + 1;
                let kept: u64 = unkept;
                let inner = inner(id).await;
                format!("{inner} {kept}")
            }

            #[workflow]
            pub async fn inline_nested_twice(id: u64) -> String {
                let unkept = id + 2;
                let kept: u64 = unkept;
                let outer = outer(id).await;
                format!("{outer} {kept}")
            }
        }
        run old(7) new(7);
        at "start" [] [Go(3)] => Goes("7 1 2 3 8 9");
        at "outer" [] [Go(3)] => Goes("7 1 2 3 5 6");
    }

    "a workflow that this one awaits is renamed"
    inline_renamed {
        old [] {
            #[workflow(name = "inline_renamed.part")]
            pub async fn part(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{go}")
            }

            #[workflow]
            pub async fn inline_renamed() -> String {
                part().await
            }
        }
        new [] {
            #[workflow(name = "inline_renamed.other")]
            pub async fn part(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{go}")
            }

            #[workflow]
            pub async fn inline_renamed() -> String {
                part().await
            }
        }
        run old() new();
        at "part" [] [Go(1)] => Blocked("OtherOperation", "inline_renamed.part", "1");
    }

    "the parameters of a workflow that this one is in the middle of change"
    inline_parameters_edited {
        old [] {
            #[workflow(name = "inline_parameters_edited.part")]
            pub async fn part(cx: &Context, from: u64, to: u64) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{from} {to} {go}")
            }

            #[workflow]
            pub async fn inline_parameters_edited() -> String {
                part(1, 2).await
            }
        }
        new [] {
            #[workflow(name = "inline_parameters_edited.part")]
            pub async fn part(cx: &Context, to: u64, from: u64) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{from} {to} {go}")
            }

            #[workflow]
            pub async fn inline_parameters_edited() -> String {
                part(2, 1).await
            }
        }
        run old() new();
        at "part" [] [Go(3)] => Goes("1 2 3");
    }

    "the result type of a workflow that this one awaits changes"
    inline_result_edited {
        old [] {
            #[workflow(name = "inline_result_edited.part")]
            pub async fn part(cx: &Context) -> u8 {
                let Go(go) = cx.signal::<Go>().await;
                go
            }

            #[workflow]
            pub async fn inline_result_edited() -> String {
                format!("{}", part().await)
            }
        }
        new [] {
            #[workflow(name = "inline_result_edited.part")]
            pub async fn part(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("part {go}")
            }

            #[workflow]
            pub async fn inline_result_edited() -> String {
                part().await
            }
        }
        run old() new();
        at "part" [] [Go(1)] => Goes("part 1");
    }

    "what this workflow awaits becomes a workflow of its own"
    inline_extracted {
        old [] {
            #[workflow]
            pub async fn inline_extracted(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{go}")
            }
        }
        new [] {
            #[workflow(name = "inline_extracted.part")]
            pub async fn part(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{go}")
            }

            #[workflow]
            pub async fn inline_extracted() -> String {
                part().await
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("MissingState", "signal<Go>", "1");
    }

    "workflows in the branches of a `join!` change places, and one of them is edited"
    inline_in_branches {
        old [] {
            #[workflow(name = "inline_in_branches.one")]
            pub async fn one(cx: &Context, id: u64) -> String {
                let kept: u8 = 5;
                let Go(go) = cx.signal::<Go>().await;
                format!("one {id} {kept} {go}")
            }

            #[workflow(name = "inline_in_branches.two")]
            pub async fn two(cx: &Context, id: u64) -> String {
                let kept: u8 = 6;
                let Halt(halt) = cx.signal::<Halt>().await;
                format!("two {id} {kept} {halt}")
            }

            #[workflow]
            pub async fn inline_in_branches() -> String {
                let (one, two) = join!(one(1), two(2));
                format!("{one} {two}")
            }
        }
        new [] {
            #[workflow(name = "inline_in_branches.one")]
            pub async fn one(cx: &Context, id: u64) -> String {
                let kept: u64 = 500;
                let Go(go) = cx.signal::<Go>().await;
                format!("one {id} {kept} {go}")
            }

            #[workflow(name = "inline_in_branches.two")]
            pub async fn two(cx: &Context, id: u64) -> String {
                let kept: u64 = 600;
                let Halt(halt) = cx.signal::<Halt>().await;
                format!("two {id} {kept} {halt}")
            }

            #[workflow]
            pub async fn inline_in_branches() -> String {
                let (two, one) = join!(two(2), one(1));
                format!("{one} {two}")
            }
        }
        run old() new();
        at "start" [] [Go(1), Halt(2)] => Goes("one 1 500 1 two 2 600 2");
        at "join" [] [Go(1), Halt(2)] => Goes("one 1 5 1 two 2 6 2");
        at "join" [Go(1)] [Halt(2)] => Goes("one 1 5 1 two 2 6 2");
    }

    "workflows in a `join_all` are edited"
    inline_in_join_all {
        old [] {
            #[workflow(name = "inline_in_join_all.part")]
            pub async fn part(cx: &Context, id: u64) -> String {
                let kept: u8 = 5;
                let Go(go) = cx.signal::<Go>().await;
                format!("{id} {kept} {go}")
            }

            #[workflow]
            pub async fn inline_in_join_all() -> String {
                join_all((1..3).map(part)).await.join(", ")
            }
        }
        new [] {
            #[workflow(name = "inline_in_join_all.part")]
            pub async fn part(cx: &Context, id: u64) -> String {
                let kept: u64 = 500;
                let Go(go) = cx.signal::<Go>().await;
                format!("{id} {kept} {go}")
            }

            #[workflow]
            pub async fn inline_in_join_all() -> String {
                join_all((1..3).map(part)).await.join(", ")
            }
        }
        run old() new();
        at "join_all" [] [Go(8), Go(9)] => Goes("1 5 8, 2 5 9");
    }
}
