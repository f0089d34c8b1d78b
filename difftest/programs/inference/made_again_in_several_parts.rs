//! Plain numbers and closures that are held across awaits are of one type, wherever that is told.

fn applied(change: impl Fn(i64) -> i64) -> i64 {
    change(3)
}

#[workflow]
async fn numbers(n: i64) -> String {
    let plan = ("basic", 200);
    let limits = &[200, 100];
    let rows = [("a", 200, 0.1), ("b", 100, 0.2)];
    let ratio = &0.1;
    let pair = (&limits[0], &7);
    tick().await;
    let first: u8 = plan.1;
    let (second, third): (u8, u8) = (limits[0], *pair.1);
    for (name, limit, factor) in rows {
        let limit: u8 = limit;
        let factor: f32 = factor;
        tick().await;
        note((name, limit << 1, factor));
    }
    let fraction: f32 = *ratio;
    tick().await;
    let mut text = format!("{n} {first} {second} {third} {fraction:?}");
    text += &format!(" {} {} {} {:?}", plan.1 << 1, limits[0] << 1, *pair.1 << 6, *ratio * 3.0);
    for limit in &[200, 100] {
        tick().await;
        note(first < *limit);
        tick().await;
        text += &(*limit << 1).to_string();
    }
    text
}

#[workflow]
async fn closures(n: i64) -> Vec<i64> {
    let rates = vec![n, 2, 3, 4];
    let rate = |at| rates[at];
    let found = |at: usize| &rates[at];
    let even = || rates.iter().filter(|rate| **rate % 2 == 0);
    let all = || even().map(|it| it + 1).chain(rates.iter().map(|it| rate(0) + it));
    let double = |number| number * 2;
    let limit = || 200;
    let hundreds = || (0..3).map(|it| it * 100).collect::<Vec<_>>();
    let adder = |a: i64| move |b: i64| a + b;
    let length = |text: &str| text.len() as i64;
    let more = |list: &mut Vec<i64>| list.push(1);
    let sum = |a, (b, _): (i64, &str), [c, ..]: [i64; 2], d: Option<_>| {
        let d: i64 = d.unwrap_or_default();
        a + b + c + d
    };
    let owned = rates.clone();
    let taken = move || owned;
    let mut out = vec![rate(0), *found(1), double(act(1).await)];
    let small: u8 = limit();
    let wide: Vec<u16> = hundreds();
    tick().await;
    out.extend(even().copied());
    out.extend(all());
    out.push(adder(1)(2) + length("abc") + i64::from(small) + i64::from(wide[1]));
    out.push(sum(1, (2, "a"), [3, 4], None));
    more(&mut out);
    tick().await;
    out.extend(taken());
    out.push(i64::from(limit() << 1) + i64::from(hundreds()[2] << 9));
    out.push(double(3_000_000_000) + sum(1, (1, "b"), [1, 1], Some(n)));
    out.push(applied(|it| it + rate(1)) + *found(0));
    more(&mut out);
    join!(
        async {
            out.push(rate(1));
            tick().await;
            out.extend(even());
        },
        async {
            tick().await;
            note((limit() << 1, double(4_000_000_000)));
        }
    );
    for round in rates.clone() {
        let above = |it| it + round;
        tick().await;
        out.push(above(1));
        tick().await;
        out.push(above(rate(0)));
    }
    out
}

#[workflow]
async fn program(n: i64) -> (String, Vec<i64>) {
    (numbers(n).await, closures(n).await)
}
