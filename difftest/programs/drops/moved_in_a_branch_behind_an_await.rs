//! Branches that await nothing, of which one moves a local, where what decides on them is awaited, and
//! where they stand in the arm of a `match` that awaits in another.

#[workflow]
async fn program(n: i64) -> i64 {
    let (first, second, third) = (Noisy::new("first"), Noisy::new("second"), Noisy::new("third"));
    let mut map = BTreeMap::<String, Vec<usize>>::new();
    let key = if n > 1 {
        if flag(n).await {
            let _given = first;
        } else {
            note("not given");
        }
        fetch("key").await
    } else {
        match act(n).await {
            100 => {
                let _given = second;
                String::from("given")
            }
            _ => String::from("not"),
        }
    };
    map.entry(key).or_default().push((format!("{n}:{}", {
        let items = list(n).await;
        match items.as_slice() {
            [] => {
                if n > 100 {
                    drop(third);
                }
                String::from("none")
            }
            [only] => concat("one", &only.to_string()).await,
            [.., last] => {
                {
                    if *last > 2 {
                        drop(third);
                    }
                }
                String::from("many")
            }
        }
    }))
    .len());
    note(map);
    n
}
