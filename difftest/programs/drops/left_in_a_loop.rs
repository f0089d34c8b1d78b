//! Jumps out of operands go on with a loop, leave it with a value, or leave the function in what is matched.

fn both(_a: Noisy, b: Noisy) -> Noisy {
    b
}

#[workflow]
async fn program(n: i64) -> i64 {
    let mut k = 0;
    let got = 'out: loop {
        k += 1;
        if k > 4 {
            break 'out Noisy::new("end");
        }
        let guard = Noisy::new("guard");
        let x = both(
            vec![Noisy::new("p"), Noisy::new("q")].pop().unwrap_or(Noisy::new("never")),
            both(
                Noisy::new("1"),
                vec![Noisy::new("r"), Noisy::new("s")].pop().unwrap_or({
                    if k == 1 {
                        continue;
                    }
                    if flag(k).await {
                        break 'out Noisy::new("found");
                    }
                    if k == 3 {
                        continue;
                    }
                    Noisy::new("t")
                }),
            ),
        );
        note((x, guard));
    };
    match both(
        Noisy::new("m"),
        vec![Noisy::new("mm")].pop().unwrap_or({
            if n > 2 {
                return 9;
            }
            Noisy::new(fetch("n").await)
        }),
    ) {
        ref x if x.name().len() > 3 => {
            note(1);
        }
        x => {
            note(x.name().len());
        }
    }
    note(got);
    if both(
        Noisy::new("i"),
        vec![Noisy::new("ii")].pop().unwrap_or({
            if n > 1 {
                return 9;
            }
            Noisy::new(fetch("j").await)
        }),
    )
    .name()
    .len()
        > 2
    {
        note(2);
    }
    3
}
