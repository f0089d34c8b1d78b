//! The branch that needs the type told by another moves values and leaves the loop.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut best = None;
    let keep = Noisy::new("keep");
    let mut pair = (Noisy::new("left"), Noisy::new("right"));
    'all: for x in 0..9 {
        let inner = Noisy::new("inner");
        if x % 4 == 1 {
            drop(pair.0);
            'some: {
                if flag(x).await {
                    break 'some;
                }
                best = Some(match fetch("a").await {
                    text if text.len() > 1 => text,
                    _ => String::from("b"),
                });
            }
            pair.0 = Noisy::new("again");
        } else if x % 4 == 2 && !best.as_ref().is_some_and(|text| text.is_empty()) {
            drop(pair.1);
            pair.1 = inner;
            if best.as_ref().is_some_and(|text| text.len() > 2) {
                continue;
            }
            if best.take().is_some_and(|text| text.len() > 2) {
                break 'all;
            }
        } else {
            let more = inner;
            note(more.name().len());
            if let Some(text) = &best {
                note(text.len());
                if text.len() > 100 {
                    return 7;
                }
            }
        }
        note(x);
    }
    note(pair.0.name().len() + pair.1.name().len() + keep.name().len());
    3
}
