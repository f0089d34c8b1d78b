//! Of what a pattern lends, one branch changes a part, and others look at another.

#[workflow]
async fn program(n: i64) -> i64 {
    let Order { customer: ref mut name, ref lines, .. } = Order { id: 0, customer: fetch("a").await, lines: Vec::new() };
    let mut pair = (list(n).await, fetch("b").await);
    let (ref numbers, ref mut text) = pair;
    let (_, b, ..) = join!(
        async {
            let x = select! {
                x = async {
                    (*name) += &String::from("1");
                    text.push('!');
                    act(lines.len() as i64).await + numbers.len() as i64
                } => x,
                y = act(2) => y,
            };
            note(&*name);
            act(x).await
        },
        async { act(lines.len() as i64).await },
        async { total(numbers).await }
    );
    note(text);
    note(&pair);
    if let (numbers, text) = &mut pair {
        let (c, _) = join!(
            async {
                text.push('?');
                act(numbers.len() as i64).await
            },
            act(b)
        );
        numbers.push(c);
    }
    note(pair);
    b
}
