//! A text that is parsed and rendered, block by block.

use std::fmt::{self, Display, Write as _};
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Block {
    Head(u8, String),
    Para(Vec<Span>),
    List(Vec<Block>),
    Rule,
}
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Span {
    Text(String),
    Bold(Box<Span>),
    Link { text: String, url: String },
}
impl Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Span::Text(t) => f.write_str(t),
            Span::Bold(s) => write!(f, "*{s}*"),
            Span::Link { text, url } => write!(f, "[{text}]({url})"),
        }
    }
}
fn parse(src: &str) -> Vec<Block> {
    let mut out = vec![];
    let mut lines = src.lines().peekable();
    while let Some(line) = lines.next() {
        let hashes = line.bytes().take_while(|b| *b == b'#').count();
        if hashes > 0 {
            out.push(Block::Head(hashes as u8, line[hashes..].trim().to_string()));
            continue;
        }
        if line.starts_with('-') {
            let mut items = vec![Block::Para(vec![Span::Text(line[1..].trim().into())])];
            while let Some(next) = lines.next_if(|l| l.starts_with('-')) {
                items.push(Block::Para(vec![Span::Text(next[1..].trim().into())]));
            }
            out.push(Block::List(items));
            continue;
        }
        if line == "***" {
            out.push(Block::Rule);
            continue;
        }
        out.push(Block::Para(
            line.split(' ')
                .map(|w| match w.strip_prefix('@') {
                    Some(u) => Span::Link { text: u.to_uppercase(), url: u.into() },
                    None if w.len() > 5 => Span::Bold(Box::new(Span::Text(w.into()))),
                    None => Span::Text(w.into()),
                })
                .collect(),
        ));
    }
    out
}
#[workflow]
async fn render(blocks: Vec<Block>, depth: usize) -> Result<String, ParseFailed> {
    let mut out = String::new();
    let pad = " ".repeat(depth * 2);
    let last = blocks.len().saturating_sub(1);
    for (i, block) in blocks.into_iter().enumerate() {
        match block {
            Block::Rule if i == last => break,
            Block::Rule => out.push_str("---"),
            Block::Head(level @ 1..=2, text) => {
                let title = try_fetch(&text.to_lowercase()).await.map_err(|e| match e {
                    ActivityError::Failed(p) => p,
                    _ => ParseFailed::Empty,
                })?;
                let _ = write!(out, "{pad}{}{title}", "=".repeat(level.into()));
            }
            Block::Head(_, text) => out += &text,
            Block::Para(spans) => {
                let mut first = true;
                for span in spans {
                    if !std::mem::replace(&mut first, false) {
                        out.push(' ')
                    }
                    match span {
                        Span::Link { text, url } => {
                            write!(out, "{pad}<{}>{}", text, fetch(&url).await).unwrap()
                        }
                        other @ (Span::Text(_) | Span::Bold(_)) => {
                            write!(&mut out, "{other}").expect("a string takes it")
                        }
                    }
                }
            }
            Block::List(items) if items.len() > 3 => {
                return Err(ParseFailed::Unexpected(out.pop().unwrap_or('?')));
            }
            Block::List(items) => {
                let inner = Box::pin(render(items, depth + 1)).await?;
                out = inner.lines().fold(out, |mut acc, l| {
                    acc.push_str("* ");
                    acc + l
                });
            }
        }
        out.push('\n');
    }
    Ok(out)
}
#[workflow]
async fn program(n: i64) -> Result<String, ParseFailed> {
    let mut src = format!("# Title {n}\nsome longer words @link\n");
    for i in 0..n.rem_euclid(5) {
        src += &format!("- {}\n", words("one two").await.swap_remove((i % 2) as usize));
    }
    src.push_str(if flag(n).await { "***\n" } else { "### three\n***\nend" });
    let blocks = parse(&src);
    let count = blocks
        .iter()
        .filter(|b| matches!(b, Block::Para(s) if s.iter().any(|s| matches!(s, Span::Link { .. }))))
        .count();
    let text = render(blocks, 0).await?;
    Ok(format!("{count}\n{text:?}"))
}
