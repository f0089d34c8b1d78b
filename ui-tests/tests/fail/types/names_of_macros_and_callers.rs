use piton::prelude::*;

#[activity]
async fn load(n: u64) -> u64 {
    n
}

macro_rules! looped {
    ($name:ident, $leave:expr) => {
        #[workflow]
        async fn $name(n: u64) -> u64 {
            let mut total = 0;
            'own: while total < 99 {
                total += load(n).await;
                if total > 9 {
                    $leave
                }
            }
            total
        }
    };
}

macro_rules! summed {
    ($name:ident, $value:expr, $text:literal) => {
        #[workflow]
        async fn $name(n: u64) -> String {
            let total = load(n).await;
            let more = load(total).await + $value;
            let text = format!($text);
            load(more).await;
            text
        }
    };
}

looped!(left, break 'own);
summed!(sum, total + 1, "{more}");

fn main() {}
