//! Loops over what a local lends, with a value beside each item.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Page {
    name: String,
    size: i64,
}

#[workflow]
async fn program(n: i64) -> (Vec<Page>, Vec<String>) {
    let mut pages = vec![];
    for name in words("a bb ccc dddd").await {
        pages.push(Page { size: act(n + name.len() as i64).await, name });
    }
    let results = join_all(pages.iter().map(|page| try_act(page.size))).await;
    let mut log = vec![];
    for (page, result) in pages.iter().zip(results) {
        match result {
            Ok(size) if size > 103 => log.push(concat(&page.name, "!").await),
            Ok(size) => log.push(add(page.size, size).await.to_string()),
            Err(error) => {
                tick().await;
                log.push(format!("{}: {error}", page.name));
            }
        }
    }
    let more = list(n).await;
    for (number, (page, more)) in pages.iter_mut().filter(|p| p.size % 2 == 0).zip(more).enumerate() {
        page.size += add(more, number as i64).await;
        page.name.push_str(&more.to_string());
    }
    for (page, number) in pages.iter().rev().zip(1..) {
        log.push(concat(&page.name, &number.to_string()).await);
        if number == 3 {
            break;
        }
    }
    (pages, log)
}
