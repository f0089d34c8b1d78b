//! Places, texts, calls and functions that a macro puts into a workflow are read as if they stood there.

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Cart {
    lines: Vec<i64>,
    counts: BTreeMap<i64, i64>,
    name: String,
    left: Option<i64>,
}

#[derive(Clone, Copy)]
struct Rate {
    of: fn(i64) -> i64,
    least: i64,
}

impl Rate {
    fn of(&self, n: i64) -> i64 {
        n + self.least
    }
}

fn doubled(n: i64) -> i64 {
    n * 2
}

const RATE: Rate = Rate { of: doubled, least: 100 };

macro_rules! checked {
    (
        $name:ident, $cart:ident, $lines:expr, $counts:expr, $left:expr, $label:expr,
        $call:expr, $words:expr, $ask:path, $rate:expr, $wrap:path
    ) => {
        #[workflow]
        async fn $name(mut $cart: Cart) -> String {
            for line in &mut $lines {
                *line += act(*line).await;
            }
            let all = &$lines;
            tick().await;
            let count = all.len();
            if let Some(found) = $counts.get_mut(&3) {
                *found += $call.await;
            }
            *$counts.entry(4).or_default() += $ask(2).await;
            $lines.push($ask(5).await);
            $lines[0] += act(6).await;
            let label = $label.as_str();
            tick().await;
            let text = label.to_owned();
            for word in $words.split(' ') {
                note(fetch(word).await);
            }
            if let Some(left) = &mut $left {
                *left += $call.await;
            }
            let given = $left.take();
            let rated = $rate(count as i64);
            let chosen = select! { $wrap(n) | $wrap(n) = async { $wrap($call.await) } => n };
            let moved = std::mem::take(&mut $label);
            tick().await;
            $label = moved + "!";
            format!("{count} {text} {given:?} {rated} {chosen} {:?}", $cart)
        }
    };
}

struct One(i64);

checked!(
    once, cart, cart.lines, cart.counts, cart.left, cart.name, act(9), "a b", act, RATE.of, One
);

#[workflow]
async fn program(n: i64) -> String {
    note(RATE.of(n));
    let cart = Cart {
        lines: vec![1, n],
        counts: BTreeMap::from([(3, n)]),
        name: "cart".to_owned(),
        left: Some(n).filter(|n| *n > 1),
    };
    once(cart).await
}
