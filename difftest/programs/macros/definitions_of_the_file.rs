//! Macros of the file whose definitions declare, jump and ask where that stays within them, or within
//! code that awaits nothing.

macro_rules! bind {
    ($name:ident, $value:expr) => {
        let $name = $value;
    };
}

macro_rules! stop_if {
    ($done:expr) => {
        if $done {
            break;
        }
    };
}

macro_rules! sum {
    ($list:expr) => {{
        let mut sum = 0;
        for item in $list {
            if item > 100 {
                continue;
            }
            sum += item;
        }
        sum
    }};
}

macro_rules! halves {
    ($list:expr) => {
        $list.iter().map(|item| { (item % 2 == 0).then_some(())?; Some(()) }).collect::<Vec<Option<()>>>()
    };
}

macro_rules! call {
    ($number:expr) => {
        act($number + 1)
    };
}

macro_rules! add {
    ($to:ident, $value:expr) => {
        let doubled = $value * 2;
        $to += doubled;
    };
}

macro_rules! either {
    (now $value:expr) => {
        $value
    };
    (later $value:expr) => {
        act($value).await
    };
}

#[workflow]
async fn program(n: i64) -> i64 {
    let sum = n;
    let inner = {
        bind!(sum, sum + 100);
        sum * 2
    };
    let first = call!(sum).await;
    let mut rounds = 0;
    for item in [3, 5, 7] {
        rounds += item;
        stop_if!(item > n);
    }
    let halves = halves!([1, 2, 3]).len() as i64;
    let second = act(sum!([first, inner, rounds])).await;
    let mut total = sum + second + either!(now halves);
    add!(total, rounds);
    total
}
