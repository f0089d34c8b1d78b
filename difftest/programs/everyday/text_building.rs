//! Text built in every way, with awaits in the pieces.

use std::fmt::Write as _;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Level {
    Low = 1,
    High = 10,
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Low => "low",
            Self::High => "high",
        })
    }
}

#[workflow]
async fn program(n: i64) -> Result<String, String> {
    let level = if flag(n).await { Level::High } else { Level::Low };
    let mut out = format!("{level:>6}|{:<4}|{:#?}|{0:?}", act(n).await, level);
    write!(out, "{:03}", act(2).await % 1000).map_err(|error| error.to_string())?;
    writeln!(&mut out, "{a} {b}", b = fetch("b").await, a = act(1).await).unwrap();
    out += &[fetch("x").await, fetch("y").await].join("+");
    out = out + &fetch("z").await + "-" + &n.to_string();
    out.insert_str(0, &concat("a", "b").await);
    out.extend(words("p q").await.iter().flat_map(|word| word.chars().rev()));
    let parts: Vec<String> = out.split('|').map(str::to_owned).collect();
    let joined = parts.iter().rev().map(String::as_str).collect::<Vec<_>>().concat();
    let width = (act(3).await.unsigned_abs() % 9) as usize;
    let padded = format!("{:*^width$.precision$}", joined, precision = 12);
    let kept: &'static str = match level {
        Level::Low => "kept low",
        Level::High => concat!("kept ", "high"),
    };
    tick().await;
    let level_number = level as i64 + act(level as i64).await;
    assert!(level_number != 99, "it is {}", level_number);
    if padded.is_empty() {
        return Err(kept.into());
    }
    Ok(format!("{padded}/{kept}/{level_number}/{}", padded.chars().filter(char::is_ascii_digit).count()))
}
