//! A handler of `select!` tells the type that another branch needs.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut best = None;
    let mut all = Vec::new();
    for x in 0..9 {
        match x % 3 {
            0 => {
                let noisy = Noisy::new(fetch("a").await);
                select! {
                    text = fetch("b") => { best = Some(text); all.push(noisy) }
                    _ = tick() => { note(1); }
                }
            }
            1 => {
                if best.as_ref().is_some_and(|text| text.len() > 1) {
                    note(x);
                }
                if let Some(first) = all.first() {
                    note(first.name().len());
                }
                best = None;
            }
            _ if all.len() > 3 => {
                all.clear();
            }
            _ => {
                let last = all.pop();
                if last.is_some_and(|last| last.name().len() > 2) {
                    note(2);
                }
                if let Some(text) = &best {
                    note(text.len());
                }
            }
        }
    }
    all.len() as i64
}
