//! A file that is read line by line, with errors by line, chunks that are sent side by side, and a report.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Row {
    line: usize,
    key: String,
    value: i64,
}

#[derive(Debug, Serialize, Deserialize)]
enum Problem {
    Short { line: usize },
    Bad { line: usize, text: String, why: String },
}

fn split(line: usize, text: &str) -> Result<(&str, &str), Problem> {
    text.split_once(' ').ok_or(Problem::Short { line })
}

#[workflow]
async fn program(n: i64) -> piton::Result<(String, Vec<Problem>)> {
    let text = words("a1 b2 c d4 e5").await.join("\n") + "\nlong line\n12 13\n";
    let mut rows: Vec<Row> = Vec::new();
    let mut problems = vec![];
    for (line, text) in text.lines().enumerate() {
        let (key, value) = match split(line, text) {
            Ok((key, value)) => (key.to_owned(), value),
            Err(problem) => {
                problems.push(problem);
                tick().await;
                continue;
            }
        };
        match parse(value).await {
            Ok(value) => rows.push(Row { line, key, value }),
            Err(why) => problems.push(Problem::Bad { line, text: text.into(), why: why.to_string() }),
        }
    }
    let mut sums: BTreeMap<char, (i64, BTreeSet<usize>)> = BTreeMap::new();
    for row in &rows {
        let entry = sums.entry(row.key.chars().next().unwrap_or('?')).or_default();
        entry.0 += row.value;
        entry.1.insert(row.line);
        note(add(row.value, n).await);
    }
    let mut sent = 0;
    for chunk in rows.chunks(2) {
        let answers = join_all(chunk.iter().map(|row| concat(&row.key, &row.value.to_string()))).await;
        sent += answers.iter().map(String::len).sum::<usize>();
    }
    let mut report = String::new();
    for (first, (sum, lines)) in &sums {
        writeln!(report, "{first}: {sum} of {}", lines.len())?;
        write!(&mut report, "{}", fetch(&first.to_string()).await).map_err(piton::Error::from)?;
    }
    piton::ensure!(sent < 10_000, "{sent}");
    Ok((report, problems))
}
