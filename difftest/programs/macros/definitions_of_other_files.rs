//! Macros whose definitions cannot be seen, with variables that they read, change, fill and use up.

macro_rules! elsewhere {
    ($add:ident, $fill:ident, $use_up:ident, $each:ident, $dollar:tt) => {
        macro_rules! $add {
            ($dollar to:ident, $dollar value:expr) => {
                let doubled = $dollar value * 2;
                $dollar to += doubled;
            };
        }
        macro_rules! $fill {
            ($dollar to:ident = $dollar value:expr) => {
                $dollar to = $dollar value;
            };
        }
        macro_rules! $use_up {
            ($dollar value:expr) => {
                drop($dollar value)
            };
        }
        macro_rules! $each {
            ($dollar item:ident in $dollar list:expr, $dollar sum:ident) => {
                for $dollar item in $dollar list {
                    if *$dollar item > 4 {
                        break;
                    }
                    $dollar sum += *$dollar item;
                }
            };
        }
    };
}

elsewhere!(add, fill, use_up, each, $);

#[workflow]
async fn program(n: i64) -> i64 {
    let mut total = n;
    add!(total, total + 1);
    total += act(total).await;
    let late;
    fill!(late = total);
    let mut noisy = Noisy::new("first");
    use_up!(noisy);
    note("used up");
    tick().await;
    noisy = Noisy::new("second");
    let list = list(late).await;
    each!(x in &list, total);
    tick().await;
    let x = late;
    for item in 0..3 {
        total += act(item).await;
        use_up!((if item == 1 { break } else { item }, x));
    }
    use_up!((x, &list));
    add!(total, x);
    act(total).await + noisy.name().len() as i64 + x + list.len() as i64
}
