//! Generic helpers, and workflows that get another name or another version.

use crate::edits;

edits! {
    "an await is added to a generic workflow that this one awaits with two types"
    generic_helper_edited {
        old [] {
            #[workflow(name = "generic_helper_edited.hold")]
            pub async fn hold<T>(cx: &Context, value: T) -> String
            where
                T: Serialize + for<'a> Deserialize<'a> + Send + std::fmt::Debug + 'static,
            {
                let Go(go) = cx.signal::<Go>().await;
                format!("{value:?} {go}")
            }

            #[workflow]
            pub async fn generic_helper_edited(cx: &Context, id: u64) -> String {
                let number = hold(id).await;
                let letter = hold('x').await;
                format!("{number} {letter}")
            }
        }
        new [] {
            #[workflow(name = "generic_helper_edited.hold")]
            pub async fn hold<T>(cx: &Context, value: T) -> String
            where
                T: Serialize + for<'a> Deserialize<'a> + Send + std::fmt::Debug + 'static,
            {
                note("before".to_owned()).await;
                let Go(go) = cx.signal::<Go>().await;
                format!("{value:?} {go}!")
            }

            #[workflow]
            pub async fn generic_helper_edited(cx: &Context, id: u64) -> String {
                let number = hold(id).await;
                let letter = hold('x').await;
                format!("{number} {letter}")
            }
        }
        run old(7) new(7);
        at "hold" [] [Go(1), Go(2)] => Goes("7 1! 'x' 2!");
        at "hold#2" [Go(1)] [Go(2)] => Goes("7 1 'x' 2!");
    }

    "the type with which a generic workflow is awaited becomes wider"
    generic_argument_widened {
        old [] {
            #[workflow(name = "generic_argument_widened.hold")]
            pub async fn hold<T>(cx: &Context, value: T) -> String
            where
                T: Serialize + for<'a> Deserialize<'a> + Send + std::fmt::Debug + 'static,
            {
                let Go(go) = cx.signal::<Go>().await;
                format!("{value:?} {go}")
            }

            #[workflow]
            pub async fn generic_argument_widened() -> String {
                hold(7_u8).await
            }
        }
        new [] {
            #[workflow(name = "generic_argument_widened.hold")]
            pub async fn hold<T>(cx: &Context, value: T) -> String
            where
                T: Serialize + for<'a> Deserialize<'a> + Send + std::fmt::Debug + 'static,
            {
                let Go(go) = cx.signal::<Go>().await;
                format!("{value:?} {go}")
            }

            #[workflow]
            pub async fn generic_argument_widened() -> String {
                hold(7_u64).await
            }
        }
        run old() new();
        at "hold" [] [Go(1)] => Goes("7 1");
    }

    "the arguments of two awaits of the same workflow change places"
    helper_arguments_exchanged {
        old [] {
            #[workflow(name = "helper_arguments_exchanged.hold")]
            pub async fn hold(cx: &Context, id: u64) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{id} {go}")
            }

            #[workflow]
            pub async fn helper_arguments_exchanged(cx: &Context, id: u64) -> String {
                let one = hold(id).await;
                let other = hold(8).await;
                format!("{one} {other}")
            }
        }
        new [] {
            #[workflow(name = "helper_arguments_exchanged.hold")]
            pub async fn hold(cx: &Context, id: u64) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{id} {go}")
            }

            #[workflow]
            pub async fn helper_arguments_exchanged(cx: &Context, id: u64) -> String {
                let one = hold(8).await;
                let other = hold(id).await;
                format!("{one} {other}")
            }
        }
        run old(7) new(7);
        at "hold" [] [Go(1), Go(2)] => Blocked("AmbiguousState", "hold", "7 1 8 2");
    }

    "a workflow gets another name, and states its old one"
    workflow_renamed {
        old [] {
            #[workflow]
            pub async fn workflow_renamed(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        new [] {
            #[workflow(name = "workflow_renamed.now", formerly = "workflow_renamed")]
            pub async fn workflow_renamed(cx: &Context, id: u64) -> String {
                let total = id * 3;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        run old(7) new(7);
        at "start" [] [Go(1)] => Goes("21 1");
        at "signal<Go>" [] [Go(1)] => Goes("14 1");
    }

    "a workflow gets another name, and a local of it does, too"
    workflow_and_local_renamed {
        old [] {
            #[workflow]
            pub async fn workflow_and_local_renamed(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        new [] {
            #[workflow(
                name = "workflow_and_local_renamed.now",
                formerly = "workflow_and_local_renamed"
            )]
            pub async fn workflow_and_local_renamed(cx: &Context, id: u64) -> String {
                let sum = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{sum} {go}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Blocked("MissingLocal", "`sum`", "14 1");
    }

    "a version is written in the place of the old one"
    version_alone {
        old [] {
            #[workflow]
            pub async fn version_alone(cx: &Context, id: u64) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{id} {go}")
            }
        }
        new [] {
            #[workflow(version = 2)]
            pub async fn version_alone(cx: &Context, id: u64) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{id} {go}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Blocked("OtherVersion", "version 1", "7 1");
    }
}
