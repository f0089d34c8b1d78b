//! Macros that are called as known ones are, where the function does not see them, and known ones by their paths.

fn doubled(n: i64) -> i64 {
    macro_rules! vec {
        ($n:expr) => {
            $n + $n
        };
    }
    vec![n]
}

mod inner {
    macro_rules! format {
        ($n:expr) => {
            $n + 1
        };
    }
    pub fn more(n: i64) -> i64 {
        format!(n)
    }
}

#[workflow]
async fn program(n: i64) -> String {
    let list = vec![doubled(n), inner::more(act(n).await)];
    let text = format!("{list:?}");
    tick().await;
    std::format!("{text} {}", matches!(n, 3..))
}
