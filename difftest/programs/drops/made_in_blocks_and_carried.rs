//! A value that branches, blocks and loops without an await have made or changed is dropped at the end of its
//! scope.

#[workflow]
async fn program(n: i64) -> i64 {
    let _first = Noisy::new("first");
    let mut _chosen = if n > 0 {
        let text = fetch("chosen").await;
        Some(Noisy::new(text))
    } else {
        vec![loop {
            if flag(n).await {
                break (if let Some(name) = None::<Noisy>
                    && n < 0
                {
                    name
                } else {
                    let text = "other".to_owned();
                    Noisy::new(text)
                });
            }
            if n < 1 {
                break match n {
                    0 => Noisy::new("zero"),
                    _ => {
                        let mut made = Noisy::new("made");
                        made.rename("renamed");
                        made
                    }
                };
            }
        }]
        .pop()
    };
    let mut last = Noisy::new("last");
    if n > 1 {
        let _guard = 'guard: {
            if n > 2 {
                last.rename("named");
            }
            if n > 3 {
                break 'guard (last, Noisy::new("second"));
            }
            (Noisy::new("third"), Noisy::new("fourth"))
        }
        .0;
        tick().await;
    }
    if n > 0 && flag(n).await {
        _chosen = None;
    }
    note("end");
    n
}
