//! A literal on one way and a borrowed text on another, used after awaits.

#[derive(Clone, Serialize, Deserialize)]
struct Line {
    sku: String,
    count: i64,
}

#[derive(Clone, Serialize, Deserialize)]
struct Order {
    name: String,
    nick: Option<String>,
    lines: Vec<Line>,
}

#[derive(Clone, Serialize, Deserialize)]
enum Size {
    Small,
    Large,
}

impl Size {
    fn label(&self) -> &'static str {
        match self {
            Size::Small => "small",
            Size::Large => "large",
        }
    }
}

fn pick(order: &Order) -> &str {
    order.lines.last().map_or(&order.name, |line| &line.sku)
}

fn nick(order: &Order) -> Option<&str> {
    order.nick.as_deref()
}

#[workflow]
async fn program(n: i64) -> String {
    let lines = (0..n % 4).map(|count| Line { sku: format!(" sku{count} "), count }).collect();
    let nick_name = (n % 2 == 0).then(|| "nick".to_owned());
    let order = Order { name: fetch("order").await, nick: nick_name, lines };
    let size = if n > 2 { Size::Large } else { Size::Small };

    let called = if n > 1 { pick(&order) } else { "none" };
    let matched = match n {
        0 => "zero",
        1 => return called.to_owned(),
        _ => pick(&order),
    };
    let literal: &'static str = if n == 2 { "two" } else { size.label() };
    let found = 'found: {
        for line in &order.lines {
            if line.count > 1 {
                break 'found line.sku.as_str();
            }
        }
        "none"
    };
    let mut tries = 0;
    let broken = loop {
        tries += 1;
        if tries > n {
            break "tries";
        }
        for line in &order.lines {
            if line.count == tries {
                break;
            }
        }
        if tries > 3 {
            break order.name.trim();
        }
    };
    let within = {
        let text = pick(&order);
        if text.len() > 4 { text } else { "short" }
    };
    let (kind, number) = if n > 3 { (pick(&order), 2) } else { ("none", 1) };
    let pair = ("part", n);
    let log = fetch(if act(pair.1).await > 3 { pick(&order) } else { "log" }).await;
    let or = nick(&order).unwrap_or("nobody");
    let else_ = nick(&order).unwrap_or_else(|| if n > 1 { "many" } else { "few" });
    let mapped = nick(&order).map_or("unnamed", |nick| nick.trim_start_matches('n'));
    let Some(some) = (if n > 2 { Some(called) } else { Some("some") }) else {
        return "nothing".to_owned();
    };
    let awaited = if act(n).await % 2 == 0 { pick(&order) } else { "odd" };
    let chosen = if flag(n).await { found } else { size.label() };
    tick().await;
    let mut log = concat(&log, pair.0).await;
    log.push_str(&concat(called, matched).await);
    log.push_str(&concat(literal, found).await);
    log.push_str(&concat(broken, within).await);
    log.push_str(&concat(kind, or).await);
    log.push_str(&concat(else_, mapped).await);
    log.push_str(&concat(if n > 2 { pick(&order) } else { "no" }, &fetch(some).await).await);
    format!("{log} {number} {awaited} {chosen} {}", order.lines.len())
}
