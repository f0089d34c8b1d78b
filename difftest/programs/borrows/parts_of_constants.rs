//! Parts of literals and constants, and texts that the program has as long as it runs.

struct Plan {
    name: &'static str,
    limits: [i64; 2],
    aliases: &'static [&'static str],
}

const FREE: Plan = Plan { name: "free", limits: [1, 2], aliases: &["basic", "trial"] };

#[workflow]
async fn program(n: i64) -> String {
    let middle = &"hello"[1..3];
    let trimmed = "  padded ".trim();
    let (key, value) = "key=value".split_once('=').unwrap();
    let name = FREE.name;
    let limit = FREE.limits[1];
    let alias = FREE.aliases[0];
    let rest = &FREE.aliases[1..];
    let manifest = include_str!("main.rs");
    let bytes = include_bytes!("main.rs");
    let package = env!("CARGO_PKG_NAME");
    let missing = option_env!("PITON_NO_SUCH_VARIABLE");
    tick().await;
    let fetched = fetch(middle).await;
    let mut named: &'static str = FREE.name;
    if flag(n).await {
        named = "none";
    }
    tick().await;
    let same = manifest.len() == bytes.len() && missing.is_none() && package.len() > 1;
    format!("{middle}{trimmed}{key}{value}{name}{limit}{alias}{rest:?}{fetched}{named}{same}")
}
