//! Values that are moved in one branch of an `if` or `match` in which nothing is awaited.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut sum = 0;
    for round in 0..3 {
        let kept = Noisy::new(format!("kept {round}"));
        let other = Noisy::new(format!("other {round}"));
        let third = Noisy::new(format!("third {round}"));
        if n + round > 2 && n != 3 {
            let more = Noisy::new("more");
            if round != 1 {
                drop(kept);
            }
            note(more.name().len());
        } else if n > 2 {
            note("nothing");
        }
        match n {
            0 => drop(other),
            1 => {}
            x if x > 4 => {
                let here = other;
                note(here.name().len());
            }
            _ => {
                note("last");
            }
        }
        let text = if round == 2 { take(third) } else { String::from("none") };
        note(text);
        if n % 2 == 0 {
            sum += act(round).await;
        }
        note(sum);
        let (left, mut right) = (Noisy::new("left"), Noisy::new("right"));
        if n > 2 && is_short(left) || n == 1 {
            sum += act(round).await;
        }
        if n == 4 {
            act(round).await;
            right.rename("renamed");
        }
        if let Some(text) = Some(format!("text {n}"))
            && n > round
        {
            note(text);
            drop(right);
        } else if n == 7 {
            note("seven");
        }
        if n > 3 {
            sum += act(n).await;
        }
        note("round");
    }
    sum
}

fn is_short(noisy: Noisy) -> bool {
    noisy.name().len() < 3
}

fn take(noisy: Noisy) -> String {
    note("take");
    noisy.name().to_owned()
}
