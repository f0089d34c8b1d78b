//! What a branch of `async` blocks assigns behind its await tells a type.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut seen = Vec::new();
    let (a, b) = join!(
        async {
            let mut best = None;
            for x in 0..9 {
                if best.is_none() {
                    best = Some(select! { text = fetch("a") => text, _ = tick() => continue });
                } else if best.as_ref().is_some_and(|text| text.len() > 6) {
                    note(x);
                } else {
                    seen.push(x);
                }
            }
            seen.len()
        },
        async {
            let mut found = None;
            let mut steps = 0;
            while steps < 5 {
                steps += 1;
                let odd = steps % 2 == 1;
                match odd {
                    true => {
                        if flag(1).await {
                            let text = fetch("b").await;
                            found = Some(text + "x");
                        }
                    }
                    false => {
                        if found.as_ref().is_some_and(|text| text.ends_with('x')) {
                            return steps;
                        }
                    }
                }
            }
            steps + 10
        },
    );
    a as i64 + b
}
