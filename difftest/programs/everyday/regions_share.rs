//! Branches that share locals of the function: one changes a part, others read other parts.

#[derive(Debug, Default, Serialize, Deserialize)]
struct Board {
    left: Vec<i64>,
    right: Vec<String>,
    rounds: u32,
}

#[workflow]
async fn program(cx: &Context, n: i64) -> (usize, Vec<String>) {
    let mut board = Board::default();
    let limit = act(n).await.rem_euclid(4);
    let names = words("x y z").await;
    let (sum, shown) = join!(
        async {
            for at in 0..limit {
                board.left.push(act(at).await);
            }
            board.left.iter().sum::<i64>()
        },
        async {
            for name in &names {
                let text = fetch(name).await;
                board.right.push(text);
                if board.right.len() as i64 > limit {
                    return None;
                }
            }
            Some(board.right.len())
        },
    );
    board.rounds += 1;
    note((&board, sum, shown));
    let winner = loop {
        board.rounds += 1;
        let round = board.rounds;
        let won = select! {
            text = async {
                let mut best = String::new();
                for name in names.iter().rev() {
                    let text = concat(name, &best).await;
                    if text.len() > 6 {
                        return text;
                    }
                    best = text;
                }
                best
            }, if round % 2 == 0 => Some(text),
            _ = cx.sleep(seconds(round as u64)) => {
                board.left.clear();
                None
            }
            Bump(by) = cx.signal::<Bump>() => {
                board.left.push(by);
                (by > 3).then(|| by.to_string())
            }
        };
        if let Some(won) = won {
            break won;
        }
        if round > 5 {
            break String::from("nobody");
        }
    };
    let Board { mut right, left, .. } = board;
    right.insert(0, winner);
    (left.len(), right)
}
