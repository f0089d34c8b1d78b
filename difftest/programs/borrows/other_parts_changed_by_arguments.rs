//! Look-ups with an await in their arguments, which change other parts of what is looked up in.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Account {
    owner: String,
    balance: i64,
    lines: Vec<i64>,
    by_name: std::collections::BTreeMap<String, Vec<i64>>,
}
#[workflow]
async fn program(n: i64) -> (Account, i64) {
    let mut a = Account {
        owner: fetch("hello there").await,
        balance: n,
        lines: vec![1, 2, 3],
        by_name: Default::default(),
    };
    let word = a
        .owner
        .split('e')
        .nth(i64::rem_euclid(
            {
                match a.balance {
                    ref mut b => *b -= act(n).await,
                }
                a.balance += 2;
                4
            },
            3,
        ) as usize)
        .unwrap_or("none");
    note(act(n).await);
    note(word);
    a.lines.push({
        a.balance = act(a.balance).await;
        a.balance
    });
    a.by_name.entry(a.owner.clone()).or_default().push({
        a.balance += 1;
        act(a.balance).await
    });
    a.lines.iter().for_each(|x| {
        note(*x);
    });
    let sum = a.lines.iter().map(|x| x + 1).fold(
        {
            a.balance -= 1;
            act(a.balance).await
        },
        |a, b| a + b,
    );
    let mut pair = (vec![1, 2], vec![n]);
    pair.0.extend({
        pair.1.push(act(3).await);
        pair.1.clone()
    });
    let k = pair
        .0
        .iter()
        .zip(&a.lines)
        .map(|(a, b)| a * b)
        .nth({
            pair.1.push(act(5).await);
            pair.1.len() - 1
        })
        .unwrap_or(3);
    note(k);
    note(pair);
    (a, sum)
}
