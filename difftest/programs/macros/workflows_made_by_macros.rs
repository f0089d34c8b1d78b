//! What a macro puts in place of an expression stays together, in a workflow that it makes, too.

macro_rules! made {
    ($name:ident, $first:expr, $second:expr, $pat:pat, $ty:ty, $number:literal, $block:block, $path:path, $last:expr) => {
        #[workflow]
        async fn $name(n: $ty) -> String {
            let doubled = $first * 2;
            let least = $first.max(1) - $second * 2 + -$second + n * $number;
            let asked = act($first * 3).await * $second;
            let $pat = (doubled, least);
            let of_block = $block * 2;
            let called: $ty = $path(asked, $number) - $second;
            let mut count = 0;
            while $first > count && !($first == $second) {
                count += $second;
                tick().await;
            }
            let scaled = |by: i64| by * $second;
            let list = vec![$first * 2; 2];
            let (range, borrowed) = ($first..$second, &$first * 2);
            tick().await;
            let matched = match $first { $number => 1, _ => $second * 2 };
            let cast = $first as u8 as i64 * $second;
            format!(
                "{doubled} {least} {asked} {of_block} {called} {count} {list:?} {range:?} {borrowed} {matched} {cast} \
                 {} {} {}",
                $last * 2,
                scaled($first * 2),
                act($second * 2).await * $first,
            )
        }
    };
}

macro_rules! listed {
    ($name:ident, $n:ident, $($value:expr),*) => {
        #[workflow]
        async fn $name($n: i64) -> Vec<i64> {
            let mut out = vec![0 $(+ $value * 2)*];
            $(
                out.push($value * 2);
                tick().await;
                out.push(act($value).await - $value);
            )*
            out
        }
    };
}

macro_rules! documented {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty $body:block) => {
        $(#[$meta])*
        #[workflow]
        $vis async fn $name($($arg: $ty),*) -> $ret $body
    };
}

made!(one, 1 + 2, 3 - 1, (a, b), i64, 7, { 1 + 2 }, i64::max, a - b);
listed!(two, n, n - 4, if true { 1 } else { 2 }, { 4 }, (5 + 6), !8 & 3, 2 as i64 | 1, act(n).await + 1, -n);
documented! {
    /// Twice as much.
    #[allow(unused)]
    pub fn three(n: i64, more: i64) -> i64 {
        let asked = act(n).await;
        if asked > more {
            return asked * 2;
        }
        add(asked, more).await + 1
    }
}

#[workflow]
async fn program(n: i64) -> (String, Vec<i64>, i64) {
    (one(n).await, two(n).await, three(n, 3).await)
}
