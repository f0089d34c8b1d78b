//! Values that are not used after branches which may be over without an await.

#[workflow]
async fn program(n: i64) -> i64 {
    let first = Noisy::new("first");
    let second = Noisy::new("second");
    let chosen = select! {
        x = async {
            note("branch");
            if n < 4 {
                return 1;
            }
            act(n).await
        } => {
            note("arm");
            x
        }
        y = act(2) => y,
    };
    note("chosen");
    let mut sum = 0;
    for round in 0..3 {
        let kept = Noisy::new(format!("kept {round}"));
        let given = Noisy::new(format!("given {round}"));
        let lent = Noisy::new(format!("lent {round}"));
        let (a, b) = join!(
            async {
                let inner = Noisy::new("inner");
                let (c, d) = join!(
                    async {
                        note(format!("{lent:?}"));
                        if n > round { act(round).await } else { round }
                    },
                    async {
                        note("other");
                        7
                    }
                );
                note(c + d)
            },
            async move {
                drop(given);
                note("moved");
                3
            }
        );
        sum += note(a + b);
        let late = Noisy::new("late");
        if n % 2 == 0 {
            drop(kept);
        }
        select! {
            () = async {
                if n == round {
                    tick().await;
                }
                note("done");
            } => {
                note("first arm");
            }
            () = async { note("lost"); } => {
                note("second arm");
            }
        };
        note("round");
    }
    sum + chosen
}
