//! A local of which a part has been moved out is assigned as a whole where a jump within the same statement
//! leaves a loop or a block.

#[workflow]
async fn out_of_a_for(n: i64) -> (Noisy, i64) {
    let mut best = (Noisy::new("first"), Noisy::new("second"));
    drop(best.0);
    act(n).await;
    for x in 0..n {
        if x > 0 {
            best = (Noisy::new("third"), Noisy::new(format!("found {x}")));
            break;
        }
        note(x);
    }
    (best.1, act(n).await)
}

#[workflow]
async fn round_a_while(n: i64) -> (Noisy, i64) {
    let mut best = (Noisy::new("first"), Noisy::new("second"));
    drop(best.0);
    let mut left = act(n).await.rem_euclid(4);
    while left > 0 {
        left -= 1;
        if left == 2 {
            best = (Noisy::new("third"), Noisy::new("fourth"));
            if n > 0 {
                continue;
            }
            note(5);
        }
        note(left);
    }
    (best.1, act(n).await)
}

#[workflow]
async fn with_values(n: i64) -> (Noisy, i64) {
    let mut best = (Noisy::new("first"), Noisy::new("second"));
    drop(best.0);
    let round = act(n).await;
    let found = 'outer: loop {
        let inner = 'block: {
            if round > 1 {
                best = (Noisy::new("third"), Noisy::new("fourth"));
                break 'block best.0.name().len() as i64;
            }
            for x in [1, 2, 3] {
                if x == 2 && round == 1 {
                    best = (Noisy::new("fifth"), Noisy::new("sixth"));
                    break 'outer {
                        note(x);
                        x
                    };
                }
            }
            9
        };
        note(inner);
        break inner;
    };
    (best.1, act(found).await)
}

#[workflow]
async fn in_a_branch(n: i64) -> i64 {
    let mut duo = (Noisy::new("first"), Noisy::new("second"));
    let (_, joined) = join!(
        async {
            for round in 0..2 {
                if n > 1 {
                    duo = (Noisy::new("third"), Noisy::new("fourth"));
                } else if n == round {
                    break;
                }
                duo.1 = Noisy::new("fifth");
            }
            act(3).await
        },
        act(0)
    );
    joined
}

#[workflow]
async fn program(n: i64) -> i64 {
    let (first, a) = out_of_a_for(n).await;
    let (second, b) = round_a_while(n).await;
    let (third, c) = with_values(n).await;
    drop((first, second, third));
    a + b + c + in_a_branch(n).await
}
