//! Variables, parameters and labels of a macro that makes a workflow are not those that its caller names alike.

macro_rules! parameters {
    ($name:ident, $x:ident) => {
        #[workflow]
        async fn $name(x: i64, $x: i64) -> String {
            let text = format!("{x} {}", $x);
            let sum = x * 10 + act($x).await;
            let both = (x, $x);
            tick().await;
            format!("{text} {sum} {both:?} {x} {}", $x)
        }
    };
}

macro_rules! variables {
    ($name:ident, $n:ident, $text:literal, $value:expr, $change:stmt) => {
        #[workflow]
        async fn $name(mut $n: i64) -> String {
            let mut n = act(7).await;
            let other = $value;
            tick().await;
            $change
            n += $n;
            let noisy = Noisy::new("own");
            let add = |$n: i64| n + $n;
            let first = add(1);
            let found = match Some(n) {
                Some(n) if n > $n => n,
                Some(m) => m + $n,
                None => 0,
            };
            for n in list($n).await {
                note(n + $n);
                tick().await;
            }
            let matched = matches!(Some($n), Some(n) if n > $n - 1);
            tick().await;
            format!("{n} {other} {} {first} {found} {matched} {}", format!($text), noisy.name())
        }
    };
}

macro_rules! jumps {
    ($name:ident, $outer:lifetime, $stop:stmt) => {
        #[workflow]
        async fn $name(n: i64) -> i64 {
            let mut count = 0;
            $outer: for i in 0..10 {
                'a: loop {
                    count += act(i).await;
                    if count > 40 + n {
                        break 'a;
                    }
                    if i > n {
                        break $outer;
                    }
                    if i == 1 {
                        continue $outer;
                    }
                    count += 100;
                }
                $outer: loop {
                    'a: for j in 0..3 {
                        count += 1;
                        if j == i {
                            break $outer;
                        }
                        if j > i {
                            continue 'a;
                        }
                        $stop
                    }
                    break;
                }
            }
            count
        }
    };
}

macro_rules! branches {
    ($name:ident, $a:ident, $b:pat) => {
        #[workflow]
        async fn $name($a: i64) -> i64 {
            let (a, $b) = join!(act($a), async { let a = act($a + 1).await; a + $a });
            let chosen = select! {
                a = act(a) => a + $a,
                $b = act(b(a)), if a > $a => 1,
            };
            chosen * 100 + a * 10 + $a
        }
    };
}

fn b(n: i64) -> i64 {
    n + 1
}

parameters!(one, x);
variables!(two, n, "{n}", n * 2, n += 5);
jumps!(three, 'a, drop(note(1)));
branches!(four, a, _c);

#[workflow]
async fn program(n: i64) -> String {
    let first = one(n, n + 1).await;
    let second = two(n).await;
    let (third, fourth) = (three(n).await, four(n).await);
    format!("{first}; {second}; {third} {fourth}")
}
