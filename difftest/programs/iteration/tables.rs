//! Loops over tables of literals with texts in them.

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let mut out = vec![];
    for (name, limit) in [("low", 10), ("high", 60), ("never", -1)] {
        let value = act(n + limit).await;
        if value < limit {
            out.push(concat(name, &value.to_string()).await);
        }
        out.push(format!("{name}{limit}"));
    }
    let plans = [("free", (0, true)), ("team", (n, false))].map(|(_, plan)| plan);
    let steps = [("pack", 'p', 2_usize), ("ship", 's', 1)];
    for (step, letter, count) in steps {
        for round in 0..count {
            out.push(concat(step, &format!("{letter}{round}")).await);
        }
        if flag(n).await {
            continue;
        }
        out.push(step.to_owned());
    }
    for (cents, free) in plans {
        out.push(format!("{}{free}", add(cents, 1).await));
    }
    out
}
