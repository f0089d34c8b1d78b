//! What one of several branches is begun with assigns a variable that has been moved, and a handler reads it.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut values = vec![n];
    let mut spare = Some(String::from("a"));
    let mut sum = 0;
    for value in values {
        if n > 3 {
            select! {
                _ = table(9) => {}
                (id, _) = pair({
                    values = vec![];
                    0
                }) => {
                    note(values.clone());
                    sum += id;
                }
            };
        }
        note(spare);
        let (a, b) = join!(
            act(value),
            pair({
                spare = None;
                if value > 5 {
                    return sum;
                }
                value
            }),
        );
        sum += a + b.0;
    }
    note(spare);
    let done = async {
        let mut texts = vec![String::from("b")];
        for text in texts {
            select! {
                found = lookup(&text), if n > 2 => note(found.is_some()),
                (id, _) = pair({
                    texts = vec![text.clone()];
                    0
                }) => note(id > texts.len() as i64),
            };
            texts = Vec::new();
        }
        sum
    }
    .await;
    done
}
