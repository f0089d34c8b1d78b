//! Saved values whose types are edited: numbers, texts and options.

use crate::edits;

edits! {
    "`u8` becomes `u64`"
    u8_to_u64 {
        old [] {
            #[workflow]
            pub async fn u8_to_u64(cx: &Context) -> String {
                let value: u8 = 200;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn u8_to_u64(cx: &Context) -> String {
                let value: u64 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("200");
    }

    "`u64` becomes `u8`, and the value fits"
    u64_to_u8_that_fits {
        old [] {
            #[workflow]
            pub async fn u64_to_u8_that_fits(cx: &Context) -> String {
                let value: u64 = 200;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn u64_to_u8_that_fits(cx: &Context) -> String {
                let value: u8 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("200");
    }

    "`u64` becomes `u8`, and the value is too large"
    u64_to_u8_too_large {
        old [] {
            #[workflow]
            pub async fn u64_to_u8_too_large(cx: &Context) -> String {
                let value: u64 = 300;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn u64_to_u8_too_large(cx: &Context) -> String {
                let value: u8 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "300");
    }

    "`u64` becomes `i64`"
    u64_to_i64 {
        old [] {
            #[workflow]
            pub async fn u64_to_i64(cx: &Context) -> String {
                let value: u64 = 1000;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn u64_to_i64(cx: &Context) -> String {
                let value: i64 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("1000");
    }

    "`i64` becomes `u64`, and the value fits"
    i64_to_u64_that_fits {
        old [] {
            #[workflow]
            pub async fn i64_to_u64_that_fits(cx: &Context) -> String {
                let value: i64 = 1000;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn i64_to_u64_that_fits(cx: &Context) -> String {
                let value: u64 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("1000");
    }

    "`i64` becomes `u64`, and the value is negative"
    i64_to_u64_negative {
        old [] {
            #[workflow]
            pub async fn i64_to_u64_negative(cx: &Context) -> String {
                let value: i64 = -5;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn i64_to_u64_negative(cx: &Context) -> String {
                let value: u64 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "-5");
    }

    "`u64` becomes `u128`"
    u64_to_u128 {
        old [] {
            #[workflow]
            pub async fn u64_to_u128(cx: &Context) -> String {
                let value: u64 = 1000;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn u64_to_u128(cx: &Context) -> String {
                let value: u128 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("1000");
    }

    "`u128` becomes `u64`"
    u128_to_u64 {
        old [] {
            #[workflow]
            pub async fn u128_to_u64(cx: &Context) -> String {
                let value: u128 = 1000;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn u128_to_u64(cx: &Context) -> String {
                let value: u64 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("1000");
    }

    "`f32` becomes `f64`"
    f32_to_f64 {
        old [] {
            #[workflow]
            pub async fn f32_to_f64(cx: &Context) -> String {
                let value: f32 = 1.5;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn f32_to_f64(cx: &Context) -> String {
                let value: f64 = 1.0;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("1.5");
    }

    "`u64` becomes `f64`"
    u64_to_f64 {
        old [] {
            #[workflow]
            pub async fn u64_to_f64(cx: &Context) -> String {
                let value: u64 = 15;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn u64_to_f64(cx: &Context) -> String {
                let value: f64 = 1.0;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("15.0");
    }

    "`u64` becomes `f64`, which cannot hold the value"
    u64_beyond_f64 {
        old [] {
            #[workflow]
            pub async fn u64_beyond_f64(cx: &Context) -> String {
                let value: u64 = 9_007_199_254_740_993;
                cx.signal::<Go>().await;
                format!("{value:?}")
            }
        }
        new [] {
            #[workflow]
            pub async fn u64_beyond_f64(cx: &Context) -> String {
                let value: f64 = 1.0;
                cx.signal::<Go>().await;
                format!("{value:?}")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "9007199254740993");
    }

    "`f64` becomes `u64`"
    f64_to_u64 {
        old [] {
            #[workflow]
            pub async fn f64_to_u64(cx: &Context) -> String {
                let value: f64 = 15.5;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn f64_to_u64(cx: &Context) -> String {
                let value: u64 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "15.5");
    }

    "`u64` becomes `String`"
    u64_to_string {
        old [] {
            #[workflow]
            pub async fn u64_to_string(cx: &Context) -> String {
                let value: u64 = 15;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn u64_to_string(cx: &Context) -> String {
                let value: String = String::new();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "15");
    }

    "`String` becomes `u64`"
    string_to_u64 {
        old [] {
            #[workflow]
            pub async fn string_to_u64(cx: &Context) -> String {
                let value: String = "15".to_owned();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn string_to_u64(cx: &Context) -> String {
                let value: u64 = 1;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "'15'");
    }

    "`char` becomes `String`"
    char_to_string {
        old [] {
            #[workflow]
            pub async fn char_to_string(cx: &Context) -> String {
                let value: char = 'x';
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn char_to_string(cx: &Context) -> String {
                let value: String = String::new();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("'x'");
    }

    "`bool` becomes `u8`"
    bool_to_u8 {
        old [] {
            #[workflow]
            pub async fn bool_to_u8(cx: &Context) -> String {
                let value: bool = true;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn bool_to_u8(cx: &Context) -> String {
                let value: u8 = 0;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "true");
    }

    "`String` becomes `Option<String>`"
    string_to_option {
        old [] {
            #[workflow]
            pub async fn string_to_option(cx: &Context) -> String {
                let value: String = "a".to_owned();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn string_to_option(cx: &Context) -> String {
                let value: Option<String> = None;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("Some('a')");
    }

    "`Option<String>` becomes `String`, and there is one"
    option_to_string_some {
        old [] {
            #[workflow]
            pub async fn option_to_string_some(cx: &Context) -> String {
                let value: Option<String> = Some("a".to_owned());
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn option_to_string_some(cx: &Context) -> String {
                let value: String = String::new();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Goes("'a'");
    }

    "`Option<String>` becomes `String`, and there is none"
    option_to_string_none {
        old [] {
            #[workflow]
            pub async fn option_to_string_none(cx: &Context) -> String {
                let value: Option<String> = None;
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn option_to_string_none(cx: &Context) -> String {
                let value: String = String::new();
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "None");
    }

    "`Option<Option<u8>>` with `Some(None)` becomes `Option<u8>`"
    option_flattened {
        old [] {
            #[workflow]
            pub async fn option_flattened(cx: &Context) -> String {
                let value: Option<Option<u8>> = Some(None);
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn option_flattened(cx: &Context) -> String {
                let value: Option<u8> = Some(1);
                cx.signal::<Go>().await;
                format!("{value:?}").replace('"', "'")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`value`", "Some(None)");
    }
}
