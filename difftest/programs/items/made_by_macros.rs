//! What a macro of the file makes of its call may be items, which all of the body sees.

macro_rules! make {
    (fn $name:ident) => {
        fn $name(x: i64) -> i64 {
            x + 1
        }
    };
    (struct $name:ident, $other:ident) => {
        #[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
        struct $name(i64);
        type $other = $name;
    };
}

macro_rules! wrap {
    ($($item:item)*) => { $($item)* };
}

macro_rules! fixed {
    () => {
        fn twice(x: i64) -> i64 {
            x * 2
        }
    };
}

macro_rules! own {
    ($name:ident) => {
        const $name: i64 = 5;
    };
}

#[workflow]
async fn program(n: i64) -> i64 {
    make!(fn increased);
    make! { struct Single, Alias }
    wrap! {
        const LIMIT: i64 = 40;
        fn limited(x: i64) -> i64 {
            x.min(LIMIT)
        }
    }
    let first = act(increased(n)).await;
    fixed!();
    let pair = Single(increased(first));
    if act(limited(n)).await > 2 {
        own!(FIVE);
        note(format!("{}", FIVE));
    }
    macro_rules! inner {
        ($name:ident) => {
            fn $name() -> i64 {
                7
            }
        };
    }
    inner!(seven);
    let last: Alias = pair;
    act(twice(last.0)).await + limited(first) + seven()
}
