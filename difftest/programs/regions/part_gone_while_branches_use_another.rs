//! While branches that are waited for use one part of a local, another has been moved out, and is filled
//! after them and read no more.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut pair = (n, format!("name {n}"));
    if n > 1 && act(act(n).await + takes(pair.1)).await > 3 {
        let number = {
            let (first, second) = join!(
                async {
                    act(n).await;
                    1
                },
                async {
                    for round in 0..2 {
                        act(pair.0 + round).await;
                    }
                    pair.0 + 7
                }
            );
            first + second + pair.0
        };
        note(number);
        pair.1 = concat("filled", "text").await;
    } else {
        act(pair.0).await;
        if n > 3 {
            pair.1 = String::new();
            note(pair.clone().1);
        }
        act(pair.0).await;
    }
    n
}

fn takes(text: String) -> i64 {
    text.len() as i64
}
