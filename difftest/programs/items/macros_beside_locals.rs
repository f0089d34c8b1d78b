//! Macros of the body with names that are, or look like, those of locals, where none of them is meant.

struct Line {
    rate: i64,
}

#[workflow]
async fn program(n: i64) -> i64 {
    macro_rules! before {
        ($line:expr) => {{
            let rate = $line.rate + 1;
            let line = Line { rate };
            line.rate * 2
        }};
    }
    let line = Line { rate: n };
    let rate = act(before!(line)).await;
    macro_rules! twice {
        ($value:expr) => {{
            let rate = $value;
            rate + rate
        }};
    }
    let alone = {
        let added = 3;
        macro_rules! plus_added {
            ($value:expr) => {
                $value + added
            };
        }
        plus_added!(n)
    };
    act(twice!(rate)).await + rate + twice!(alone)
}
