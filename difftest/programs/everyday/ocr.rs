//! Pages are read in batches, by one engine and then by a better one; some may fail.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Page {
    number: usize,
    image: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Text {
    number: usize,
    text: String,
    confidence: i64,
}

const BATCH: usize = 2;
const ENGINES: &[&str] = &["fast", "careful"];

#[workflow]
async fn recognize(page: Page, engine: String) -> Result<Text, Refused> {
    let confidence = try_act((page.number + engine.len()) as i64).await.map_err(|e| match e {
        ActivityError::Failed(refused) => refused,
        other => Refused { code: other.to_string().len() as i64 },
    })?;
    Ok(Text { number: page.number, text: fetch(&page.image).await, confidence: confidence % 10 })
}

#[workflow]
async fn program(n: i64) -> piton::Result<(Vec<Text>, BTreeMap<usize, String>, usize)> {
    let images = words("a bb ccc dddd eeeee").await;
    let mut todo: Vec<Page> = images
        .into_iter()
        .zip(n.unsigned_abs() as usize..)
        .map(|(image, number)| Page { number, image })
        .collect();
    let total = todo.len();
    let mut done: Vec<Text> = Vec::with_capacity(total);
    let mut failed = BTreeMap::new();
    for engine in ENGINES {
        let mut again = Vec::new();
        for batch in todo.chunks(BATCH) {
            let calls = batch.iter().cloned().map(|page| recognize(page, engine.to_string()));
            let results = join_all(calls).await;
            for (page, result) in batch.iter().zip(results) {
                match result {
                    Ok(text) if text.confidence >= 4 => done.push(text),
                    Ok(text) => {
                        failed.insert(text.number, format!("confidence {}", text.confidence));
                        again.push(page.clone());
                    }
                    Err(Refused { code }) if code % 2 == 0 => {
                        failed.insert(page.number, format!("code {code}"));
                    }
                    Err(error) => {
                        failed.entry(page.number).or_insert_with(String::new).push_str(
                            &concat(engine, &error.to_string()).await,
                        );
                        again.push(page.clone());
                    }
                }
            }
        }
        todo = std::mem::take(&mut again);
        if todo.is_empty() {
            break;
        }
    }
    let numbers: BTreeSet<usize> = done.iter().map(|page| page.number).collect();
    failed.retain(|number, _| !numbers.contains(number));
    if failed.len() == total {
        let list = failed.iter().map(|(n, why)| format!("{n}: {why}")).collect::<Vec<_>>().join("; ");
        piton::bail!("all of {total} pages failed: {list}");
    }
    done.sort_by_key(|page| page.number);
    for page in done.iter_mut().filter(|page| page.confidence < 8) {
        page.text = concat(&page.text, "?").await;
    }
    let words = done.iter().flat_map(|page| page.text.split('+')).filter(|w| w.len() > 1).count();
    Ok((done, failed, words))
}
